"""What a reliable table says of a made table that is not so."""

from collections.abc import Iterator

from documents.pages.page_text import Cell, ParsedPage, Table
from tests.documents.tables.made_tables import MadeTable, Truth


def faults(made: MadeTable, page: ParsedPage) -> list[str]:
    """Per cell of the page's reliable tables what is wrong: value, column, headers, groups."""
    tables = [table for table in page.tables if table.reliable]
    found = [fault for table in tables for fault in _faults(made, page, table)]
    if any(_truths(made, page, cell) for table in tables for cell in _cells(table)):
        read = {id(t) for table in tables for c in _cells(table) for t in _truths(made, page, c)}
        lost = [p.cell for p in made.pieces if p.cell.kind == "value" and id(p.cell) not in read]
        found += [f"lost: {cell.text!r} of {cell.label!r}" for cell in lost]
    return found


def _cells(table: Table) -> list[Cell]:
    return [cell for row in table.rows for cell in row]


def _faults(made: MadeTable, page: ParsedPage, table: Table) -> Iterator[str]:
    columns: dict[int, set[int]] = {}
    for cell in _cells(table):
        truths = _truths(made, page, cell)
        if len(truths) != 1:
            yield f"joined: {cell.text!r} are {[truth.text for truth in truths]}"
            continue
        yield from _cell_faults(made, cell, truths[0])
        if truths[0].kind == "value":
            columns.setdefault(truths[0].column, set()).add(cell.column)
    for column, places in columns.items():
        if len(places) > 1:
            yield f"column {column} stands in columns {sorted(places)}"


def _truths(made: MadeTable, page: ParsedPage, cell: Cell) -> list[Truth]:
    """The cells that were drawn where the letters of a cell stand."""
    found: dict[int, Truth] = {}
    for start, end in cell.spans:
        for x0, y0, x1, y1 in page.boxes[start:end].tolist():
            if x1 <= x0:
                continue
            x, y = (x0 + x1) / 2 * page.width, (y0 + y1) / 2 * page.height
            truth = next(
                (
                    piece.cell
                    for piece in made.pieces
                    if piece.box[0] <= x <= piece.box[2] and piece.box[1] <= y <= piece.box[3]
                ),
                Truth("outside", ""),
            )
            found[id(truth) if truth.text else 0] = truth
    return list(found.values())


def _cell_faults(made: MadeTable, cell: Cell, truth: Truth) -> Iterator[str]:
    if truth.kind == "outside":
        yield f"no part of the table: {cell.text!r}"
        return
    if _plain(cell.text) != _plain(truth.text):
        yield f"value: {cell.text!r} is {truth.text!r}"
    if cell.is_header != (truth.kind == "header"):
        yield f"{truth.kind} {truth.text!r} is {'a' if cell.is_header else 'no'} header"
    if truth.kind == "value" and _all(cell.header_path) != _all(truth.headers):
        yield f"headers: {truth.text!r} under {cell.header_path}, not {truth.headers}"
    if truth.kind == "label" and _all(cell.header_path) not in (set(), _all(truth.headers)):
        yield f"headers: {truth.text!r} under {cell.header_path}"
    if truth.kind in ("value", "label", "group"):
        allowed = {_plain(text) for text in made.row_texts[truth.row] | set(truth.groups)}
        strange = [name for name in cell.row_path if _plain(name) not in allowed]
        if strange:
            yield f"groups: {truth.text!r} in {cell.row_path}, not {truth.groups}"


def _all(names: tuple[str, ...]) -> set[str]:
    return {_plain(name) for name in names}


def _plain(text: str) -> str:
    return "".join(text.split())
