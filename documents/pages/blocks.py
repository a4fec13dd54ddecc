"""Blocks: which rows belong together, and what role each block plays on its page. Pure."""

from collections import Counter
from dataclasses import dataclass

from documents.catalogue.front_matter import with_front_matter
from documents.pages.block_roles import Look, role
from documents.pages.captions import with_captions_whole
from documents.pages.heading_places import Candidate, with_headings
from documents.pages.note_runs import with_whole_foot, with_whole_note_runs
from documents.pages.page_text import Block, BlockKind, Rect
from documents.tables.rough_tables import with_rough_tables

BODY_LINES = 3
SLACK = 0.004
"""Share of the page height."""
MOSTLY_BOLD = 0.6
"""Share of a page's letters."""
SAME_SIZE = 0.06
"""Share by which a line's size may differ from the document's usual one to be of that size."""


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
    italic: bool = False


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
    letters = sum(line.end - line.start for line in lines)
    bold = sum(line.end - line.start for line in lines if line.bold)
    # Where the text itself is bold, bold type says nothing.
    looks = [_look(group, usual, plain=bold > MOSTLY_BOLD * letters) for group in groups]
    body = _body(looks)
    candidates = [
        _block(text, group, look, body) for group, look in zip(groups, looks, strict=True)
    ]
    blocks, looks = with_captions_whole(with_headings(text, candidates, looks), looks)
    blocks = with_whole_note_runs(text, blocks, looks)
    if number == 1:
        blocks = with_front_matter(text, with_whole_foot(blocks, looks), looks)
    return tuple(with_rough_tables(text, blocks, looks))


def _believable(usual: float, lines: tuple[TextLine, ...]) -> float:
    """`usual` unless nothing on the page is of about this size, as on slides among other pages."""
    nearest = any(abs(line.size - usual) <= SAME_SIZE * usual for line in lines)
    return usual if usual and nearest else 0.0


def _usual_size(lines: tuple[TextLine, ...]) -> float:
    weights: Counter[float] = Counter()
    for line in lines:
        weights[round(line.size * 2) / 2] += line.end - line.start
    return max(weights.most_common(1)[0][0], 0.5)


def _look(group: list[TextLine], usual: float, *, plain: bool) -> Look:
    return Look(
        lines=len(group),
        size=max(line.size for line in group) / usual,
        bold=not plain and all(line.bold for line in group),
        x0=min(line.x0 for line in group),
        y0=min(line.y0 for line in group),
        x1=max(line.x1 for line in group),
        y1=max(line.y1 for line in group),
        turn=group[0].turn,
        cells=sum(line.cells for line in group) / len(group),
        italic=all(line.italic for line in group),
    )


def _body(looks: list[Look]) -> Rect:
    """The box around the paragraphs of a page, in fractions."""
    large = [look for look in looks if look.lines >= BODY_LINES and look.turn == 0]
    return (
        min((look.x0 for look in large), default=1),
        min((look.y0 for look in large), default=1),
        max((look.x1 for look in large), default=0),
        max((look.y1 for look in large), default=0),
    )


def _block(text: str, group: list[TextLine], look: Look, body: Rect) -> Candidate:
    start, end = group[0].start, group[-1].end
    x0, y0, x1, y1 = body
    beside = look.x1 < x0 or look.x0 > x1
    counts = beside and not text[start:end].strip("0123456789 \n")
    if counts or all(line.margin for line in group):
        return Candidate(Block(BlockKind.MARGIN, start, end))
    inside = look.turn == 0 and look.y0 > y0 - SLACK and look.y1 < y1 + SLACK
    kind, like = role(text[start:end], look, in_body=inside)
    return Candidate(Block(kind, start, end), like)
