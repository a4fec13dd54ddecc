"""The blocks of a page whose text stands in a table are blocks of that table. Pure."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from documents.pages.page_text import Block, BlockKind, Boxes, Table

INSIDE = 0.9
"""Share of a block's letters that stand inside the table."""
_KEPT = (BlockKind.CAPTION, BlockKind.TITLE, BlockKind.AUTHORS)


def with_table_blocks(
    boxes: Boxes, blocks: Sequence[Block], tables: Sequence[Table]
) -> tuple[Block, ...]:
    """`blocks` with those inside a table of kind table, neighbours in one table joined."""
    marked: list[tuple[Block, int]] = []
    insides = [_inside(boxes, table) for table in tables]
    inked = boxes[:, 2] > boxes[:, 0]
    for block in blocks:
        home = _home(block, inked, insides)
        if home < 0 or block.kind in _KEPT:
            marked.append((block, -1))
        elif marked and marked[-1][1] == home:
            marked[-1] = (replace(marked[-1][0], end=block.end), home)
        else:
            marked.append((replace(block, kind=BlockKind.TABLE, level=0), home))
    return tuple(block for block, _ in marked)


def _inside(boxes: Boxes, table: Table) -> NDArray[np.bool_]:
    """Which characters have their middle inside the table."""
    x0, y0, x1, y1 = table.rect
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    inside: NDArray[np.bool_] = (x >= x0) & (x <= x1) & (y >= y0) & (y <= y1)
    return inside


def _home(block: Block, inked: NDArray[np.bool_], insides: Sequence[NDArray[np.bool_]]) -> int:
    """The index of the table that a block belongs to, or -1."""
    letters = inked[block.start : block.end]
    count = int(letters.sum())
    for index, inside in enumerate(insides):
        if count and int((inside[block.start : block.end] & letters).sum()) >= INSIDE * count:
            return index
    return -1
