"""Running heads and feet, told by their coming back on the neighbouring pages. Pure."""

import re
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from documents.pages.page_text import Block, BlockKind, ParsedPage

REACH = 2
"""Pages before and after that are looked at: left and right pages may differ."""
ZONE = 0.16
"""Share of the page height, above and below, where a repeated block counts as a running head."""
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
