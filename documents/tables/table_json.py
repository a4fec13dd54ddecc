"""Tables as JSON values, for the reader process and the database. Pure.

A cell's text is not stored: it is what its spans say. Header names are listed once per table.
"""

from typing import Any

from documents.pages.page_text import Cell, Rect, Table
from documents.tables.table_text import joined_text

DECIMALS = 4


def tables_as_json(tables: tuple[Table, ...]) -> list[dict[str, Any]]:
    return [_table_as_json(table) for table in tables]


def tables_from_json(text: str, values: list[dict[str, Any]]) -> tuple[Table, ...]:
    """The tables that `tables_as_json` wrote; `text` is that of their page."""
    return tuple(_table_from_json(text, value) for value in values)


def _table_as_json(table: Table) -> dict[str, Any]:
    names: dict[str, int] = {}
    rows = [[_cell_as_json(cell, names) for cell in row] for row in table.rows]
    return {
        "span": [table.start, table.end],
        "rect": _rounded(table.rect),
        "reliable": table.reliable,
        "caption": list(table.caption) if table.caption else None,
        "notes": [list(span) for span in table.notes],
        "method": table.method,
        "continues": table.continues,
        "names": list(names),
        "rows": rows,
    }


def _cell_as_json(cell: Cell, names: dict[str, int]) -> list[Any]:
    headers, rows = (
        [names.setdefault(name, len(names)) for name in path]
        for path in (cell.header_path, cell.row_path)
    )
    place = [cell.column, cell.columns, cell.rows, int(cell.is_header)]
    return [[list(span) for span in cell.spans], _rounded(cell.rect), place, headers, rows]


def _table_from_json(text: str, value: dict[str, Any]) -> Table:
    names = value["names"]
    caption = value["caption"]
    return Table(
        start=value["span"][0],
        end=value["span"][1],
        rect=_rect(value["rect"]),
        rows=tuple(
            tuple(_cell_from_json(text, cell, names) for cell in row) for row in value["rows"]
        ),
        reliable=value["reliable"],
        caption=(caption[0], caption[1]) if caption else None,
        notes=tuple((start, end) for start, end in value["notes"]),
        method=value["method"],
        continues=value["continues"],
    )


def _cell_from_json(text: str, value: list[Any], names: list[str]) -> Cell:
    spans, rect, (column, columns, rows, is_header), headers, row_path = value
    pairs = tuple((start, end) for start, end in spans)
    return Cell(
        text=joined_text(text, pairs),
        spans=pairs,
        rect=_rect(rect),
        header_path=tuple(names[name] for name in headers),
        row_path=tuple(names[name] for name in row_path),
        column=column,
        columns=columns,
        rows=rows,
        is_header=bool(is_header),
    )


def _rounded(rect: Rect) -> list[float]:
    return [round(edge, DECIMALS) for edge in rect]


def _rect(edges: list[float]) -> Rect:
    x0, y0, x1, y1 = edges
    return x0, y0, x1, y1
