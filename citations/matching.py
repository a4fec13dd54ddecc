"""Find every place where a folded quote stands: on a page, over a column break, over a page break.

Exact runs only. Every candidate is checked for its signs and for where it begins and ends
(`citations.signs`). Pure.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, product

import numpy as np

from citations.normalizing import Normalized, normalize
from citations.searchable_page import LINES_OF_MARGIN, SearchablePage, Stretch
from citations.signs import (
    LevelOf,
    Marked,
    begins_cleanly,
    begins_with_sign,
    ends_cleanly,
    outer_sign_after,
    outer_sign_before,
    same_signs,
)
from documents.page_text import Span

Place = tuple[Span, ...]
"""Spans in reading order that together hold the text of one match."""

MOST_PLACES = 100


class Needle:
    """A quote folded once, with the signs that it demands."""

    def __init__(self, quote: str) -> None:
        normalized = normalize(quote)
        self.folded = normalized.text
        self.marked = Marked(normalized.text, normalized.starts, quote)
        self.signs = [self.marked.sign(index) for index in range(len(self.folded))]
        self.before = outer_sign_before(self.marked) if self.folded else ""
        self.after = outer_sign_after(self.marked) if self.folded else ""
        half = (len(self.folded) + 1) // 2
        self.halves = (self.folded[:half], self.folded[half:])

    def stands_at(self, page: Marked, at: int) -> bool:
        end = at + len(self.folded)
        if self.before:
            if not begins_with_sign(page, at, self.before):
                return False
        elif not begins_cleanly(page, at):
            return False
        if self.after:
            if not page.sign(end).startswith(self.after):
                return False
        elif not ends_cleanly(page, end):
            return False
        return same_signs(page, at, self.signs)

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
        for at in _occurrences(first, page.folded):
            if not page.folded.startswith(second, at + len(first)):
                length = _common(self.folded, page.folded[at : at + len(self.folded)])
                starts = page.detail.starts
                yield int(starts[at + len(first) - 1]) + 1, int(starts[at + length - 1]) + 1

    def sets_in(self, page: SearchablePage) -> Iterator[Stretch]:
        """Where in page text the quote, half of it or more, may go on after a break before it."""
        first, second = self.halves
        for at in _occurrences(second, page.folded) if second else ():
            if not page.folded.endswith(first, 0, at):
                end = at + len(second)
                before = page.folded[max(0, end - len(self.folded)) : end]
                length = _common(self.folded[::-1], before[::-1])
                yield int(page.detail.starts[end - length]), int(page.detail.starts[at])


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
        self.marked = Marked(normalized.text, normalized.starts, self.text, self._level_of())

    def _level_of(self) -> LevelOf:
        def level(offset: int, reference: int) -> int:
            (page, at), (other, beside) = self._origin(offset), self._origin(reference)
            return page.level(at, beside) if page is other else 0

        return level

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
    if needle.folded in page.folded:
        folded = Normalized(page.folded, page.detail.starts)
        for at in needle.offsets_in(page.marked):
            start, end = folded.source(at, at + len(needle.folded), page.detail.text)
            yield (Span(page.number, start, end),)
    if page.may_be_cut_inside(needle.breaks_off(page), needle.sets_in(page)):
        yield from Strand(page.body, {page.number: page}).places(needle)


def places_over_break(
    needle: Needle, page: SearchablePage, following: SearchablePage
) -> list[Place]:
    """Places that begin on `page` and end on `following`.

    Headers, footers and footnotes between are skipped where the parser knew them, else up to
    three lines at the foot of one page and at the head of the other.
    """
    if not (page.folded and following.folded):
        return []
    breaks, entries = list(needle.breaks_off(page)), list(needle.sets_in(following))
    if not (page.ends_near(breaks) or following.begins_near(entries)):
        return []
    pages = {page.number: page, following.number: following}
    found = list(_crossing(Strand((*page.body, *following.body), pages).places(needle)))
    if found or not (page.body and following.body):
        return found
    tails = _without_lines(page, at_foot=True)
    heads = _without_lines(following, at_foot=False)
    for tail, head in product(tails, heads):
        found = list(_crossing(Strand((tail, head), pages).places(needle)))
        if found:
            return found
    return []


def _crossing(places: Iterable[Place]) -> Iterator[Place]:
    return (place for place in places if len({span.page for span in place}) > 1)


def _without_lines(page: SearchablePage, *, at_foot: bool) -> list[Span]:
    """The outermost run of a page's body, whole and with up to three lines taken off."""
    run = page.body[-1] if at_foot else page.body[0]
    text = page.detail.text[run.start : run.end]
    runs = [run]
    for _ in range(LINES_OF_MARGIN):
        stripped = text.rstrip("\n") if at_foot else text.lstrip("\n")
        cut = stripped.rfind("\n") if at_foot else stripped.find("\n")
        if cut < 0:
            break
        text = stripped[:cut] if at_foot else stripped[cut + 1 :]
        if at_foot:
            runs.append(Span(run.page, run.start, run.start + len(text)))
        else:
            runs.append(Span(run.page, run.end - len(text), run.end))
    return runs
