"""What chunks are made of: runs of page text with their size in tokens. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from documents.chunks.token_estimate import estimate_tokens
from documents.pages.page_text import Span

TARGET_TOKENS = 290
MOST_TOKENS = 330
"""By the estimate; the tokenizer's own count is mostly lower, seldom 1.2 times as high: about 256,
never over 400.
"""


@dataclass(frozen=True, slots=True)
class Unit:
    """What is not cut further: a sentence, a row of a table, a reference."""

    spans: tuple[Span, ...]
    tokens: int
    opens_paragraph: bool = False


def unit_of(spans: Iterable[Span], texts: Mapping[int, str]) -> Unit:
    """One unit of `spans`; `texts` are those of the pages."""
    kept = tuple(spans)
    return Unit(kept, sum(estimate_tokens(words_of(span, texts)) for span in kept))


def words_of(span: Span, texts: Mapping[int, str]) -> str:
    return texts[span.page][span.start : span.end]


def size_of(group: Sequence[Unit]) -> int:
    return sum(unit.tokens for unit in group)


def lines_in(text: str) -> Iterator[tuple[int, int]]:
    return ((line.start(), line.end()) for line in re.finditer(r"[^\n]+", text))


def within_limit(
    text: str, start: int, end: int, *, most: int = MOST_TOKENS, target: int = TARGET_TOKENS
) -> Iterator[tuple[int, int]]:
    """`[start, end)` cut where a line, else a word, else a character ends.

    Pieces have at most `most` tokens, those before the last at most `target`.
    """
    while estimate_tokens(text[start:end]) > most:
        cut = fitting(text, start, end, target)
        yield start, cut
        start = cut + len(text[cut:end]) - len(text[cut:end].lstrip())
    if start < end:
        yield start, end


def fitting(text: str, start: int, end: int, most: int) -> int:
    """The best end of a piece that begins at `start` and has at most `most` tokens."""
    low, high = start + 1, end
    while low < high:
        middle = (low + high + 1) // 2
        fits = estimate_tokens(text[start:middle]) <= most
        low, high = (middle, high) if fits else (low, middle - 1)
    if low == end:
        return end
    for mark in ("\n", " "):
        if (cut := text.rfind(mark, start + (low - start) // 2, low)) > start:
            return cut
    return low


def merged_spans(spans: Iterable[Span], texts: Mapping[int, str]) -> tuple[Span, ...]:
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
