"""The words of passages: page text, read once for all of them."""

from collections.abc import Iterable, Mapping, Sequence

from django.db.models import Q

from documents.chunks.chunk_text import text_of
from documents.models import Page
from documents.pages.page_text import Span
from retrieval.evidence import Evidence, Scope
from retrieval.passages import Passage, is_heading, joined_spans
from retrieval.tracing import Cut, Cuts

PageTexts = Mapping[int, Mapping[int, str]]
"""Page text by reading and page number."""


def page_texts(passages: Iterable[Passage]) -> dict[int, dict[int, str]]:
    """The text of every page that the passages touch."""
    wanted: dict[int, set[int]] = {}
    for passage in passages:
        wanted.setdefault(passage.best.reading, set()).update(passage.pages)
    if not wanted:
        return {}
    condition = Q()
    for reading, numbers in wanted.items():
        condition |= Q(parsed_id=reading, number__in=numbers)
    texts: dict[int, dict[int, str]] = {reading: {} for reading in wanted}
    rows = Page.objects.filter(condition).values_list("parsed_id", "number", "text")
    for reading, number, text in rows:
        texts[reading][number] = text
    return texts


def spans_of(passage: Passage, texts: PageTexts) -> tuple[Span, ...]:
    every = (span for member in passage.members for span in member.spans)
    return joined_spans((*every, *passage.added), texts[passage.best.reading])


def text_of_passage(passage: Passage, texts: PageTexts) -> str:
    return text_of(spans_of(passage, texts), texts[passage.best.reading])


def without_headings(passages: Sequence[Passage], texts: PageTexts, cuts: Cuts) -> list[Passage]:
    """The passages that say more than their own heading."""
    kept = []
    for passage in passages:
        if is_heading(passage, text_of_passage(passage, texts)):
            cuts.cut(passage.best.reading, Cut.HEADING)
        else:
            kept.append(passage)
    return kept


def evidence_of(
    passages: Sequence[Passage], scope: Scope, texts: PageTexts
) -> tuple[Evidence, ...]:
    """The passages as evidence, numbered from 1 in their order."""
    versions = {version.parsed_id: version for version in scope.versions}
    return tuple(
        Evidence(
            number=number,
            version=versions[passage.best.reading],
            spans=spans_of(passage, texts),
            section=passage.best.section,
            kind=passage.best.kind,
            text=text_of_passage(passage, texts),
            score=passage.best.score,
        )
        for number, passage in enumerate(passages, start=1)
    )
