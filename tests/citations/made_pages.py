"""Pages made of text alone, each character in a box of a grid: enough for matching and drawing."""

import numpy as np

from citations.searchable_page import SearchablePage
from documents.pages.page_text import Block, Boxes, PageState, ParsedPage

COLUMNS, LINES = 100, 60


def made_page(
    text: str,
    number: int = 1,
    *,
    raised: tuple[int, ...] = (),
    lowered: tuple[int, ...] = (),
    blocks: tuple[Block, ...] = (),
    state: PageState = PageState.OK,
    reason: str = "",
    turn: int = 0,
) -> ParsedPage:
    """A page with the lines of `text`; offsets in `raised` and `lowered` are small digits.

    The text runs to the right, or after `turn` quarter turns down, to the left, up.
    """
    boxes: Boxes = np.zeros((len(text), 4), np.float32)
    line = column = 0
    for offset, character in enumerate(text):
        if character == "\n":
            line, column = line + 1, 0
            continue
        top, bottom = line / LINES, (line + 0.8) / LINES
        if offset in raised:
            bottom = top + 0.5 / LINES
        if offset in lowered:
            top = bottom - 0.5 / LINES
            bottom += 0.1 / LINES
        boxes[offset] = (column / COLUMNS, top, (column + 1) / COLUMNS, bottom)
        column += 1
    for _ in range(turn):
        x0, y0, x1, y1 = boxes.T
        boxes = np.column_stack((1 - y1, x0, 1 - y0, x1)).astype(np.float32)
    return ParsedPage(
        number, str(number), state, text, boxes, 600, 800, reason=reason, blocks=blocks
    )


def searchable(*texts: str) -> list[SearchablePage]:
    return [SearchablePage.of(made_page(text, number)) for number, text in enumerate(texts, 1)]
