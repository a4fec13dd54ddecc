"""Recognised lines in the order in which an author's file would draw them. Pure.

A recogniser finds lines in no order. Reading order trusts the order of drawing, so lines are strung
together here: pieces of one row, then rows that follow each other down one column.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from documents.pages.letters import seen_upright
from documents.pages.page_text import Rect
from documents.pages.raw_text import Floats

WORD_GAP = 0.6
LINE_GAP = 1.8
HANGING = 2.5
"""How far, in font sizes, pieces of a row and rows of a column may be apart, and how far to the
left of the rows above it a row may start."""
WIDER = 1.3
"""A row wider than this, in widths of the three rows above it, opens something new."""
AROUND = 7.0
LEAST_LINES = 3
ALIGNED = 0.8
RAGGED = 4.0
"""Of a gutter: how far above and below, in font sizes, lines are asked; how many of either column
must say so; how far apart those of the right one may start, and how early those of the left end."""
LEVEL = 0.5
"""Share of the lower height by which pieces of one row overlap."""


@dataclass(slots=True)
class _Row:
    """Pieces side by side. The frame is `seen_upright`'s."""

    pieces: list[int]
    u0: float
    v0: float
    u1: float
    v1: float
    size: float

    @property
    def width(self) -> float:
        return self.u1 - self.u0


def column_by_column(
    rects: Sequence[Rect], turns: Sequence[int], sizes: Sequence[float]
) -> list[int]:
    """Indexes of the lines: those of one column follow each other."""
    if not rects:
        return []
    which = np.array(turns, np.int32)
    upright = seen_upright(np.array(rects, np.float32), which)
    order: list[int] = []
    for turn in sorted(set(turns)):
        mine = np.flatnonzero(which == turn)
        rows = _rows(mine[np.argsort(upright[mine, 0], kind="stable")].tolist(), upright, sizes)
        for column in _columns(sorted(rows, key=lambda row: (row.v0, row.u0))):
            order += [piece for row in column for piece in row.pieces]
    return order


def _rows(pieces: list[int], upright: Floats, sizes: Sequence[float]) -> list[_Row]:
    """Pieces, which come from left to right, joined where one goes on in the next."""
    rows: list[_Row] = []
    every = upright[pieces]
    for piece in pieces:
        u0, v0, u1, v1 = map(float, upright[piece])
        new = _Row([piece], u0, v0, u1, v1, sizes[piece])
        row = next((row for row in rows if _goes_on(row, new)), None)
        if row is not None and _is_gutter_between(row, new, every):
            row = None
        if row is None:
            rows.append(new)
            continue
        row.pieces.append(piece)
        row.u1 = max(row.u1, u1)
        row.v0, row.v1 = min(row.v0, v0), max(row.v1, v1)
    return rows


def _goes_on(row: _Row, piece: _Row) -> bool:
    overlap = min(row.v1, piece.v1) - max(row.v0, piece.v0)
    level = overlap >= LEVEL * min(row.v1 - row.v0, piece.v1 - piece.v0)
    size = max(row.size, piece.size)
    return level and -0.5 * size <= piece.u0 - row.u1 <= WORD_GAP * size


def _is_gutter_between(row: _Row, piece: _Row, every: Floats) -> bool:
    """Whether lines around start where `piece` does and end where `row` does, and few run on."""
    size = max(row.size, piece.size)
    away = abs((every[:, 1] + every[:, 3]) - (piece.v0 + piece.v1)) / 2
    others = every[(away > 0.5 * size) & (away <= AROUND * size)]
    starts = abs(others[:, 0] - piece.u0) <= ALIGNED * size
    ends = (others[:, 2] <= piece.u0) & (others[:, 2] >= row.u1 - RAGGED * size)
    crosses = (others[:, 0] < row.u1 - size) & (others[:, 2] > piece.u0 + size)
    return bool(min(starts.sum(), ends.sum()) >= max(LEAST_LINES, 4 * crosses.sum()))


def _columns(rows: list[_Row]) -> list[list[_Row]]:
    """Rows, which come from the top down, strung together."""
    columns: list[list[_Row]] = []
    for row in rows:
        above = [column for column in columns if _is_next(column, row)]
        if above:
            min(above, key=lambda column: row.v0 - column[-1].v1).append(row)
        else:
            columns.append([row])
    return columns


def _is_next(column: list[_Row], row: _Row) -> bool:
    last = column[-1]
    near = column[-3:]
    size = max(last.size, row.size)
    overlap = min(last.u1, row.u1) - max(last.u0, row.u0)
    return (
        row.v0 > last.v0
        and row.v0 - last.v1 <= LINE_GAP * size
        and overlap > 0.5 * min(last.width, row.width)
        and row.width <= WIDER * max(each.width for each in near)
        and row.u0 >= min(each.u0 for each in near) - HANGING * size
    )
