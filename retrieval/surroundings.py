"""What stands around passages and belongs to them: neighbours, captions, notes, calls."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from django.db.models import Q

from documents.chunks.sentences import split_sentences
from documents.models import Chunk, Page
from documents.pages.note_calls import calls
from documents.pages.page_text import BlockKind, ParsedPage, Span
from documents.stored_pages import page_values
from retrieval.candidates import candidate_of
from retrieval.expansion import Decision, widened, without_overlaps
from retrieval.passages import TABLE_KINDS, Candidate, Passage

MOST_NOTES = 4
"""Footnotes that a passage brings along."""


def expanded(passages: Sequence[Passage], decision: Decision) -> list[Passage]:
    """The passages as wide as was decided, tables and notes whole; none overlap."""
    wide = [
        widened(passage, reach, neighbours)
        for passage, reach, neighbours in zip(
            passages, decision.reaches, _neighbours(passages, decision.reaches), strict=True
        )
    ]
    joined = without_overlaps(wide)
    pages = _pages(joined)
    return [_with_belongings(passage, pages[passage.best.reading]) for passage in joined]


def _neighbours(
    passages: Sequence[Passage], reaches: Sequence[int]
) -> Iterator[dict[int, Candidate]]:
    """For each passage the chunks around it by ordinal, all read at once."""
    wanted = Q(pk__in=())
    for passage, reach in zip(passages, reaches, strict=True):
        if reach:
            low, high = passage.members[0].ordinal - reach, passage.members[-1].ordinal + reach
            wanted |= Q(parsed_id=passage.best.reading, ordinal__range=(low, high))
    by_reading: dict[int, dict[int, Candidate]] = {}
    fields = ("pk", "parsed_id", "ordinal", "spans", "section", "kind", "tokens")
    for row in Chunk.objects.filter(wanted).only(*fields):
        by_reading.setdefault(row.parsed_id, {})[row.ordinal] = candidate_of(row, 0.0)
    for passage in passages:
        yield by_reading.get(passage.best.reading, {})


def _pages(passages: Sequence[Passage]) -> dict[int, dict[int, ParsedPage]]:
    """The pages that the passages touch, with their blocks and tables."""
    wanted = Q(pk__in=())
    for passage in passages:
        wanted |= Q(parsed_id=passage.best.reading, number__in=passage.pages)
    pages: dict[int, dict[int, ParsedPage]] = {each.best.reading: {} for each in passages}
    for row in Page.objects.filter(wanted).defer("packed_boxes"):
        pages[row.parsed_id][row.number] = page_values(row)
    return pages


def _with_belongings(passage: Passage, pages: dict[int, ParsedPage]) -> Passage:
    own = [span for member in passage.members for span in member.spans]
    added = list(passage.added)
    for page in pages.values():
        here = [span for span in own if span.page == page.number]
        if passage.best.kind in TABLE_KINDS:
            added += _table_parts(page, here)
        added += _notes_and_calls(page, here)
    new = [span for span in dict.fromkeys(added) if not any(_holds(each, span) for each in own)]
    return replace(passage, added=tuple(new)) if new else passage


def _table_parts(page: ParsedPage, here: Sequence[Span]) -> Iterator[Span]:
    """Caption and notes of each table that the passage has a part of."""
    for table in page.tables:
        if any(span.start < table.end and table.start < span.end for span in here):
            parts = (*((table.caption,) if table.caption else ()), *table.notes)
            yield from (Span(page.number, start, end) for start, end in parts)


def _notes_and_calls(page: ParsedPage, here: Sequence[Span]) -> Iterator[Span]:
    """The footnotes that the passage calls, and the sentences that call a note of it."""
    notes = {block.start: block for block in page.blocks if block.kind is BlockKind.FOOTNOTE}
    if not notes:
        return
    called = 0
    for start, at in calls(page).items():
        note = notes[start]
        if any(span.start < note.end and note.start < span.end for span in here):
            yield from _sentence_at(page, at)
        elif any(span.start <= at < span.end for span in here) and called < MOST_NOTES:
            called += 1
            yield Span(page.number, note.start, note.end)


def _sentence_at(page: ParsedPage, at: int) -> Iterator[Span]:
    for block in page.blocks:
        if block.start <= at < block.end:
            for start, end in split_sentences(page.text[block.start : block.end]):
                if start <= at - block.start < end:
                    yield Span(page.number, block.start + start, block.start + end)


def _holds(outer: Span, inner: Span) -> bool:
    return outer.page == inner.page and outer.start <= inner.start and inner.end <= outer.end
