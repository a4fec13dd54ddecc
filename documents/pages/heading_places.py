"""Headings told by where they stand: over the text that they head. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from documents.pages.block_roles import Look
from documents.pages.headings import LARGE, LARGEST, HeadingLike, is_numbered_row
from documents.pages.page_text import Block, BlockKind

SAME_EDGE = 0.06
SAME_MIDDLE = 0.05
"""Shares of the page width within which a heading is aligned with the text below it."""
PROSE_LETTERS = 45
"""So many letters at least has the text below a heading."""
MOST_HEADINGS = 3
"""So many headings may stand over each other."""

_HEADED = (
    BlockKind.PARAGRAPH,
    BlockKind.LIST,
    BlockKind.ABSTRACT,
    BlockKind.REFERENCE,
    BlockKind.FORMULA,
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A block, and what kind of heading it may be. A certain one is a heading already."""

    block: Block
    like: HeadingLike | None = None


def with_headings(text: str, candidates: Sequence[Candidate], looks: Sequence[Look]) -> list[Block]:
    """The blocks; what may be a heading is one if it stands over text as headings do."""
    blocks: list[Block] = []
    for index, candidate in enumerate(candidates):
        like, block = candidate.like, candidate.block
        if like and (like.certain or _heads_text(text, candidates, looks, index)):
            block = replace(block, kind=BlockKind.HEADING, level=like.level)
        blocks.append(block)
    return blocks


def _heads_text(
    text: str, candidates: Sequence[Candidate], looks: Sequence[Look], index: int
) -> bool:
    mine = looks[index]
    words = text[candidates[index].block.start : candidates[index].block.end]
    numbered = is_numbered_row(" ".join(words.split()))
    strong = numbered or mine.size > LARGE
    if candidates[index].block.kind not in (*_HEADED, BlockKind.HEADING):
        return False
    skipped = 0
    for below in range(index + 1, len(candidates)):
        block, look = candidates[below].block, looks[below]
        if block.kind in (BlockKind.MARGIN, BlockKind.FOOTNOTE):
            continue
        if candidates[below].like and skipped < MOST_HEADINGS:
            skipped += 1
            continue
        if block.kind not in _HEADED:
            return strong and block.kind in (BlockKind.CAPTION, BlockKind.TABLE)
        if look.y0 < mine.y0 - 0.005:
            return strong and mine.y1 > 0.5  # at the foot of a column
        long = block.end - block.start >= PROSE_LETTERS or text[block.end - 1] in ".。"
        placed = numbered or mine.size > LARGEST or _aligned(mine, look)
        return placed and (long or (strong and look.cells < 1.5))
    return strong


def _aligned(heading: Look, body: Look) -> bool:
    """Whether a heading begins where the text below it begins, or stands in its middle."""
    middle = (heading.x0 + heading.x1 - body.x0 - body.x1) / 2
    inside = heading.x1 <= body.x1 + SAME_EDGE or heading.lines > 1
    return inside and (abs(heading.x0 - body.x0) <= SAME_EDGE or abs(middle) <= SAME_MIDDLE)
