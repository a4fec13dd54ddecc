"""Running heads and feet, told by their coming back on the neighbouring pages. Pure."""

import re
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from documents.pages.page_text import Block, BlockKind, ParsedPage

REACH = 2
"""Pages before and after that are looked at: left and right pages may differ."""
ZONE = 0.16
"""Share of the page height, above and below, where a repeated block counts as a running head."""
SAME_HEIGHT = 0.01
"""Running heads stand at one height, within this share of the page height."""
MOST_CHARACTERS = 220
SENTENCE = 160
SHORTEST = 4
"""Letters, below which nothing in the margin is text."""

_FURNITURE = re.compile(
    r"\bdoi\b|https?:|www\.|©|copyright|\bissn\b|\bvol(?:ume|\.)|\barxiv\b|creative commons"
    r"|all rights reserved|downloaded|\bpage \d|printed|license|^\W*(?:19|20)\d\d\W*$",
    re.IGNORECASE,
)
_NOTE = re.compile(r"^(?:\d{1,3}|[*†‡§¶∗#]|[①-⑳])\s*[^\s\d.,)\]]")
_NUMBERS = re.compile(r"[\d０-９]+|\b[ivxlc]+\b")


def with_margins(pages: Iterable[ParsedPage]) -> Iterator[ParsedPage]:
    """The pages in order, repeated heads and feet marked; each comes `REACH` pages late."""
    window: deque[ParsedPage] = deque()
    behind = 0
    for page in pages:
        window.append(page)
        if len(window) - behind > REACH:
            yield _marked(window, behind)
            behind += 1
        if behind > REACH:
            window.popleft()
            behind -= 1
    for index in range(behind, len(window)):
        yield _marked(window, index)


def _marked(window: deque[ParsedPage], index: int) -> ParsedPage:
    page = window[index]
    if not page.blocks:
        return page
    neighbours = [
        window[other]
        for other in range(max(0, index - REACH), min(len(window), index + REACH + 1))
        if other != index
    ]
    theirs = [edge for neighbour in neighbours for edge in _edges(neighbour)]
    mine = {edge.start: edge for edge in _edges(page)}
    repeated = {start for start, edge in mine.items() if _is_again(page, edge, theirs)}
    foot = [mine[start] for start in repeated if _is_foot(page, mine[start])]
    beyond = {start for start, edge in mine.items() if any(map(edge.is_below, foot))}
    blocks = tuple(
        _judged(block, page, again=block.start in repeated | beyond, alone=not neighbours)
        for block in page.blocks
    )
    return replace(page, blocks=blocks)


@dataclass(frozen=True, slots=True)
class _Edge:
    """A short block at the upper or lower edge: its words without numbers, and where it stands."""

    start: int
    end: int
    words: str
    x0: float
    y0: float
    x1: float
    y1: float

    def is_below(self, foot: "_Edge") -> bool:
        return self.y0 >= foot.y1 - SAME_HEIGHT and self.x0 < foot.x1 and foot.x0 < self.x1


def _is_again(page: ParsedPage, edge: _Edge, theirs: Sequence[_Edge]) -> bool:
    """Whether the same words stand at the same height: what moves about is text, unless it is what
    the journal prints on all pages, lower on the first one."""
    heights = [other.y0 for other in theirs if other.words == edge.words]
    if heights and page.number == 1 and _FURNITURE.search(page.text[edge.start : edge.end]):
        return True
    return any(abs(edge.y0 - height) < SAME_HEIGHT for height in heights)


def _is_foot(page: ParsedPage, edge: _Edge) -> bool:
    """Whether it is the number of the page at its foot: nothing of the text stands below it."""
    text = page.text[edge.start : edge.end]
    return edge.y0 > 1 - ZONE and "#" in edge.words and _is_counting(text)


def _judged(block: Block, page: ParsedPage, *, again: bool, alone: bool) -> Block:
    if again:
        return replace(block, kind=BlockKind.MARGIN, level=0)
    if block.kind is not BlockKind.MARGIN or alone:
        return block
    text = page.text[block.start : block.end]
    if _is_note(page, block) and " " in text.strip():
        return replace(block, kind=BlockKind.FOOTNOTE)
    if page.number == 1 and len(text) <= SENTENCE:
        return block  # the journal's name and the like stand there once
    if _FURNITURE.search(text) or _is_counting(text) or _is_upended(page, block):
        return block
    # Text left out can't be found any more: what does not come back is taken for text.
    return replace(block, kind=BlockKind.PARAGRAPH)


def _is_counting(text: str) -> bool:
    """Page numbers, line numbers."""
    signs = [c for c in text if not c.isspace()]
    return len(signs) < SHORTEST or sum(c.isdigit() for c in signs) > 0.5 * len(signs)


def _is_upended(page: ParsedPage, block: Block) -> bool:
    """Text that runs up or down the edge of the page."""
    boxes = page.boxes[block.start : block.end] * np.array([page.width, page.height] * 2)
    inked = boxes[boxes[:, 2] > boxes[:, 0]]
    if len(inked) < SHORTEST:
        return False
    x0, y0 = inked[:, :2].min(axis=0)
    x1, y1 = inked[:, 2:].max(axis=0)
    return bool(y1 - y0 > 2 * (x1 - x0))


def _is_note(page: ParsedPage, block: Block) -> bool:
    text = page.text[block.start : block.end]
    if _is_counting(text) or not _NOTE.match(text):
        return False
    return float(page.boxes[block.start, 1]) > 0.5


def _edges(page: ParsedPage) -> Iterator[_Edge]:
    for block in page.blocks:
        if block.end - block.start > MOST_CHARACTERS or block.kind is BlockKind.TITLE:
            continue
        boxes = page.boxes[block.start : block.end]
        inked = boxes[boxes[:, 2] > boxes[:, 0]]
        if not len(inked):
            continue
        x0, y0 = inked[:, :2].min(axis=0).tolist()
        x1, y1 = inked[:, 2:].max(axis=0).tolist()
        if y1 < ZONE or y0 > 1 - ZONE:
            words = page.text[block.start : block.end].casefold()
            words = "".join(_NUMBERS.sub("#", words).split())
            yield _Edge(block.start, block.end, words, x0, y0, x1, y1)
