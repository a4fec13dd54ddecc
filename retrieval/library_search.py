"""The library search: passages that bear on some words, grouped by paper. No model is asked.

Recall and fusion are those of every search. What follows differs: a person skims many short
passages instead of reading a few long ones, so chunks are neither merged nor judged.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from documents.models import Chunk
from documents.page_text import Span
from projects.models import Project
from retrieval import keyword_index
from retrieval.bm25 import Index
from retrieval.evidence import Scope, ScopedVersion
from retrieval.planning import plan_without_model
from retrieval.recall import DEPTH, Recalled, recall
from retrieval.scope import in_step

FILTERED_DEPTH = 1000
"""Chunks that each leg recalls where only some kinds are wanted, since most are then dropped."""
NEVER_SHOWN = frozenset({"reference"})
NEAREST = 24
"""Chunks that a query's vector alone may bring in. There is always a nearest one, however far: the
whole of a small library would follow behind what was looked for.
"""


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A chunk of one paper: where it stands, and its fused score."""

    spans: tuple[Span, ...]
    section: tuple[str, ...]
    kind: str
    score: float


@dataclass(frozen=True, slots=True)
class PaperPassages:
    """What was found in one paper, best first."""

    version: ScopedVersion
    passages: tuple[FoundPassage, ...]


@dataclass(frozen=True, slots=True)
class LibraryFound:
    """Papers in the order of their best passages. `searched` counts those that were looked through.

    `keywords_only` says in a sentence why meaning was not asked, else it is empty.
    """

    papers: tuple[PaperPassages, ...] = ()
    searched: int = 0
    keywords_only: str = ""


def search_library(words: str, scope: Scope, *, kinds: Collection[str] = ()) -> LibraryFound:
    """Passages of `scope` for `words`; of the chunk kinds `kinds` alone, if any are given."""
    if not scope.versions:
        return LibraryFound()
    scope, index = in_step(scope)
    depth = FILTERED_DEPTH if kinds else DEPTH
    found = _ranked(words, scope, index, depth)
    if found is None:  # the index names chunks that are gone: made anew, it names none
        keyword_index.rebuild(Project.objects.get(pk=scope.project_id))
        scope, index = in_step(scope)
        found = _ranked(words, scope, index, depth) or ([], "")
    chunks, note = found
    wanted = [each for each in chunks if _is_wanted(each[0].kind, kinds)]
    return LibraryFound(_by_paper(wanted, scope), len(scope.versions), note)


def _ranked(
    words: str, scope: Scope, index: Index, depth: int
) -> tuple[list[tuple[Chunk, float]], str] | None:
    """The ranked chunks with their scores, and the note on vectors; None if chunks are missing."""
    recalled = recall(plan_without_model(words), scope, index=index, depth=depth)
    rows = _rows(recalled, scope)
    if len(rows) < len(recalled.ranking):
        return None
    near = _near(recalled)
    ranked = [(rows[chunk], score) for chunk, score in recalled.ranking if chunk in near]
    return ranked, recalled.vectors_note


def _near(recalled: Recalled) -> set[int]:
    """Chunks that have a fair share of the words, and the nearest in meaning."""
    near = {hit.chunk for each in recalled.queries for hit in each.vectors[:NEAREST]}
    for each in recalled.queries:
        strays = {hit.chunk for hit in each.strays}
        near |= {hit.chunk for hit in each.keywords if hit.chunk not in strays}
    return near


def _rows(recalled: Recalled, scope: Scope) -> dict[int, Chunk]:
    ranked = [chunk for chunk, _ in recalled.ranking]
    readings = {version.parsed_id for version in scope.versions}
    rows = Chunk.objects.filter(pk__in=ranked, parsed_id__in=readings)
    return {row.pk: row for row in rows.only("pk", "parsed_id", "spans", "section", "kind")}


def _is_wanted(kind: str, kinds: Collection[str]) -> bool:
    return kind not in NEVER_SHOWN and (not kinds or kind in kinds)


def _by_paper(chunks: Sequence[tuple[Chunk, float]], scope: Scope) -> tuple[PaperPassages, ...]:
    versions = {version.parsed_id: version for version in scope.versions}
    grouped: dict[int, list[FoundPassage]] = {}
    for chunk, score in chunks:
        passage = FoundPassage(chunk.span_list(), tuple(chunk.section), chunk.kind, score)
        grouped.setdefault(chunk.parsed_id, []).append(passage)
    return tuple(
        PaperPassages(versions[reading], tuple(passages)) for reading, passages in grouped.items()
    )
