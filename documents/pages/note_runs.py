"""Footnotes that fill more than the foot of a page. Pure.

By itself a small block with a number counts as a note only in the lower half: higher up it may be
anything. Where a note follows that counts on from it, it is one, too.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from documents.pages.block_roles import SMALL_NOTE, Look
from documents.pages.page_text import Block, BlockKind

_NUMBER = re.compile(r"(\d{1,3})\s*[^\s\d.,)\]=+−–%-]")


def with_whole_note_runs(text: str, blocks: Sequence[Block], looks: Sequence[Look]) -> list[Block]:
    """The blocks, with those as footnotes from which a footnote right behind them counts on."""
    found = list(blocks)
    for place in range(len(found) - 2, -1, -1):
        block, following = found[place], found[place + 1]
        is_plain = block.kind is BlockKind.PARAGRAPH and looks[place].size < SMALL_NOTE
        if is_plain and following.kind is BlockKind.FOOTNOTE:
            number = _number(text, block)
            if number and number + 1 == _number(text, following):
                found[place] = replace(block, kind=BlockKind.FOOTNOTE)
    return found


def with_whole_foot(blocks: Sequence[Block], looks: Sequence[Look]) -> list[Block]:
    """The blocks of a first page, with those as footnotes that stand small below a footnote.

    There addresses, dates, the licence and the publisher follow, without a mark of their own.
    """
    found = list(blocks)
    for place in range(1, len(found)):
        above, look = looks[place - 1], looks[place]
        is_below = found[place - 1].kind is BlockKind.FOOTNOTE and look.y0 > above.y0
        is_small = look.size < SMALL_NOTE and look.turn == 0
        if is_below and is_small and found[place].kind in (BlockKind.PARAGRAPH, BlockKind.LIST):
            found[place] = replace(found[place], kind=BlockKind.FOOTNOTE)
    return found


def _number(text: str, block: Block) -> int:
    opening = _NUMBER.match(text[block.start : block.end].lstrip())
    return int(opening[1]) if opening else 0
