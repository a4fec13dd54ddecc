"""From pages to chunks: along sections, paragraphs and sentences. Pure."""

from collections.abc import Iterator, Sequence

from documents.chunks.chunk_text import spans_within
from documents.chunks.sentences import split_sentences
from documents.chunks.table_chunks import table_chunks
from documents.chunks.token_estimate import estimate_tokens
from documents.chunks.units import (
    MOST_TOKENS,
    TARGET_TOKENS,
    Unit,
    merged_spans,
    size_of,
    unit_of,
    within_limit,
)
from documents.pages.calling_sentences import calling_sentences
from documents.pages.page_text import ChunkSpans, ParsedPage, Span
from documents.pages.paragraphs import Paragraph, paragraphs, stretches

FEWEST_TOKENS = 96
"""A chunk smaller than this joins its neighbour where the section allows it."""
LONGEST_CALL = 90
"""Tokens of a sentence that may stand at the head of the footnotes that it calls."""


def chunk_pages(pages: Sequence[ParsedPage]) -> list[ChunkSpans]:
    """Cut `pages` into chunks of about `TARGET_TOKENS`, never above `MOST_TOKENS`, in order.

    A footnote whose call was found stands behind the sentence that calls it, in that sentence's
    section. No chunk leaves its section. Running heads are left out, headings are in the section
    path. Kinds: front_matter, abstract, text, table, caption, footnote, reference.
    """
    by_number = {page.number: page for page in pages}
    texts = {page.number: page.text for page in pages}
    flow = list(paragraphs(pages))
    called = calling_sentences(pages, flow)
    tables = [paragraph for paragraph in flow if paragraph.kind == "table"]
    placed = list(table_chunks(tables, by_number))
    for stretch in stretches(flow, alone=called.keys()):
        first = stretch[0]
        if first.kind == "table":
            continue
        groups = _pack(_units(stretch))
        section = first.section
        if first.spans[0] in called:
            call = called[first.spans[0]]
            section = call.section
            groups = _with_call(groups, unit_of((call.span,), texts))
        for group in groups:
            spans = merged_spans((span for unit in group for span in unit.spans), texts)
            placed.append((first.spans[0], ChunkSpans(spans, section, first.kind, size_of(group))))
    # A footnote stands where it stands, not where it is called; a table not where its head is.
    return [chunk for _, chunk in sorted(placed, key=lambda each: _place(*each))]


def _place(own: Span, chunk: ChunkSpans) -> tuple[int, int]:
    first = own if chunk.kind in ("footnote", "table") else chunk.spans[0]
    return first.page, first.start


def _units(stretch: list[Paragraph]) -> list[Unit]:
    units: list[Unit] = []
    for paragraph in stretch:
        cuts = _pieces(paragraph)
        for number, (start, end) in enumerate(cuts):
            spans = tuple(spans_within(paragraph.spans, start, end))
            tokens = estimate_tokens(paragraph.text[start:end])
            units.append(Unit(spans, tokens, opens_paragraph=number == 0))
    return units


def _pieces(paragraph: Paragraph) -> Iterator[tuple[int, int]]:
    """Offsets in the paragraph's text: whole references, else sentences."""
    text = paragraph.text
    if paragraph.kind == "reference" and estimate_tokens(text) <= TARGET_TOKENS:
        ranges = [(0, len(text))]
    else:
        ranges = split_sentences(text)
    for start, end in ranges:
        yield from within_limit(text, start, end)


def _pack(units: list[Unit]) -> list[list[Unit]]:
    """Consecutive units to about the target, breaking between paragraphs where that is near."""
    groups: list[list[Unit]] = []
    size = 0
    for unit, rest in zip(units, _paragraph_tokens(units), strict=True):
        full = size + unit.tokens > (TARGET_TOKENS if size >= FEWEST_TOKENS else MOST_TOKENS)
        early = unit.opens_paragraph and size >= TARGET_TOKENS // 2 and size + rest > TARGET_TOKENS
        if not groups or full or early:
            groups.append([])
            size = 0
        groups[-1].append(unit)
        size += unit.tokens
    return _without_crumb(groups)


def _paragraph_tokens(units: list[Unit]) -> list[int]:
    """For each unit, the tokens from it to the end of its paragraph."""
    left: list[int] = []
    total = 0
    for unit in reversed(units):
        total += unit.tokens
        left.append(total)
        if unit.opens_paragraph:
            total = 0
    return left[::-1]


def _without_crumb(groups: list[list[Unit]]) -> list[list[Unit]]:
    """A small last group joins the one before it if both fit one chunk, else they share evenly."""
    if len(groups) < 2:
        return groups
    *head, before, last = groups
    if size_of(last) >= TARGET_TOKENS // 2:
        return groups
    both = before + last
    if size_of(both) <= MOST_TOKENS:
        return [*head, both] if size_of(last) < FEWEST_TOKENS else groups
    cuts = range(1, len(both))
    even = min(cuts, key=lambda cut: (abs(size_of(both[:cut]) - size_of(both[cut:])), cut))
    shared = [both[:even], both[even:]]
    return [*head, *shared] if max(map(size_of, shared)) <= MOST_TOKENS else groups


def _with_call(groups: list[list[Unit]], call: Unit) -> list[list[Unit]]:
    """Each group of a footnote behind the sentence that calls it, where it has room for it."""
    room = MOST_TOKENS - call.tokens
    is_short = call.tokens <= LONGEST_CALL
    return [[call, *group] if is_short and size_of(group) <= room else group for group in groups]
