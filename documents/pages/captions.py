"""Captions whose text goes on below their first line. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from documents.pages.block_roles import Look
from documents.pages.page_text import Block, BlockKind

SMALL = 0.97
"""Sizes, in sizes of the usual text, up to which text below a caption may belong to it."""
NEAR = 0.015
SAME_EDGE = 0.01
"""Shares of the page height, of its width."""
MOST_PARTS = 3


def with_captions_whole(
    blocks: Sequence[Block], looks: Sequence[Look]
) -> tuple[list[Block], list[Look]]:
    """The blocks in order and their looks, small print right below a caption made part of it."""
    whole: list[Block] = []
    seen: list[Look] = []
    parts = 0
    for block, look in zip(blocks, looks, strict=True):
        above = whole[-1] if whole else None
        if above and parts < MOST_PARTS and _goes_on(above, seen[-1], block, look):
            whole[-1] = replace(above, end=block.end)
            seen[-1] = _joined(seen[-1], look)
            parts += 1
        else:
            whole.append(block)
            seen.append(look)
            parts = 0
    return whole, seen


def _goes_on(caption: Block, above: Look, block: Block, below: Look) -> bool:
    gap = below.y0 - above.y1
    return (
        caption.kind is BlockKind.CAPTION
        and block.kind is BlockKind.PARAGRAPH
        and below.turn == above.turn == 0
        and below.size < SMALL
        and below.size <= above.size + 0.03
        and below.cells < 1.3
        and below.lines >= 2
        and -NEAR < gap < NEAR
        and abs(below.x0 - above.x0) < SAME_EDGE
    )


def _joined(above: Look, below: Look) -> Look:
    return replace(
        above,
        lines=above.lines + below.lines,
        bold=above.bold and below.bold,
        x0=min(above.x0, below.x0),
        x1=max(above.x1, below.x1),
        y1=max(above.y1, below.y1),
    )
