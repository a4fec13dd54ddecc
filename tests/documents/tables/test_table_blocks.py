"""Blocks of a page beside its tables: what stands in a table is a block of it, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from documents.pages.page_text import Block, BlockKind, Boxes, Cell, Table
from documents.tables.table_blocks import with_table_blocks

K = BlockKind
LINES = ("Table 1. Yields.", "Region Mean", "Hills 1.25", "Coast 2.50", "It rose in both.")
TEXT = "\n".join(LINES)
STARTS = [TEXT.index(line) for line in LINES]
TABLE_START, TABLE_END = STARTS[1], STARTS[4] - 1


def boxes_of_lines() -> Boxes:
    """Every line a tenth of the page below the one before; line ends have no width."""
    boxes = np.zeros((len(TEXT), 4), np.float32)
    for number, (start, line) in enumerate(zip(STARTS, LINES, strict=True)):
        for place in range(len(line)):
            x, y = 0.1 + 0.01 * place, 0.1 + 0.1 * number
            width = 0.0 if line[place] == " " else 0.01
            boxes[start + place] = (x, y, x + width, y + 0.05)
    return boxes


def table(*, caption: bool = True) -> Table:
    cell = Cell("Region", ((TABLE_START, TABLE_START + 6),), (0.1, 0.2, 0.2, 0.25))
    place = (0, len(LINES[0])) if caption else None
    return Table(TABLE_START, TABLE_END, (0.05, 0.18, 0.9, 0.47), ((cell,),), True, place)


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [
        (
            [Block(K.CAPTION, 0, TABLE_END), Block(K.PARAGRAPH, STARTS[4], len(TEXT))],
            [
                (K.CAPTION, LINES[0]),
                (K.TABLE, "\n".join(LINES[1:4])),
                (K.PARAGRAPH, LINES[4]),
            ],
        ),
        (
            [Block(K.CAPTION, 0, STARTS[1] - 1), Block(K.LIST, STARTS[1], len(TEXT))],
            [(K.CAPTION, LINES[0]), (K.TABLE, "\n".join(LINES[1:4])), (K.LIST, LINES[4])],
        ),
        (
            [
                Block(K.CAPTION, 0, STARTS[1] - 1),
                Block(K.PARAGRAPH, STARTS[1], STARTS[3] - 1),
                Block(K.HEADING, STARTS[3], TABLE_END, 1),
            ],
            [(K.CAPTION, LINES[0]), (K.TABLE, "\n".join(LINES[1:4]))],
        ),
    ],
)
def test_what_stands_in_a_table_is_one_block_of_it(
    blocks: list[Block], expected: list[tuple[BlockKind, str]]
) -> None:
    found = with_table_blocks(boxes_of_lines(), blocks, [table()])
    assert [(block.kind, TEXT[block.start : block.end]) for block in found] == expected


def test_a_block_is_not_cut_at_a_table_without_rows() -> None:
    whole = Block(K.PARAGRAPH, 0, len(TEXT))
    unsure = replace(table(caption=False), rows=(), reliable=False)
    assert with_table_blocks(boxes_of_lines(), [whole], [unsure]) == (whole,)
