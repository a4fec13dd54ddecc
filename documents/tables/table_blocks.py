"""The blocks of a page whose text stands in a table are blocks of that table. Pure."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

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
    parts = (part for block in blocks for part in _cut(block, inked, tables, insides))
    for block in parts:
        home = _home(block, inked, insides)
        if home < 0 or block.kind in _KEPT:
            marked.append((block, -1))
        elif marked and marked[-1][1] == home:
            marked[-1] = (replace(marked[-1][0], end=block.end), home)
        else:
            marked.append((replace(block, kind=BlockKind.TABLE, level=0), home))
    return tuple(block for block, _ in marked)


def _cut(
    block: Block,
    inked: NDArray[np.bool_],
    tables: Sequence[Table],
    insides: Sequence[NDArray[np.bool_]],
) -> Sequence[Block]:
    """The block; what of it stands in a table whose rows are known, and what does not, apart.

    A caption close above its table is often one block with it, and a paragraph close below.
    """
    for index, table in enumerate(tables):
        caption = table.caption if table.caption and table.caption[0] == block.start else None
        kind = BlockKind.PARAGRAPH if caption else block.kind
        start = max(block.start, caption[1] if caption else 0, table.start)
        end = min(block.end, table.end)
        if (
            not table.rows
            or kind in _KEPT
            or start >= end
            or (start, end) == (block.start, block.end)
        ):
            continue
        edges = pairwise((block.start, start, end, block.end))
        before, inner, after = (_trimmed(block, *edge, inked) for edge in edges)
        homes = [_home(part, inked, insides) for part in (before, inner, after)]
        if homes[1] == index and index not in (homes[0], homes[2]):
            parts = (before, replace(inner, kind=kind), after)
            return [part for part in parts if part.start < part.end]
    return [block]


def _trimmed(block: Block, start: int, end: int, inked: NDArray[np.bool_]) -> Block:
    """The part `[start, end)` of a block without white space at its ends."""
    places = start + np.flatnonzero(inked[start:end])
    first, last = (int(places[0]), int(places[-1]) + 1) if len(places) else (start, start)
    return replace(block, start=first, end=last)


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
