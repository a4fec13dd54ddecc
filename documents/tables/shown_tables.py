"""Tables as a page shows them: rows without holes, each cell with its way through the headers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from documents.pages.page_text import Cell, Rect, Table


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A cell of the grid, or an empty place of it (then `cell` is missing)."""

    cell: Cell | None
    columns: int = 1
    rows: int = 1

    @property
    def path(self) -> tuple[str, ...]:
        """The headers that this cell stands under and beside."""
        return (*self.cell.row_path, *self.cell.header_path) if self.cell else ()


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table in its place on the page, from 1."""

    number: int
    table: Table
    caption: str
    notes: tuple[str, ...]
    rows: tuple[tuple[ShownCell, ...], ...]

    @property
    def cells(self) -> int:
        return sum(len(row) for row in self.table.rows)


def shown_tables(text: str, tables: Sequence[Table]) -> tuple[ShownTable, ...]:
    """The tables of a page; `text` is the page's."""
    return tuple(
        ShownTable(
            number=number,
            table=table,
            caption=text[slice(*table.caption)] if table.caption else "",
            notes=tuple(text[start:end] for start, end in table.notes),
            rows=tuple(_grid(table.rows)),
        )
        for number, table in enumerate(tables, 1)
    )


def cropped(rect: Rect, width: float, height: float, *, by: float = 0.008) -> Rect:
    """The region in points of the page, with a little of its surroundings, as x, y and a size."""
    x0, y0 = max(0.0, rect[0] - by), max(0.0, rect[1] - by)
    x1, y1 = min(1.0, rect[2] + by), min(1.0, rect[3] + by)
    return x0 * width, y0 * height, (x1 - x0) * width, (y1 - y0) * height


def _grid(rows: Sequence[Sequence[Cell]]) -> Iterator[tuple[ShownCell, ...]]:
    """Rows with every place filled: by a cell, by one that reaches over it, or by an empty one."""
    width = max((cell.column + cell.columns for row in rows for cell in row), default=0)
    covered: dict[int, int] = {}
    for row in rows:
        beginning = {cell.column: cell for cell in row}
        yield tuple(_row(beginning, covered, width))
        covered = {column: left - 1 for column, left in covered.items() if left > 1}


def _row(beginning: dict[int, Cell], covered: dict[int, int], width: int) -> Iterator[ShownCell]:
    """The places of one row. `covered` learns how many rows from here on a column is held."""
    column = 0
    while column < width:
        cell = beginning.get(column)
        if cell is None:
            if column not in covered:
                yield ShownCell(None)
            column += 1
            continue
        yield ShownCell(cell, columns=cell.columns, rows=cell.rows)
        for held in range(column, column + cell.columns):
            if cell.rows > 1:
                covered[held] = cell.rows
        column += max(cell.columns, 1)
