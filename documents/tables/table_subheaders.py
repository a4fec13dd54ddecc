"""Rows inside a table that name the columns anew for the rows below them. Pure."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from documents.tables.table_columns import is_number
from documents.tables.table_draft import Draft, DraftCell

MOSTLY = 0.6
_COLUMN_NUMBER = re.compile(r"^[(\[]\d{1,2}[)\]]$")


def with_subheaders(draft: Draft) -> Draft:
    """The draft with such rows marked: words without a label in columns of numbers."""
    rows: dict[int, list[DraftCell]] = defaultdict(list)
    for cell in draft.cells:
        rows[cell.row].append(cell)
    tops = [sorted(c.text for c in row) for row in rows.values() if all(c.is_header for c in row)]
    numeric = _numeric_columns(draft.cells)
    marked = {
        number
        for number, row in rows.items()
        if not any(cell.is_header for cell in row)
        and (
            (len(row) > 1 and sorted(cell.text for cell in row) in tops)
            or _names_anew(row, numeric)
        )
    }
    if any(_may_name_anew(rows, number, numeric) for number in rows.keys() - marked):
        draft = replace(draft, doubts=(*draft.doubts, "a panel may have headers of its own"))
    if not marked:
        return draft
    cells = tuple(replace(c, is_header=c.is_header or c.row in marked) for c in draft.cells)
    return replace(draft, cells=cells)


def _numeric_columns(cells: Sequence[DraftCell]) -> set[int]:
    """Columns whose cells are mostly numbers."""
    found: dict[int, list[bool]] = defaultdict(list)
    for cell in cells:
        if not cell.is_header and cell.columns == 1 and cell.column:
            found[cell.column].append(_is_value(cell))
    return {column for column, flags in found.items() if sum(flags) > MOSTLY * len(flags)}


def _names_anew(row: Sequence[DraftCell], numeric: set[int]) -> bool:
    """Whether a row without a label says words in (nearly) all columns of numbers."""
    columns = {place for cell in row for place in range(cell.column, cell.column + cell.columns)}
    if 0 in columns or len(columns & numeric) < max(2, MOSTLY * len(numeric)):
        return False
    texts = [cell.text for cell in row]
    if all(_COLUMN_NUMBER.match(text) for text in texts):
        return True
    return not any(_is_value(cell) for cell in row)


def _may_name_anew(rows: Mapping[int, Sequence[DraftCell]], number: int, numeric: set[int]) -> bool:
    """Whether a row of words with a label stands right below the name of a panel."""
    above = rows.get(number - 1, ())
    row = [cell for cell in rows[number] if cell.column]
    if len(above) != 1 or not row or any(cell.is_header for cell in (*above, *row)):
        return False
    return _names_anew(row, numeric)


def _is_value(cell: DraftCell) -> bool:
    return is_number(cell.words[0].text)
