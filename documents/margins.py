"""Running heads and feet, told by their coming back on the neighbouring pages. Pure."""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

from documents.page_text import Block, BlockKind, ParsedPage

REACH = 2
"""Pages before and after that are looked at: left and right pages may differ."""
ZONE = 0.16
"""Share of the page height, above and below, where a repeated block counts as a running head."""
MOST_CHARACTERS = 220
SENTENCE = 100
"""A block this long in the margin that does not come back is taken for text of the page."""

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
    repeated = {key for neighbour in neighbours for key in _edge_keys(neighbour).values()}
    mine = _edge_keys(page)
    blocks = tuple(
        _judged(block, page, again=mine.get(block.start) in repeated, alone=not neighbours)
        for block in page.blocks
    )
    return replace(page, blocks=blocks)


def _judged(block: Block, page: ParsedPage, *, again: bool, alone: bool) -> Block:
    if again:
        return replace(block, kind=BlockKind.MARGIN, level=0)
    long = block.end - block.start > SENTENCE
    if block.kind is BlockKind.MARGIN and long and not alone:
        text = page.text[block.start : block.end]
        if " " in text.strip() and sum(c.isdigit() for c in text) < 0.2 * len(text):
            return replace(block, kind=BlockKind.PARAGRAPH)
    return block


def _edge_keys(page: ParsedPage) -> dict[int, tuple[bool, str]]:
    """By start of each short block at the upper or lower edge: which edge, and its words."""
    keys: dict[int, tuple[bool, str]] = {}
    for block in page.blocks:
        if block.end - block.start > MOST_CHARACTERS or block.kind is BlockKind.TITLE:
            continue
        boxes = page.boxes[block.start : block.end]
        inked = boxes[boxes[:, 2] > boxes[:, 0]]
        if not len(inked):
            continue
        above = float(inked[:, 3].max()) < ZONE
        if above or float(inked[:, 1].min()) > 1 - ZONE:
            words = page.text[block.start : block.end].casefold()
            keys[block.start] = (above, "".join(_NUMBERS.sub("#", words).split()))
    return keys
