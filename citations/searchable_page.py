"""A page ready for locating: its folded text at once, everything else only where needed. Pure."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from citations.normalizing import Offsets, normalize
from citations.signs import Marked
from documents.pages.geometry import PackedBoxes
from documents.pages.page_text import Block, BlockKind, Boxes, PageState, ParsedPage, Span

Box = np.ndarray | tuple[float, float, float, float]
Stretch = tuple[int, int]
"""Two offsets in page text, both possible."""

BETWEEN_PARAGRAPHS = frozenset(
    {BlockKind.MARGIN, BlockKind.FOOTNOTE, BlockKind.CAPTION, BlockKind.TABLE}
)
"""Blocks that may stand in the middle of a sentence that a column or page break cuts."""

LINES_OF_MARGIN = 3
SHORTEST_GAP = 40
RAISED_BOTTOM = 0.12
LOWERED_TOP = 0.15
SMALLER = 0.92
SAME_SIZE_RISE = 0.25
WIDEST_GROUPING = 0.6
"""Of a digit's height: a space inside a number is narrower, also on a justified line."""


@dataclass(frozen=True, slots=True)
class PageDetail:
    """What a page holds beyond its folded text; loaded only where something was found.

    `aspect` is width divided by height of the displayed page.
    """

    text: str
    starts: Offsets
    blocks: tuple[Block, ...]
    load_boxes: Callable[[], Boxes | PackedBoxes]
    aspect: float = 0.7


@dataclass(frozen=True, eq=False)
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
    def boxes(self) -> Boxes | PackedBoxes:
        return self.detail.load_boxes()

    @cached_property
    def marked(self) -> Marked:
        return Marked(self.folded, self.detail.starts, self.detail.text, self.level, self.apart)

    def apart(self, offset: int, reference: int) -> bool:
        """Whether two digits that white space parts stand too far apart to be one number."""
        both = _two_of(self.boxes, offset, reference)
        return are_apart(*both, self.detail.aspect) if both else False

    def stands_beside(self, offset: int, reference: int) -> bool:
        """Whether two characters share a line, or a column of turned text, and not one place."""
        both = _two_of(self.boxes, offset, reference)
        if both is None:
            return False
        least, most = sorted(_overlaps(*both))
        return least < 0.3 and most > 0.8

    def level(self, offset: int, reference: int) -> int:
        """1 if the character at `offset` is raised against the one at `reference`, -1 lowered."""
        return level_on(self.boxes, self.detail.aspect, offset, reference)

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

    def may_be_cut_inside(self, breaks: Iterable[Stretch], entries: Iterable[Stretch]) -> bool:
        """Whether a run of the body ends, or begins, in one of these stretches."""
        ends, begins = list(breaks), list(entries)
        if not (ends or begins) or len(self.body) <= 1:
            return False
        return any(map(self._ends_a_run, ends)) or any(map(self._begins_a_run, begins))

    def ends_near(self, breaks: Iterable[Stretch]) -> bool:
        """Whether one of these stretches holds the end of a run, or is near the page's foot."""
        text = self.detail.text
        return any(self._ends_a_run(each) or _few_lines(text[each[1] :]) for each in breaks)

    def begins_near(self, entries: Iterable[Stretch]) -> bool:
        """Whether one of these stretches holds the start of a run, or is near the page's head."""
        text = self.detail.text
        return any(self._begins_a_run(each) or _few_lines(text[: each[0]]) for each in entries)

    def _ends_a_run(self, stretch: Stretch) -> bool:
        low, high = stretch
        text = self.detail.text
        return any(
            low <= run.end and (run.end <= high or _no_letters(text[high : run.end]))
            for run in self.body
        )

    def _begins_a_run(self, stretch: Stretch) -> bool:
        low, high = stretch
        text = self.detail.text
        return any(
            run.start <= high and (run.start >= low or _no_letters(text[run.start : low]))
            for run in self.body
        )


def _no_letters(text: str) -> bool:
    return len(text) < SHORTEST_GAP and not any(map(str.isalnum, text))


def _few_lines(text: str) -> bool:
    return sum(bool(line.strip()) for line in text.split("\n")) <= LINES_OF_MARGIN + 1


def level_on(boxes: Boxes | PackedBoxes, aspect: float, offset: int, reference: int) -> int:
    """1 if one character of a page is raised against another, -1 lowered, 0 level or not known."""
    both = _two_of(boxes, offset, reference)
    return relative_level(*both, aspect) if both else 0


def _two_of(boxes: Boxes | PackedBoxes, offset: int, reference: int) -> tuple[Box, Box] | None:
    """The boxes of two characters, if the page has both."""
    if max(offset, reference) >= len(boxes):
        return None
    rows = boxes.row if isinstance(boxes, PackedBoxes) else boxes.__getitem__
    return rows(offset), rows(reference)


def relative_level(box: Box, reference: Box, aspect: float) -> int:
    """Compare two neighbours of one line, whichever way it runs: raised 1, lowered -1, else 0."""
    seen, beside = _seen_upright(box, reference, aspect)
    _, y0, _, y1 = seen
    _, ry0, _, ry1 = beside
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


def _overlaps(box: Box, reference: Box) -> tuple[float, float]:
    """How much of the smaller one the other covers, across and down."""
    across, down = (
        (min(box[at + 2], reference[at + 2]) - max(box[at], reference[at]))
        / max(1e-9, min(box[at + 2] - box[at], reference[at + 2] - reference[at]))
        for at in (0, 1)
    )
    return float(across), float(down)


def are_apart(box: Box, reference: Box, aspect: float) -> bool:
    """Whether an upright digit can't go on with the one before it.

    On one line the space between them is wider than one that groups digits; on another one it does
    not begin further left, as the rest of a number would that a line end breaks.
    """
    x0, y0, x1, y1 = (float(v) for v in box)
    rx0, ry0, rx1, ry1 = (float(v) for v in reference)
    height = min(y1 - y0, ry1 - ry0)
    if height <= 0 or max(x1 - x0, rx1 - rx0) * aspect >= height:
        return False
    if min(y1, ry1) - max(y0, ry0) > 0.5 * height:
        return (x0 - rx1) * aspect > WIDEST_GROUPING * height
    return x1 > rx0


def _seen_upright(box: Box, reference: Box, aspect: float) -> tuple[list[float], list[float]]:
    """Both boxes in a frame where their line runs to the right.

    A line that runs up the page is told from one that runs down by nothing here: raised and
    lowered may be swapped on turned text, but a raised digit is never level.
    """
    one, other = [float(v) for v in box], [float(v) for v in reference]
    along_x = abs((one[0] + one[2]) - (other[0] + other[2])) * aspect
    along_y = abs((one[1] + one[3]) - (other[1] + other[3]))
    if along_y <= along_x:
        return one, other
    return [one[1], one[0], one[3], one[2]], [other[1], other[0], other[3], other[2]]
