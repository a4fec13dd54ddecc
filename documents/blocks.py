"""Blocks: which rows belong together, and what role each block plays on its page. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from documents.block_roles import Look, role
from documents.headings import ABSTRACT, REFERENCES
from documents.page_text import Block, BlockKind
from documents.raw_text import Integers
from documents.rough_tables import with_rough_tables
from documents.segments import Row

INDENT = 0.8
"""A row this much, in font sizes, right of the others is indented."""
ALIKE = 0.12
"""Share by which font sizes inside one block may differ."""
SHORT_LINE = 0.75
"""Share of the width below which a closed line ends a paragraph."""
HYPHENS = frozenset((0x2D, 0xAD, 0x2010, 0x2011))
SAME_SIZE = 0.06
"""Share by which a line's size may differ from the document's usual one to be of that size."""
MIN_TITLE_SIZE = 1.15
"""In sizes of the page's usual text."""


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of page text `[start, end)` and how it looks. Positions are fractions of the page."""

    start: int
    end: int
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    bold: bool
    turn: int
    opens_block: bool
    margin: bool = False
    cells: int = 1
    """Stretches of text that wide gaps part from each other."""


def block_openings(rows: Sequence[Row], codes: Integers) -> list[bool]:
    """Per row of one run, whether a new block begins with it. `codes` are the raw letters."""
    left = min(row.u0 for row in rows)
    right = max(row.u1 for row in rows)
    gaps = sorted(lower.v0 - upper.v1 for upper, lower in pairwise(rows))
    usual = gaps[len(gaps) // 2] if gaps else 0.0
    inset = sum(row.u0 > left + INDENT * row.size for row in rows)
    hanging = len(rows) >= 3 and inset >= len(rows) / 2
    openings = [True]
    for upper, lower in pairwise(rows):
        if _word_goes_on(upper, lower, codes):
            openings.append(False)
        elif _differ(upper, lower, usual):
            openings.append(True)
        else:
            short = upper.u1 < left + SHORT_LINE * (right - left) and _is_closed(
                upper, lower, codes
            )
            openings.append(_new_paragraph(upper, lower, left, short=short, hanging=hanging))
    return openings


def _word_goes_on(upper: Row, lower: Row, codes: Integers) -> bool:
    """A word is divided between the rows, so they belong together."""
    alike = abs(lower.size - upper.size) <= ALIKE * max(upper.size, lower.size)
    first, last = _first_code(lower, codes), _last_code(upper, codes)
    return alike and last in HYPHENS and chr(first).islower()


def _is_closed(upper: Row, lower: Row, codes: Integers) -> bool:
    """Nothing says that the sentence goes on from row to row."""
    last, first = chr(_last_code(upper, codes)), chr(_first_code(lower, codes))
    return ord(last) not in HYPHENS and last not in ",;，、；（(" and not first.islower()


def _first_code(row: Row, codes: Integers) -> int:
    return int(codes[row.segments[0].first])


def _last_code(row: Row, codes: Integers) -> int:
    return int(codes[row.segments[-1].last])


def _differ(upper: Row, lower: Row, usual_gap: float) -> bool:
    size = max(upper.size, lower.size)
    return (
        lower.v0 - upper.v1 > usual_gap + 0.4 * size
        or abs(lower.size - upper.size) > ALIKE * size
        or lower.bold != upper.bold
    )


def _new_paragraph(upper: Row, lower: Row, left: float, *, short: bool, hanging: bool) -> bool:
    upper_inset = upper.u0 > left + INDENT * upper.size
    lower_inset = lower.u0 > left + INDENT * lower.size
    if hanging:
        return upper_inset and not lower_inset
    if lower_inset:
        return not upper_inset
    return short


def find_blocks(
    text: str, lines: tuple[TextLine, ...], number: int, usual: float = 0.0
) -> tuple[Block, ...]:
    """The blocks of page `number` in text order.

    `usual` is the type size of most of the document's text; 0 where it is not known.
    """
    if not lines:
        return ()
    usual = _believable(usual, lines) or _usual_size(lines)
    groups: list[list[TextLine]] = []
    for line in lines:
        if line.opens_block or not groups:
            groups.append([])
        groups[-1].append(line)
    looks = [_look(group, usual) for group in groups]
    blocks = [_block(text, group, look) for group, look in zip(groups, looks, strict=True)]
    if number == 1:
        blocks = _with_front_matter(text, blocks, looks)
    blocks = with_rough_tables(text, blocks, looks)
    return tuple(in_sections(text, blocks)[0])


def in_sections(text: str, blocks: list[Block], section: str = "") -> tuple[list[Block], str]:
    """Paragraphs below a heading "References" become references, below "Abstract" the abstract.

    `section` is the one that the page begins in; the second value is the one that it ends in.
    """
    placed: list[Block] = []
    for block in blocks:
        words = " ".join(text[block.start : block.end].split())
        if block.kind is BlockKind.HEADING:
            section = _section_below(words, block, section)
        elif section == "references" and block.kind in _REFERENCE_LIKE:
            placed.append(replace(block, kind=BlockKind.REFERENCE, level=0))
            continue
        elif section == "abstract" and block.kind is BlockKind.PARAGRAPH:
            placed.append(replace(block, kind=BlockKind.ABSTRACT))
            continue
        placed.append(block)
    return placed, section


_REFERENCE_LIKE = (BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.FOOTNOTE, BlockKind.FORMULA)


def _section_below(heading: str, block: Block, section: str) -> str:
    if REFERENCES.match(heading):
        return "references"
    if ABSTRACT.match(heading):
        return "abstract"
    # Inside a list of references, bold journal names and the like pass for small headings.
    return section if section == "references" and block.level > 1 else ""


def _believable(usual: float, lines: tuple[TextLine, ...]) -> float:
    """`usual` unless nothing on the page is of about this size, as on slides among other pages."""
    nearest = any(abs(line.size - usual) <= SAME_SIZE * usual for line in lines)
    return usual if usual and nearest else 0.0


def _usual_size(lines: tuple[TextLine, ...]) -> float:
    weights: Counter[float] = Counter()
    for line in lines:
        weights[round(line.size * 2) / 2] += line.end - line.start
    return max(weights.most_common(1)[0][0], 0.5)


def _look(group: list[TextLine], usual: float) -> Look:
    return Look(
        lines=len(group),
        size=max(line.size for line in group) / usual,
        bold=all(line.bold for line in group),
        x0=min(line.x0 for line in group),
        y0=min(line.y0 for line in group),
        x1=max(line.x1 for line in group),
        y1=max(line.y1 for line in group),
        turn=group[0].turn,
        cells=sum(line.cells for line in group) / len(group),
    )


def _block(text: str, group: list[TextLine], look: Look) -> Block:
    start, end = group[0].start, group[-1].end
    if all(line.margin for line in group):
        return Block(BlockKind.MARGIN, start, end)
    kind, level = role(text[start:end], look)
    return Block(kind, start, end, level)


def _with_front_matter(text: str, blocks: list[Block], looks: list[Look]) -> list[Block]:
    """Page 1 with its title, and the authors between title and abstract."""
    titles = _title_blocks(text, blocks, looks)
    if not titles:
        return blocks
    marked = list(blocks)
    for index in titles:
        marked[index] = replace(marked[index], kind=BlockKind.TITLE, level=0)
    for index in range(titles[-1] + 1, min(titles[-1] + 9, len(marked))):
        block = marked[index]
        words = text[block.start : block.end]
        if ABSTRACT.match(words) or block.level == 1 or len(words) > 700:
            break
        if block.kind in (BlockKind.PARAGRAPH, BlockKind.HEADING, BlockKind.LIST):
            marked[index] = replace(block, kind=BlockKind.AUTHORS, level=0)
    return marked


def _title_blocks(text: str, blocks: list[Block], looks: list[Look]) -> list[int]:
    """Indexes of the largest text in the upper part of the page that is long enough for a title."""
    possible = [
        index
        for index, (block, look) in enumerate(zip(blocks, looks, strict=True))
        if look.y0 < 0.6
        and look.turn == 0
        and look.lines <= 6
        and look.size >= MIN_TITLE_SIZE
        and block.kind is not BlockKind.MARGIN
        and _long_enough(text[block.start : block.end])
    ]
    if not possible:
        return []
    largest = max(looks[index].size for index in possible)
    first = next(index for index in possible if looks[index].size > 0.97 * largest)
    titles = [first]
    while (after := titles[-1] + 1) in possible and looks[after].size > 0.97 * largest:
        titles.append(after)
    return titles


def _long_enough(text: str) -> bool:
    words = text.split()
    cjk = sum("\u3400" <= c <= "\u9fff" for c in text)
    return cjk >= 5 or (len(words) >= 2 and sum(c.isalpha() for c in text) >= 12)
