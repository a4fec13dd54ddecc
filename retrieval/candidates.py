"""Ranked chunks with their places, out of an index that holds just the readings of a scope."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace

from documents.models import Chunk
from projects.models import Project
from retrieval import keyword_index
from retrieval.bm25 import DamagedIndexError, Index
from retrieval.evidence import Scope, ScopedVersion
from retrieval.passages import Candidate
from retrieval.planning import Plan
from retrieval.recall import DEPTH, Recalled, recall
from retrieval.scope import in_step


@dataclass(frozen=True, slots=True)
class Ranked:
    """What a plan found. `scope` and `index` are in step and may be searched again."""

    scope: Scope
    index: Index
    recalled: Recalled
    candidates: tuple[Candidate, ...]


def ranked(plan: Plan, scope: Scope, *, depth: int = DEPTH) -> Ranked:
    """Recall `plan` in `scope` as it is now."""
    scope, index = in_step(scope)
    found = _found(plan, scope, index, depth)
    if found is None:  # made anew, the index is whole and names no chunk that is gone
        keyword_index.rebuild(Project.objects.get(pk=scope.project_id))
        scope, index = in_step(scope)
        found = _found(plan, scope, index, depth) or (Recalled((), ()), ())
    return Ranked(scope, index, *found)


def _found(
    plan: Plan, scope: Scope, index: Index, depth: int
) -> tuple[Recalled, tuple[Candidate, ...]] | None:
    """What was recalled, with its places; None if the index is damaged or names lost chunks."""
    try:
        recalled = recall(plan, scope, index=index, depth=depth)
    except DamagedIndexError:
        return None
    candidates = with_places(recalled, scope)
    return None if candidates is None else (recalled, candidates)


def ranked_in(version: ScopedVersion, plan: Plan, *, scope: Scope, index: Index) -> list[Candidate]:
    """What `plan` finds in one paper of `scope`, which `index` is in step with.

    Query vectors are carried over to the paper's language.
    """
    if language := version.language[:2]:
        plan = Plan(tuple(replace(query, toward=language) for query in plan.queries))
    own = replace(scope, versions=(version,))
    return list(with_places(recall(plan, own, index=index), own) or ())


def with_places(recalled: Recalled, scope: Scope) -> tuple[Candidate, ...] | None:
    """The ranked chunks with their places; None if chunks are missing."""
    scores = dict(recalled.ranking)
    rows = _rows(scores, scope)
    if len(rows) < len(scores):
        return None
    return tuple(candidate_of(rows[chunk], score) for chunk, score in recalled.ranking)


def _rows(chunks: Mapping[int, float], scope: Scope) -> dict[int, Chunk]:
    readings = {version.parsed_id for version in scope.versions}
    fields = ("pk", "parsed_id", "ordinal", "spans", "section", "kind", "tokens")
    rows = Chunk.objects.filter(pk__in=chunks, parsed_id__in=readings).only(*fields)
    return {row.pk: row for row in rows}


def candidate_of(chunk: Chunk, score: float) -> Candidate:
    return Candidate(
        chunk=chunk.pk,
        reading=chunk.parsed_id,
        ordinal=chunk.ordinal,
        spans=chunk.span_list(),
        section=tuple(chunk.section),
        kind=chunk.kind,
        tokens=chunk.tokens,
        score=score,
    )


def readings_of(chunks: Collection[int]) -> set[int]:
    """The readings that these chunks are of."""
    return set(Chunk.objects.filter(pk__in=chunks).values_list("parsed_id", flat=True))
