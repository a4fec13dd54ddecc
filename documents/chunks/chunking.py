"""From pages to chunks: along sections, paragraphs and sentences. Pure."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from documents.chunks.chunk_heads import table_head
from documents.chunks.sentences import split_sentences
from documents.chunks.token_estimate import estimate_tokens
from documents.pages.calling_sentences import calling_sentences
from documents.pages.page_text import ChunkSpans, ParsedPage, Span
from documents.pages.paragraphs import Paragraph, paragraphs, stretches

TARGET_TOKENS = 290
MOST_TOKENS = 330
"""By the estimate; the tokenizer's own count is mostly lower, seldom 1.2 times as high: about 256,
never over 400.
"""
FEWEST_TOKENS = 96
"""A chunk smaller than this joins its neighbour where the section allows it."""
LONGEST_HEADER = 90
"""Tokens of what may stand at the head of a chunk: a caption, a header line, the calling sentence
of a footnote."""


@dataclass(frozen=True, slots=True)
class _Unit:
    """What is never cut further: a sentence, a table line, a reference."""

    spans: tuple[Span, ...]
    tokens: int
    opens_paragraph: bool = False


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
    placed: list[tuple[Span, ChunkSpans]] = []
    for stretch in stretches(flow, alone=called.keys()):
        first = stretch[0]
        groups = _pack(_units(stretch))
        section = first.section
        if first.kind == "table":
            head = table_head(first, by_number[first.spans[0].page])
            groups = _with_leading(groups, [_unit((part,), texts[part.page]) for part in head])
        elif first.spans[0] in called:
            call = called[first.spans[0]]
            section = call.section
            groups = _with_leading(groups, [_unit((call.span,), texts[call.span.page])])
        own = first.spans[0]
        for group in groups:
            spans = _merged((span for unit in group for span in unit.spans), texts)
            placed.append((own, ChunkSpans(spans, section, first.kind, _size(group))))
    # A footnote stands where it stands, not where it is called.
    return [chunk for _, chunk in sorted(placed, key=lambda each: _place(*each))]


def _place(own: Span, chunk: ChunkSpans) -> tuple[int, int]:
    first = own if chunk.kind == "footnote" else chunk.spans[0]
    return first.page, first.start


def _units(stretch: list[Paragraph]) -> list[_Unit]:
    units: list[_Unit] = []
    for paragraph in stretch:
        cuts = _pieces(paragraph)
        for number, (start, end) in enumerate(cuts):
            spans = tuple(_clip(paragraph.spans, start, end))
            tokens = estimate_tokens(paragraph.text[start:end])
            units.append(_Unit(spans, tokens, opens_paragraph=number == 0))
    return units


def _pieces(paragraph: Paragraph) -> Iterator[tuple[int, int]]:
    """Offsets in the paragraph's text: whole references, table lines, else sentences."""
    text = paragraph.text
    if paragraph.kind == "reference" and estimate_tokens(text) <= TARGET_TOKENS:
        ranges = [(0, len(text))]
    elif paragraph.kind == "table":
        ranges = [(line.start(), line.end()) for line in re.finditer(r"[^\n]+", text)]
    else:
        ranges = split_sentences(text)
    for start, end in ranges:
        yield from _within_limit(text, start, end)


def _within_limit(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """`[start, end)` cut where a line, else a word, else a character ends, to fit one chunk."""
    while estimate_tokens(text[start:end]) > MOST_TOKENS:
        cut = _fitting(text, start, end)
        yield start, cut
        start = cut + len(text[cut:end]) - len(text[cut:end].lstrip())
    if start < end:
        yield start, end


def _fitting(text: str, start: int, end: int) -> int:
    """The best end of a piece that begins at `start` and has at most `TARGET_TOKENS`."""
    low, high = start + 1, end
    while low < high:
        middle = (low + high + 1) // 2
        fits = estimate_tokens(text[start:middle]) <= TARGET_TOKENS
        low, high = (middle, high) if fits else (low, middle - 1)
    for mark in ("\n", " "):
        if (cut := text.rfind(mark, start + (low - start) // 2, low)) > start:
            return cut
    return low


def _clip(spans: tuple[Span, ...], start: int, end: int) -> Iterator[Span]:
    """The part `[start, end)` of spans whose texts are joined by one line feed."""
    offset = 0
    for span in spans:
        length = span.end - span.start
        low, high = max(start - offset, 0), min(end - offset, length)
        if low < high:
            yield Span(span.page, span.start + low, span.start + high)
        offset += length + 1


def _pack(units: list[_Unit]) -> list[list[_Unit]]:
    """Consecutive units to about the target, breaking between paragraphs where that is near."""
    groups: list[list[_Unit]] = []
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


def _paragraph_tokens(units: list[_Unit]) -> list[int]:
    """For each unit, the tokens from it to the end of its paragraph."""
    left: list[int] = []
    total = 0
    for unit in reversed(units):
        total += unit.tokens
        left.append(total)
        if unit.opens_paragraph:
            total = 0
    return left[::-1]


def _without_crumb(groups: list[list[_Unit]]) -> list[list[_Unit]]:
    """A small last group joins the one before it if both fit one chunk, else they share evenly."""
    if len(groups) < 2:
        return groups
    *head, before, last = groups
    if _size(last) >= TARGET_TOKENS // 2:
        return groups
    both = before + last
    if _size(both) <= MOST_TOKENS:
        return [*head, both] if _size(last) < FEWEST_TOKENS else groups
    cuts = range(1, len(both))
    even = min(cuts, key=lambda cut: (abs(_size(both[:cut]) - _size(both[cut:])), cut))
    shared = [both[:even], both[even:]]
    return [*head, *shared] if max(map(_size, shared)) <= MOST_TOKENS else groups


def _with_leading(groups: list[list[_Unit]], leading: list[_Unit]) -> list[list[_Unit]]:
    """Each group with the `leading` units before it that it lacks and has room for."""
    led: list[list[_Unit]] = []
    for group in groups:
        held = {unit.spans for unit in group}
        room = MOST_TOKENS - _size(group)
        before: list[_Unit] = []
        for unit in leading:
            if unit.spans not in held and unit.tokens <= min(room, LONGEST_HEADER):
                before.append(unit)
                room -= unit.tokens
        led.append([*before, *group])
    return led


def _unit(spans: tuple[Span, ...], page_text: str) -> _Unit:
    return _Unit(spans, sum(estimate_tokens(page_text[s.start : s.end]) for s in spans))


def _size(group: list[_Unit]) -> int:
    return sum(unit.tokens for unit in group)


def _merged(spans: Iterable[Span], texts: dict[int, str]) -> tuple[Span, ...]:
    """Spans with neighbours on one page made one where only white space parts them."""
    merged: list[Span] = []
    for page, group in groupby(spans, key=lambda span: span.page):
        for span in group:
            last = merged[-1] if merged else None
            follows = last and last.page == page and last.end <= span.start
            if last and follows and not texts[page][last.end : span.start].strip():
                merged[-1] = Span(page, last.start, span.end)
            else:
                merged.append(span)
    return tuple(merged)
