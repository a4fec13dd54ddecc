"""Find every place where a folded quote stands: on a page, over a column break, over a page break.

Exact runs only. Every candidate is checked for its signs and for where it begins and ends
(`citations.signs`). Pure.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product

import numpy as np

from citations.normalizing import Normalized, Offsets, normalize
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
from documents.page_text import Block, BlockKind, Boxes, PageState, ParsedPage, Span

Place = tuple[Span, ...]
"""Spans in reading order that together hold the text of one match."""

BETWEEN_PARAGRAPHS = frozenset(
    {BlockKind.MARGIN, BlockKind.FOOTNOTE, BlockKind.CAPTION, BlockKind.TABLE}
)
"""Blocks that may stand in the middle of a sentence that a column or page break cuts."""

MOST_PLACES = 100
LINES_OF_MARGIN = 3
SHORTEST_GAP = 40
RAISED_BOTTOM = 0.12
LOWERED_TOP = 0.15
SMALLER = 0.92
SAME_SIZE_RISE = 0.25


@dataclass(frozen=True, slots=True)
class PageDetail:
    """What a page holds beyond its folded text; loaded only where something was found.

    `aspect` is width divided by height of the displayed page.
    """

    text: str
    starts: Offsets
    blocks: tuple[Block, ...]
    load_boxes: Callable[[], Boxes]
    aspect: float = 0.7


@dataclass(frozen=True)
class SearchablePage:
    """A page ready for locating. `load` is called at most once, and only on a page with a hit."""

    number: int
    state: PageState
    reason: str
    folded: str
    load: Callable[[], PageDetail]

    @classmethod
    def of(cls, page: ParsedPage) -> "SearchablePage":
        normalized = normalize(page.text)
        detail = PageDetail(
            page.text,
            normalized.starts,
            page.blocks,
            lambda: page.boxes,
            page.width / page.height if page.height else 1.0,
        )
        return cls(page.number, page.state, page.reason, normalized.text, lambda: detail)

    @cached_property
    def detail(self) -> PageDetail:
        return self.load()

    @cached_property
    def boxes(self) -> Boxes:
        return self.detail.load_boxes()

    @cached_property
    def marked(self) -> Marked:
        return Marked(self.folded, self.detail.starts, self.detail.text, self.level)

    def level(self, offset: int, reference: int) -> int:
        """1 if the character at `offset` is raised against the one at `reference`, -1 lowered."""
        boxes = self.boxes
        if max(offset, reference) >= len(boxes):
            return 0
        return relative_level(boxes[offset], boxes[reference], self.detail.aspect)

    @cached_property
    def body(self) -> tuple[Span, ...]:
        """The runs of page text between headers, footers, footnotes, captions and tables."""
        runs, at = [], 0
        text = self.detail.text
        for block in sorted(self.detail.blocks, key=lambda block: block.start):
            if block.kind not in BETWEEN_PARAGRAPHS:
                continue
            if text[at : block.start].strip():
                runs.append(Span(self.number, at, block.start))
            at = max(at, block.end)
        if text[at:].strip():
            runs.append(Span(self.number, at, len(text)))
        return tuple(runs)

    def may_be_cut_inside(self, breaks: Iterable[int], entries: Iterable[int]) -> bool:
        """Whether one of these offsets is where a run of the body ends, or begins."""
        if len(self.body) <= 1:
            return False
        ends = any(_no_letters(self._text(at, run.end)) for at in breaks for run in self.body)
        return ends or any(
            _no_letters(self._text(run.start, at)) for at in entries for run in self.body
        )

    def ends_near(self, breaks: Iterable[int]) -> bool:
        """Whether one of these offsets ends a run of the body, or is near the page's foot."""
        text = self.detail.text
        return any(
            _few_lines(text[at:]) or any(_no_letters(self._text(at, run.end)) for run in self.body)
            for at in breaks
        )

    def begins_near(self, entries: Iterable[int]) -> bool:
        """Whether one of these offsets begins a run of the body, or is near the page's head."""
        text = self.detail.text
        return any(
            _few_lines(text[:at])
            or any(_no_letters(self._text(run.start, at)) for run in self.body)
            for at in entries
        )

    def _text(self, start: int, end: int) -> str:
        """The text between two offsets; a letter if they are in the wrong order."""
        return self.detail.text[start:end] if start <= end else "x"


def _no_letters(text: str) -> bool:
    return len(text) < SHORTEST_GAP and not any(map(str.isalnum, text))


def _few_lines(text: str) -> bool:
    return sum(bool(line.strip()) for line in text.split("\n")) <= LINES_OF_MARGIN + 1


def relative_level(box: np.ndarray, reference: np.ndarray, aspect: float) -> int:
    """Compare two neighbours on one line of upright text: raised 1, lowered -1, else 0."""
    x0, y0, x1, y1 = (float(v) for v in box)
    rx0, ry0, rx1, ry1 = (float(v) for v in reference)
    along_x = abs((x0 + x1) - (rx0 + rx1)) * aspect
    along_y = abs((y0 + y1) - (ry0 + ry1))
    if along_y > along_x:
        return 0
    height, reference_height = y1 - y0, ry1 - ry0
    if height <= 0 or reference_height <= 0:
        return 0
    is_smaller = height < SMALLER * reference_height
    tallest = max(height, reference_height)
    rise, drop = (ry1 - y1) / tallest, (y0 - ry0) / tallest
    if min(y1, ry1) - max(y0, ry0) <= 0:
        return 0
    if is_smaller:
        if rise > RAISED_BOTTOM:
            return 1
        return -1 if drop > LOWERED_TOP else 0
    if height > reference_height / SMALLER:
        return 0
    return 1 if rise > SAME_SIZE_RISE else -1 if drop > SAME_SIZE_RISE else 0


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

    def breaks_off(self, page: "SearchablePage") -> Iterator[int]:
        """Offsets in page text where the quote stops short after half of it or more."""
        first, second = self.halves
        for at in _occurrences(first, page.folded):
            if not page.folded.startswith(second, at + len(first)):
                length = _common(self.folded, page.folded[at : at + len(self.folded)])
                yield int(page.detail.starts[at + length - 1]) + 1

    def sets_in(self, page: "SearchablePage") -> Iterator[int]:
        """Offsets in page text where the quote goes on, half of it or more, as if begun before."""
        first, second = self.halves
        for at in _occurrences(second, page.folded) if second else ():
            if not page.folded.endswith(first, 0, at):
                end = at + len(second)
                before = page.folded[max(0, end - len(self.folded)) : end]
                length = _common(self.folded[::-1], before[::-1])
                yield int(page.detail.starts[end - length])


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
