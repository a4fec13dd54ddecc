"""Another way of reading the same files, as a later parser might: real text, in another order.

Line ends inside a block become spaces, hyphens at line ends go, and the blocks of a page stand in
another order; each character keeps its box.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from documents.pages.page_text import Block, BlockKind, ParsedPage
from documents.parsing import parse_pages
from documents.rereading import WayOfReading

NAME = "other-1"


def other_pages(path: Path, start: int, before: ParsedPage | None) -> Iterator[ParsedPage]:
    return (otherwise(page) for page in parse_pages(path, start=start, before=before))


def otherwise(page: ParsedPage) -> ParsedPage:
    """The page with its running heads at the end and the second half of its blocks first."""
    blocks = list(page.blocks)
    margins = [block for block in blocks if block.kind is BlockKind.MARGIN]
    others = [block for block in blocks if block.kind is not BlockKind.MARGIN]
    half = len(others) // 2
    text, offsets, moved = "", [], []
    for block in [*others[half:], *others[:half], *margins]:
        kept = _flowing(page.text, block)
        begin = len(text)
        text += "".join(" " if page.text[at] == "\n" else page.text[at] for at in kept) + "\n"
        offsets += [*kept, kept[-1] if kept else block.start]
        moved.append(Block(block.kind, begin, len(text) - 1, block.level))
    boxes = page.boxes[offsets] if offsets else np.zeros((0, 4), np.float32)
    return replace(page, text=text, boxes=boxes, blocks=tuple(moved), tables=())


def _flowing(text: str, block: Block) -> list[int]:
    """The offsets of the block's characters that stay: a hyphen at a line end goes with it."""
    kept = []
    at = block.start
    while at < block.end:
        is_cut = text[at] == "-" and text[at + 1 : at + 2] == "\n" and text[at - 1].isalpha()
        if is_cut and at + 2 < block.end:
            at += 2
            continue
        kept.append(at)
        at += 1
    return kept


OTHER = WayOfReading(NAME, other_pages)
