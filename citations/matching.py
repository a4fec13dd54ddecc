"""Find every place where a folded quote stands: on a page, over a column break, over a page break.

Exact runs only. Every candidate is checked for its signs and for where it begins and ends
(`citations.signs`, `citations.borders`). Pure.
"""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

import numpy as np

from citations.borders import may_begin, may_end
from citations.furniture import body_without_furniture
from citations.normalizing import Normalized, normalize
from citations.outer_signs import (
    outer_sign_after,
    outer_sign_before,
    same_before_bracket,
    same_unit_before,
)
from citations.searchable_page import SearchablePage, Stretch
from citations.signs import (
    Marked,
    inner_signs,
    same_signs,
)
from citations.units import has_units_at, units_in
from documents.pages.page_text import Span

Place = tuple[Span, ...]
"""Spans in reading order that together hold the text of one match."""

MOST_PLACES = 100
PAGE_BORDER = "\0"
"""Stands in no folded text."""


class Needle:
    """A quote folded once, with the signs that it demands."""

    def __init__(self, quote: str) -> None:
        normalized = normalize(quote)
        self.folded = normalized.text
        self.marked = Marked(normalized.text, normalized.starts, quote)
        self.signs = inner_signs(self.marked, 0, len(self.folded)) if self.folded else {}
        self.before = outer_sign_before(self.marked) if self.folded else ""
        self.after = outer_sign_after(self.marked) if self.folded else ""
        self.units = list(units_in(self.marked))
        half = (len(self.folded) + 1) // 2
        self.halves = (self.folded[:half], self.folded[half:])
        self._halves_on: dict[SearchablePage, tuple[list[int], list[int]]] = {}

    def stands_at(self, page: Marked, at: int) -> bool:
        return (
            may_begin(page, at, self.before)
            and may_end(page, at + len(self.folded), self.after)
            and same_unit_before(self.marked, page, at)
            and same_before_bracket(self.marked, page, at + len(self.folded))
            and same_signs(page, at, len(self.folded), self.signs)
            and has_units_at(page, at, self.units)
        )

    def offsets_in(self, page: Marked) -> Iterator[int]:
        """Every folded offset at which the quote stands."""
        at = page.folded.find(self.folded)
        while at >= 0:
            if self.stands_at(page, at):
                yield at
            at = page.folded.find(self.folded, at + 1)

    def breaks_off(self, page: SearchablePage) -> Iterator[Stretch]:
        """Where in page text the quote, half of it or more, may stop short: from there to there.

        The last letters may agree with what follows by chance.
        """
        first, second = self.halves
        for at in self._halves_in(page)[0]:
            if not page.folded.startswith(second, at + len(first)):
                length = _common(self.folded, page.folded[at : at + len(self.folded)])
                starts = page.detail.starts
                yield int(starts[at + len(first) - 1]) + 1, int(starts[at + length - 1]) + 1

    def sets_in(self, page: SearchablePage) -> Iterator[Stretch]:
        """Where in page text the quote, half of it or more, may go on after a break before it."""
        first, second = self.halves
        for at in self._halves_in(page)[1]:
            if not page.folded.endswith(first, 0, at):
                end = at + len(second)
                before = page.folded[max(0, end - len(self.folded)) : end]
                length = _common(self.folded[::-1], before[::-1])
                yield int(page.detail.starts[end - length]), int(page.detail.starts[at])

    def pages_with_halves(self, pages: Sequence[SearchablePage]) -> tuple[set[int], set[int]]:
        """Indexes of the pages that hold the first half of the quote, and the second half."""
        joined = PAGE_BORDER.join(page.folded for page in pages)
        ends = list(accumulate(len(page.folded) + 1 for page in pages))
        first, second = (_page_indexes(half, joined, ends) for half in self.halves)
        return first, second

    def stands_whole_in(self, page: SearchablePage) -> bool:
        """Whether the folded quote is there, its signs not yet looked at."""
        first, second = self.halves
        return any(
            page.folded.startswith(second, at + len(first)) for at in self._halves_in(page)[0]
        )

    def _halves_in(self, page: SearchablePage) -> tuple[list[int], list[int]]:
        """Where each half of the quote stands in the folded page."""
        if page not in self._halves_on:
            first, second = self.halves
            self._halves_on[page] = (
                list(_occurrences(first, page.folded)),
                list(_occurrences(second, page.folded)) if second else [],
            )
        return self._halves_on[page]


def _common(one: str, other: str) -> int:
    """How many characters both begin with alike."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one.startswith(other[:middle]):
            low = middle
        else:
            high = middle - 1
    return low


def _page_indexes(part: str, joined: str, ends: Sequence[int]) -> set[int]:
    """Which pages hold `part`, of the pages that end at `ends` in `joined`."""
    indexes: set[int] = set()
    at = joined.find(part) if part else -1
    while at >= 0:
        index = bisect_right(ends, at)
        indexes.add(index)
        at = joined.find(part, ends[index])
    return indexes


def _occurrences(part: str, folded: str) -> Iterator[int]:
    at = folded.find(part)
    while at >= 0:
        yield at
        at = folded.find(part, at + 1)


class Strand:
    """Runs of page text read as one text, over a break: matches come back as spans of pages."""

    def __init__(self, runs: Sequence[Span], pages: dict[int, SearchablePage]) -> None:
        self.runs = runs
        self.pages = pages
        pieces = [pages[run.page].detail.text[run.start : run.end] for run in runs]
        self.text = "\n".join(pieces)
        self.begins = np.cumsum([0, *(len(piece) + 1 for piece in pieces)])
        normalized: Normalized = normalize(self.text)
        self.marked = Marked(
            normalized.text, normalized.starts, self.text, self._level, self._apart
        )

    def _level(self, offset: int, reference: int) -> int:
        (page, at), (other, beside) = self._origin(offset), self._origin(reference)
        return page.level(at, beside) if page is other else 0

    def _apart(self, offset: int, reference: int) -> bool:
        (page, at), (other, beside) = self._origin(offset), self._origin(reference)
        return page.apart(at, beside) if page is other else True

    def _origin(self, offset: int) -> tuple[SearchablePage, int]:
        index = int(np.searchsorted(self.begins, offset, side="right")) - 1
        run = self.runs[index]
        return self.pages[run.page], run.start + offset - int(self.begins[index])

    def places(self, needle: Needle) -> Iterator[Place]:
        """Places that cross a seam; one run alone is found on its own page."""
        folded = Normalized(self.marked.folded, self.marked.starts)
        for at in needle.offsets_in(self.marked):
            start, end = folded.source(at, at + len(needle.folded), self.text)
            place = tuple(self._spans(start, end))
            if len(place) > 1:
                yield place

    def _spans(self, start: int, end: int) -> Iterator[Span]:
        for run, (begin, after) in zip(self.runs, pairwise(self.begins.tolist()), strict=True):
            first, last = max(start, begin), min(end, after - 1)
            if first < last and self.text[first:last].strip():
                yield Span(run.page, run.start + first - begin, run.start + last - begin)


def places_on_page(needle: Needle, page: SearchablePage) -> Iterator[Place]:
    """Places inside one page: contiguous, or over a column break with other blocks between."""
    if needle.stands_whole_in(page):
        folded = Normalized(page.folded, page.detail.starts)
        for at in needle.offsets_in(page.marked):
            start, end = folded.source(at, at + len(needle.folded), page.detail.text)
            yield (Span(page.number, start, end),)
    if page.may_be_cut_inside(needle.breaks_off(page), needle.sets_in(page)):
        yield from Strand(page.body, {page.number: page}).places(needle)


def places_over_break(
    needle: Needle,
    page: SearchablePage,
    following: SearchablePage,
    pages: Sequence[SearchablePage],
) -> list[Place]:
    """Places that begin on `page` and end on `following`.

    Between them only headers, footers, footnotes, captions and tables are skipped that the parser
    marked, and lines that prove to be furniture beside the other `pages`. Text never is.
    """
    if not (page.folded and following.folded):
        return []
    breaks, entries = list(needle.breaks_off(page)), list(needle.sets_in(following))
    if not (breaks or entries):
        return []
    if not (page.ends_near(breaks) or following.begins_near(entries)):
        return []
    both = {page.number: page, following.number: following}
    readings = dict.fromkeys(
        (
            (*page.body, *following.body),
            (
                *body_without_furniture(page, pages, at_foot=True),
                *body_without_furniture(following, pages, at_foot=False),
            ),
        )
    )
    found = (place for runs in readings for place in Strand(runs, both).places(needle))
    return list(dict.fromkeys(place for place in found if len({s.page for s in place}) > 1))
