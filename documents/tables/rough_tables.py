"""Which blocks belong to a table: rows of cells, and what follows a table's caption. Pure.

Only the extent is found here, no rows or columns.
"""

import re
from dataclasses import replace

from documents.pages.block_roles import Look
from documents.pages.headings import is_numbered_row
from documents.pages.page_text import Block, BlockKind

MOST_BLOCKS = 80
"""So many blocks after its caption a table may have."""
PROSE_LINES = 3
PROSE_LETTERS = 45
"""Characters per line from which on a block of a few lines is prose."""

_TABLE_CAPTION = re.compile(
    r"^(?:supplementary |extended data )?(?:table|表)\s*[A-Z]?[\dIVX一二三四五六七八九十]",
    re.IGNORECASE,
)
_POSSIBLE = (
    BlockKind.PARAGRAPH,
    BlockKind.HEADING,
    BlockKind.LIST,
    BlockKind.FORMULA,
    BlockKind.FOOTNOTE,
    BlockKind.REFERENCE,
)


def with_rough_tables(text: str, blocks: list[Block], looks: list[Look]) -> list[Block]:
    """`blocks` with those of a table made one block of kind table."""
    tabular = _after_captions(text, blocks, looks)
    tabular |= {
        index
        for index, (block, look) in enumerate(zip(blocks, looks, strict=True))
        if block.kind in _POSSIBLE and look.cells >= 2.5 and look.lines >= 2
    }
    return _merged(blocks, tabular)


def _after_captions(text: str, blocks: list[Block], looks: list[Look]) -> set[int]:
    tabular: set[int] = set()
    for start, block in enumerate(blocks):
        if block.kind is not BlockKind.CAPTION or not _TABLE_CAPTION.match(text[block.start :]):
            continue
        for index in range(start + 1, min(start + 1 + MOST_BLOCKS, len(blocks))):
            if not _belongs(text, blocks[index], looks[index], looks[start]):
                break
            tabular.add(index)
    return tabular


def _belongs(text: str, block: Block, look: Look, caption: Look) -> bool:
    """Whether a block below a table's caption is still the table."""
    below = look.y0 >= caption.y0 - 0.005 and look.turn == caption.turn
    if block.kind not in _POSSIBLE or not below:
        return False
    if block.kind is BlockKind.HEADING:
        words = " ".join(text[block.start : block.end].split())
        if block.level == 1 or look.size > 1.05 or is_numbered_row(words):
            return False
    letters = (block.end - block.start) / look.lines
    is_prose = look.cells < 1.3 and letters >= PROSE_LETTERS
    return not (is_prose and (look.lines >= PROSE_LINES or look.size > 0.97))


def _merged(blocks: list[Block], tabular: set[int]) -> list[Block]:
    merged: list[Block] = []
    for index, block in enumerate(blocks):
        if index not in tabular:
            merged.append(block)
        elif index - 1 in tabular:
            merged[-1] = replace(merged[-1], end=block.end)
        else:
            merged.append(replace(block, kind=BlockKind.TABLE, level=0))
    return merged
