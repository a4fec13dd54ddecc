"""The first page's title, and the authors between title and abstract. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace

from documents.pages.block_roles import Look
from documents.pages.headings import ABSTRACT, is_known, is_numbered_row
from documents.pages.page_text import Block, BlockKind

MIN_TITLE_SIZE = 1.15
"""In sizes of the document's usual text."""
SAME_SIZE = 0.97
BANNER_WORDS, BANNER_SIGNS = 8, 10
"""A journal's name, larger than the title below it, is at most so long."""
TITLE_WORDS = 7
"""And that title at least so long."""
BANNER_TITLE_SIZE = 1.25
LOWEST = 0.6
MOST_BLOCKS = 12
LONGEST_AUTHORS = 700
PROSE = 300
"""Letters, Chinese ones doubled, from which on text below the title is no author's address."""


def with_front_matter(text: str, blocks: list[Block], looks: Sequence[Look]) -> list[Block]:
    """Page 1 with its title, and what stands between title and abstract as authors."""
    titles = _title_blocks(text, blocks, looks)
    if not titles:
        return blocks
    marked = list(blocks)
    for index in titles:
        marked[index] = replace(marked[index], kind=BlockKind.TITLE, level=0)
    for index, block in enumerate(marked[: titles[0]]):
        if block.kind is BlockKind.HEADING and not is_known(_words(text, block)):
            marked[index] = replace(block, kind=BlockKind.PARAGRAPH, level=0)
    for index in range(titles[-1] + 1, min(titles[-1] + 1 + MOST_BLOCKS, len(marked))):
        block = marked[index]
        if _ends_authors(_words(text, block), looks[index]):
            break
        if block.kind in (BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.LIST):
            marked[index] = replace(block, kind=BlockKind.AUTHORS, level=0)
    return marked


def _ends_authors(words: str, look: Look) -> bool:
    """Whether the paper itself begins here."""
    if ABSTRACT.match(words) or is_known(words) or is_numbered_row(words):
        return True
    signs = len(words) + sum(c > "\u2e80" for c in words)
    return signs > LONGEST_AUTHORS or (signs > PROSE and look.lines > 4 and look.size > 0.95)


def _words(text: str, block: Block) -> str:
    return " ".join(text[block.start : block.end].split())


def _title_blocks(text: str, blocks: list[Block], looks: Sequence[Look]) -> list[int]:
    """Indexes of the largest text in the upper part of the page that is long enough for a title."""
    possible = [
        index
        for index, (block, look) in enumerate(zip(blocks, looks, strict=True))
        if look.y0 < LOWEST
        and look.turn == 0
        and look.lines <= 6
        and look.size >= MIN_TITLE_SIZE
        and block.kind is not BlockKind.MARGIN
        and _long_enough(text[block.start : block.end])
    ]
    if not possible:
        return []
    largest = max(looks[index].size for index in possible)
    first = next(index for index in possible if looks[index].size > SAME_SIZE * largest)
    if _length(text, blocks[first]) <= BANNER_WORDS:
        first = _below_banner(text, blocks, looks, possible, first)
    titles = [first]
    size = SAME_SIZE * looks[first].size
    while (after := titles[-1] + 1) in possible and looks[after].size > size:
        titles.append(after)
    return titles


def _below_banner(
    text: str,
    blocks: list[Block],
    looks: Sequence[Look],
    possible: list[int],
    banner: int,
) -> int:
    """The title below a journal's name that is set larger than it."""
    lower = [
        index
        for index in possible
        if looks[index].y0 >= looks[banner].y1 - 0.01
        and _length(text, blocks[index]) >= max(TITLE_WORDS, _length(text, blocks[banner]) + 1)
        and looks[index].size >= BANNER_TITLE_SIZE
        and not _lists_names(text[blocks[index].start : blocks[index].end])
        and looks[index].size < SAME_SIZE * looks[banner].size
    ]
    return max(lower, key=lambda index: (looks[index].size, -index)) if lower else banner


def _lists_names(words: str) -> bool:
    parts = re.split(r"[,，;；]| and |&", words)
    return len(parts) >= 3 and sum(len(part.split()) <= 4 for part in parts) > 0.7 * len(parts)


def _length(text: str, block: Block) -> float:
    """Words; a Chinese sign counts as three quarters of one."""
    words = text[block.start : block.end]
    signs = sum("\u3400" <= c <= "\u9fff" for c in words)
    return max(len(words.split()), signs * BANNER_WORDS / BANNER_SIGNS)


def _long_enough(text: str) -> bool:
    words = text.split()
    cjk = sum("\u3400" <= c <= "\u9fff" for c in text)
    return cjk >= 5 or (len(words) >= 2 and sum(c.isalpha() for c in text) >= 12)
