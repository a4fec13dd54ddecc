"""The search: from a need to numbered evidence, step by step."""

from collections.abc import Iterable, Mapping, Sequence

from django.db.models import Q

from documents.chunk_text import text_of
from documents.models import Chunk, Page
from projects.models import Project
from retrieval import keyword_index
from retrieval.evidence import Evidence, Scope, ScopedVersion, SearchResult
from retrieval.passages import (
    CANDIDATES_PER_PASSAGE,
    Candidate,
    Cuts,
    Passage,
    bodies_first,
    bounded,
    is_heading,
    joined_spans,
    merged,
)
from retrieval.planning import Plan, plan_without_model
from retrieval.recall import Recalled, recall
from retrieval.scope import in_step
from retrieval.tracing import trace_of

DEFAULT_LIMIT = 12

PageTexts = Mapping[int, Mapping[int, str]]
"""Page text by reading and page number."""


def search(
    need: str, *, scope: Scope, limit: int = DEFAULT_LIMIT, plan: Plan | None = None
) -> SearchResult:
    """Passages of `scope` that bear on `need`, at most `limit`, best first.

    `plan` is given where a model made one; its first query must be the user's own words.
    """
    plan = plan or plan_without_model(need)
    scope, index = in_step(scope)
    recalled = recall(plan, scope, index=index)
    candidates = _candidates(recalled, scope)
    if candidates is None:  # the index names chunks that are gone: made anew, it names none
        keyword_index.rebuild(Project.objects.get(pk=scope.project_id))
        scope, index = in_step(scope)
        recalled = recall(plan, scope, index=index)
        candidates = _candidates(recalled, scope) or []
    cuts = Cuts()
    passages = bodies_first(merged(bounded(candidates, CANDIDATES_PER_PASSAGE * limit, cuts)))
    evidence = _evidence(passages, scope, limit, cuts)
    strays = _readings_of(recalled.strays())
    trace = trace_of(plan, recalled, evidence=evidence, cuts=cuts, scope=scope, strays=strays)
    return SearchResult(evidence, trace)


def _candidates(recalled: Recalled, scope: Scope) -> list[Candidate] | None:
    """The ranked chunks with their places; None if chunks are missing."""
    scores = dict(recalled.ranking)
    readings = {version.parsed_id for version in scope.versions}
    fields = ("pk", "parsed_id", "ordinal", "spans", "section", "kind", "tokens")
    rows = {
        row.pk: row
        for row in Chunk.objects.filter(pk__in=scores, parsed_id__in=readings).only(*fields)
    }
    if len(rows) < len(scores):
        return None
    return [_candidate(rows[chunk], score) for chunk, score in recalled.ranking]


def _candidate(chunk: Chunk, score: float) -> Candidate:
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


def _evidence(
    passages: Sequence[Passage], scope: Scope, limit: int, cuts: Cuts
) -> tuple[Evidence, ...]:
    versions = {version.parsed_id: version for version in scope.versions}
    texts = _page_texts(passages[: 2 * limit])
    evidence: list[Evidence] = []
    for passage in passages:
        if len(evidence) == limit:
            cuts.cut(passage.best, "limit")
            continue
        if passage.best.reading not in texts or not _has_pages(passage, texts):
            texts = _page_texts([passage])
        each = _read(passage, versions[passage.best.reading], len(evidence) + 1, texts)
        if is_heading(passage, each.text):
            cuts.cut(passage.best, "heading")
        else:
            evidence.append(each)
    return tuple(evidence)


def _has_pages(passage: Passage, texts: PageTexts) -> bool:
    return _pages(passage) <= texts[passage.best.reading].keys()


def _pages(passage: Passage) -> set[int]:
    return {span.page for member in passage.members for span in member.spans}


def _read(passage: Passage, version: ScopedVersion, number: int, texts: PageTexts) -> Evidence:
    pages = texts[passage.best.reading]
    spans = joined_spans((span for member in passage.members for span in member.spans), pages)
    return Evidence(
        number=number,
        version=version,
        spans=spans,
        section=passage.best.section,
        kind=passage.best.kind,
        text=text_of(spans, pages),
        score=passage.best.score,
    )


def _page_texts(passages: Iterable[Passage]) -> PageTexts:
    wanted: dict[int, set[int]] = {}
    for passage in passages:
        wanted.setdefault(passage.best.reading, set()).update(_pages(passage))
    if not wanted:
        return {}
    condition = Q()
    for reading, numbers in wanted.items():
        condition |= Q(parsed_id=reading, number__in=numbers)
    texts: dict[int, dict[int, str]] = {}
    rows = Page.objects.filter(condition).values_list("parsed_id", "number", "text")
    for reading, number, text in rows:
        texts.setdefault(reading, {})[number] = text
    return texts


def _readings_of(chunks: set[int]) -> set[int]:
    return set(Chunk.objects.filter(pk__in=chunks).values_list("parsed_id", flat=True))
