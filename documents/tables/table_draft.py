"""A table in the making: a grid, the words in its cells, and what speaks against it. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from documents.pages.page_text import Cell
from documents.tables.drawn_rules import Box, Rule
from documents.tables.table_frame import Frame
from documents.tables.table_text import joined_text
from documents.tables.table_words import Word


@dataclass(frozen=True, slots=True)
class Region:
    """Where a table stands, in points: its box, and the rules and the words inside it.

    `is_ruled`: rules bound it above and below. `title` is the page text of its caption.
    """

    box: Box
    words: tuple[Word, ...]
    level: tuple[Rule, ...] = ()
    upright: tuple[Rule, ...] = ()
    is_ruled: bool = False
    title: tuple[int, int] | None = None

    @property
    def width(self) -> float:
        return self.box[2] - self.box[0]

    def full_rules(self) -> list[Rule]:
        """Level rules over nearly the whole width, from top to bottom."""
        return [rule for rule in self.level if rule.length >= 0.9 * self.width]


@dataclass(frozen=True, slots=True)
class DraftCell:
    """Words at a place of the grid, line by line."""

    lines: tuple[tuple[Word, ...], ...]
    row: int
    column: int
    rows: int = 1
    columns: int = 1
    is_header: bool = False

    @property
    def words(self) -> list[Word]:
        return [word for line in self.lines for word in line]

    @property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)

    @property
    def x0(self) -> float:
        return min(word.x0 for word in self.words)

    def covers(self, column: int) -> bool:
        return self.column <= column < self.column + self.columns


@dataclass(frozen=True, slots=True)
class Draft:
    """`xs` and `ys` are the edges of columns and rows in points; `doubts` say what is not clear."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    cells: tuple[DraftCell, ...]
    ruled_rows: frozenset[int] = frozenset()
    """Rows below a rule over the whole width, where not all rows are."""
    row_paths: dict[int, tuple[str, ...]] = field(default_factory=dict)
    doubts: tuple[str, ...] = ()
    notes: tuple[Word, ...] = ()
    method: str = ""


def finished_rows(text: str, draft: Draft, frame: Frame) -> tuple[tuple[Cell, ...], ...]:
    """The cells of a draft row by row, with their header paths."""
    headers = [cell for cell in draft.cells if cell.is_header]
    bands = _bands({row for c in headers for row in range(c.row, c.row + c.rows)})
    names = {id(cell): cell_text(text, cell) for cell in draft.cells}
    said = {cell.text: names[id(cell)] for cell in draft.cells}
    rows: dict[int, list[Cell]] = {}
    for cell in sorted(draft.cells, key=lambda cell: (cell.row, cell.column)):
        band = _above(bands, cell)
        above = [names[id(h)] for h in headers if h.row in band and _over(h, cell)]
        rows.setdefault(cell.row, []).append(
            Cell(
                text=names[id(cell)],
                spans=cell_spans(text, cell),
                rect=frame.on_page(_box(draft, cell)),
                header_path=tuple(above),
                row_path=()
                if cell.is_header
                else tuple(said.get(name, name) for name in draft.row_paths.get(cell.row, ())),
                column=cell.column,
                columns=cell.columns,
                rows=cell.rows,
                is_header=cell.is_header,
            )
        )
    return tuple(tuple(rows[row]) for row in sorted(rows))


def _bands(rows: set[int]) -> list[range]:
    """Header rows that follow one another, from top to bottom."""
    bands: list[range] = []
    for row in sorted(rows):
        if bands and row == bands[-1].stop:
            bands[-1] = range(bands[-1].start, row + 1)
        else:
            bands.append(range(row, row + 1))
    return bands


def _above(bands: Sequence[range], cell: DraftCell) -> range:
    """The header rows that name the cell's columns: the nearest ones above it, up to itself."""
    nearest = [band for band in bands if band.start < cell.row]
    return range(nearest[-1].start, min(nearest[-1].stop, cell.row)) if nearest else range(0)


def _over(header: DraftCell, cell: DraftCell) -> bool:
    """Whether a header names all the columns of the cell."""
    return header.column <= cell.column and (
        cell.column + cell.columns <= header.column + header.columns
    )


def cell_spans(text: str, cell: DraftCell) -> tuple[tuple[int, int], ...]:
    """Ranges of page text in the order of reading; neighbouring words make one range."""
    spans: list[tuple[int, int]] = []
    for word in cell.words:
        if spans and spans[-1][1] <= word.start and not text[spans[-1][1] : word.start].strip():
            spans[-1] = (spans[-1][0], word.end)
        else:
            spans.append((word.start, word.end))
    return tuple(spans)


def cell_text(text: str, cell: DraftCell) -> str:
    return joined_text(text, cell_spans(text, cell))


def _box(draft: Draft, cell: DraftCell) -> Box:
    return (
        draft.xs[cell.column],
        draft.ys[cell.row],
        draft.xs[cell.column + cell.columns],
        draft.ys[cell.row + cell.rows],
    )


def row_edges(bands: Sequence[tuple[float, float]], top: float, bottom: float) -> list[float]:
    """Edges of rows half way between their words; `bands` are the rows' upper and lower ends."""
    between = [(above[1] + below[0]) / 2 for above, below in pairwise(bands)]
    first = min(top, bands[0][0]) if bands else top
    last = max(bottom, bands[-1][1]) if bands else bottom
    return [first, *between, last]


@dataclass
class BodyRow:
    """One row of cells: per column its lines of words. `wide` is one cell over all columns."""

    top: float
    bottom: float
    cells: dict[int, list[tuple[Word, ...]]] = field(default_factory=dict)
    is_wide: bool = False
    last_top: float = 0.0
    ruled_above: bool = False

    @property
    def label(self) -> str:
        lines = self.cells.get(0, [])
        return " ".join(word.text for line in lines for word in line)

    @property
    def values(self) -> list[int]:
        return [column for column in self.cells if column > 0]
