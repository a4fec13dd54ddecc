"""A table that a model drew, laid over the text of its page. Pure.

A model gives boxes, rows, columns and a guess of the words. Only the boxes and the grid are taken
from it: the words are those of the page text, so that every cell can be located, and where the two
do not agree the table is not reliable.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from documents.pages.page_text import BlockKind, Cell, ParsedPage, Rect, Table
from documents.tables.table_text import joined_text
from documents.tables.table_words import Word, words_of

SLACK = 3.0
"""Points by which a word may lie outside of the box of its cell: models draw tight boxes."""
_HYPHEN = re.compile(r"(?<=[^\W\d_])[-\u2010\u00ad](?=[^\W\d_])")
"""Between letters: perhaps one of a line end. Before a number it is a sign."""
CAPTION_GAP = 0.05
"""Greatest distance between a table and its caption, as a share of the page's height."""


@dataclass(frozen=True, slots=True)
class DrawnCell:
    """A cell of a model's grid. `box` is in points from the top left; `words` are its guess."""

    row: int
    column: int
    rows: int
    columns: int
    words: str
    box: Rect | None
    is_column_header: bool = False
    is_row_header: bool = False
    is_section: bool = False


@dataclass(frozen=True, slots=True)
class DrawnTable:
    """A table of a model, in points from the top left of the displayed page."""

    box: Rect
    cells: tuple[DrawnCell, ...]


def table_over(page: ParsedPage, drawn: DrawnTable, *, method: str) -> Table | None:
    """The table with the words of the page in its cells; None where no word of the page is in it.

    Reliable if every word of the region is in one cell, the cells say what the model says, and
    every cell of the body stands under a header.
    """
    words = [word for word in _words(page) if _distance(word, drawn.box) == 0]
    if not words or not drawn.cells:
        return None
    homes = [_home(word, drawn.cells) for word in words]
    placed = [
        (cell, tuple(word for word, home in zip(words, homes, strict=True) if home == index))
        for index, cell in enumerate(drawn.cells)
    ]
    filled = [(cell, inside) for cell, inside in placed if inside]
    rows = _rows(page, filled)
    reliable = (
        None not in homes
        and all(_says_the_same(page.text, cell, inside) for cell, inside in placed)
        and _has_headers(rows)
    )
    return Table(
        start=min(word.start for word in words),
        end=max(word.end for word in words),
        rect=_fractions(drawn.box, page),
        rows=rows,
        reliable=reliable,
        caption=_caption(page, _fractions(drawn.box, page)),
        method=method,
    )


def _words(page: ParsedPage) -> list[Word]:
    """All words of the page, in points."""
    points = page.boxes.astype(np.float64) * (page.width, page.height, page.width, page.height)
    return words_of(page.text, points, np.ones(len(points), dtype=np.bool_))


def _home(word: Word, cells: Sequence[DrawnCell]) -> int | None:
    """The index of the one cell whose box holds or nearly holds the word."""
    near = sorted(
        (distance, index)
        for index, cell in enumerate(cells)
        if cell.box and (distance := _distance(word, cell.box)) <= SLACK
    )
    if not near or (len(near) > 1 and near[0][0] == near[1][0]):
        return None
    return near[0][1]


def _distance(word: Word, box: Rect) -> float:
    """Points from the middle of a word to a box, 0 inside."""
    x = max(box[0] - word.middle, word.middle - box[2], 0.0)
    y = max(box[1] - word.level, word.level - box[3], 0.0)
    return max(x, y)


def _rows(
    page: ParsedPage, filled: Iterable[tuple[DrawnCell, tuple[Word, ...]]]
) -> tuple[tuple[Cell, ...], ...]:
    spans = {cell: _spans(page.text, inside) for cell, inside in filled}
    names = {cell: joined_text(page.text, ranges) for cell, ranges in spans.items()}
    rows: dict[int, list[Cell]] = {}
    for cell in sorted(spans, key=lambda one: (one.row, one.column)):
        rows.setdefault(cell.row, []).append(
            Cell(
                text=names[cell],
                spans=spans[cell],
                rect=_fractions(cell.box or (0, 0, 0, 0), page),
                header_path=_header_path(cell, names),
                row_path=_row_path(cell, names),
                column=cell.column,
                columns=cell.columns,
                rows=cell.rows,
                is_header=cell.is_column_header,
            )
        )
    return tuple(tuple(rows[row]) for row in sorted(rows))


def _header_path(cell: DrawnCell, names: dict[DrawnCell, str]) -> tuple[str, ...]:
    """The column headers above a cell that name all of its columns, from top to bottom."""
    above = [
        other
        for other in names
        if other.is_column_header
        and other.row < cell.row
        and other.column <= cell.column
        and cell.column + cell.columns <= other.column + other.columns
    ]
    return tuple(names[other] for other in sorted(above, key=lambda one: one.row))


def _row_path(cell: DrawnCell, names: dict[DrawnCell, str]) -> tuple[str, ...]:
    """The section above a cell of the body, and the headers of its row."""
    if cell.is_column_header or cell.is_section:
        return ()
    sections = [one for one in names if one.is_section and one.row < cell.row]
    section = max(sections, key=lambda one: one.row, default=None)
    mine = [one for one in names if one.row <= cell.row < one.row + one.rows]
    mine = [one for one in mine if not one.is_column_header and not one.is_section]
    labels = [one for one in mine if one.is_row_header] or [one for one in mine if one.column == 0]
    labels.sort(key=lambda one: one.column)
    return (*([names[section]] if section else []), *(names[one] for one in labels))


def _spans(text: str, words: Sequence[Word]) -> tuple[tuple[int, int], ...]:
    spans: list[tuple[int, int]] = []
    for word in sorted(words, key=lambda one: one.start):
        if spans and not text[spans[-1][1] : word.start].strip():
            spans[-1] = (spans[-1][0], word.end)
        else:
            spans.append((word.start, word.end))
    return tuple(spans)


def _says_the_same(text: str, cell: DrawnCell, words: Sequence[Word]) -> bool:
    """Whether the page's letters in a cell are the model's, in whatever order of lines."""
    ours = "".join(text[word.start : word.end] for word in words)
    return _letters(ours) == _letters(cell.words)


def _letters(text: str) -> list[str]:
    """The characters that count, sorted: no spaces, and no hyphens within words."""
    spelt = "".join(unicodedata.normalize("NFKC", text).split())
    return sorted(_HYPHEN.sub("", spelt))


def _has_headers(rows: Sequence[Sequence[Cell]]) -> bool:
    cells = [cell for row in rows for cell in row]
    body = [cell for cell in cells if not cell.is_header and cell.row_path]
    widest = max((cell.column + cell.columns for cell in cells), default=0)
    values = [cell for cell in body if cell.column > 0]
    return widest >= 2 and bool(values) and all(cell.header_path for cell in values)


def _caption(page: ParsedPage, rect: Rect) -> tuple[int, int] | None:
    """The nearest caption above or below the table."""
    near = []
    for block in page.blocks:
        if block.kind is not BlockKind.CAPTION:
            continue
        boxes = page.boxes[block.start : block.end]
        inked = boxes[boxes[:, 2] > boxes[:, 0]]
        if len(inked):
            top, bottom = float(inked[:, 1].min()), float(inked[:, 3].max())
            gap = max(rect[1] - bottom, top - rect[3])
            if -CAPTION_GAP / 2 <= gap <= CAPTION_GAP:
                near.append((abs(gap), block.start, block.end))
    return min(near)[1:] if near else None


def _fractions(box: Rect, page: ParsedPage) -> Rect:
    sides = (page.width, page.height, page.width, page.height)
    x0, y0, x1, y1 = (
        min(1.0, max(0.0, edge / side)) for edge, side in zip(box, sides, strict=True)
    )
    return x0, y0, x1, y1
