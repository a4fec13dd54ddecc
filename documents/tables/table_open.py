"""Tables without a full grid: columns by free strips, headers by rules and place. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from documents.tables.table_columns import (
    CLEAR_GAP,
    Column,
    columns_between,
    find_columns,
    is_number,
    may_hide_columns,
)
from documents.tables.table_draft import BodyRow, Draft, DraftCell, Region, row_edges
from documents.tables.table_header_doubts import doubts_about
from documents.tables.table_header_spans import Header
from documents.tables.table_headers import find_headers
from documents.tables.table_notes import is_note
from documents.tables.table_rows import Body, find_rows
from documents.tables.table_words import CELL_GAP, SMALL, TextRow, rows_of, usual_height

MOST_HEADER_ROWS = 6
JOINING = frozenset("/／±×")
"""Signs between two numbers of one value."""
_PLAIN = re.compile(r"[-−–+<>]?\d[\d.,]*[*†‡%]*$")


@dataclass(frozen=True, slots=True)
class _Parts:
    header: list[TextRow]
    body: list[TextRow]
    doubts: list[str]


def open_table(region: Region) -> Draft | None:
    """The table in a region that full-width rules or nothing at all divide; None if it is none."""
    height = usual_height(region.words)
    rows = rows_of(region.words)
    if len(rows) < 2:
        return None
    rows, notes = _without_notes(rows, height)
    parts = _header_and_body(region, rows, height)
    columns = _columns(region, parts, height)
    if len(columns) < 2:
        return None
    columns, headers = _settled(region, parts, columns, height)
    if len(columns) < 2:
        return None
    body = find_rows(parts.body, columns, region.full_rules(), height)
    doubts = [*parts.doubts, *doubts_about(headers, len(columns)), *body.doubts]
    doubts += _doubts_about_body(body, columns, height)
    if may_hide_columns(parts.body, columns, height):
        doubts.append("columns may stand too near each other")
    draft = _draft(region, columns, headers, parts.header, body)
    noted = tuple(word for row in notes for word in row.words)
    return replace(draft, doubts=tuple(doubts), notes=noted)


def _columns(region: Region, parts: _Parts, height: float) -> list[Column]:
    """Columns by free strips, and by upright rules where there are some."""
    borders = (region.box[0], region.box[2])
    columns = find_columns(parts.body, parts.header, borders, height)
    edges = _ruled_edges(region, parts.body)
    if not edges:
        return columns
    middles = [word.middle for row in parts.body for word in row.words]
    for column in columns[1:]:
        low, high = nearest(edges, column.left)
        between = (
            [m for m in middles if low < m < column.left],
            [m for m in middles if column.left < m < high],
        )
        if all(between):
            edges.append(column.left)
    return columns_between(parts.body, sorted(edges), *borders)


def nearest(edges: Sequence[float], place: float) -> tuple[float, float]:
    """The edges next to a place on both sides."""
    return (
        max((edge for edge in edges if edge <= place), default=float("-inf")),
        min((edge for edge in edges if edge > place), default=float("inf")),
    )


def _without_notes(rows: list[TextRow], height: float) -> tuple[list[TextRow], list[TextRow]]:
    """The rows, and those at the foot that are the table's notes."""
    first = len(rows)
    while first > 2 and len(rows[first - 1].stretches(CELL_GAP * height)) == 1:
        first -= 1
    for number in range(first, len(rows)):
        if is_note(rows[number].text):
            return rows[:number], rows[number:]
    return rows, []


def _header_and_body(region: Region, rows: list[TextRow], height: float) -> _Parts:
    """Header rows stand above the first full rule inside, or above the first row of numbers."""
    for rule in region.full_rules():
        above = [row for row in rows if (row.y0 + row.y1) / 2 < rule.at]
        below = rows[len(above) :]
        if not above or not below:
            continue
        if len(above) > MOST_HEADER_ROWS:
            break
        if any(_is_data(row, height) for row in above) and not _rules_off(region, above, below):
            break
        return _with_rows_below(region, above, below, height)
    first = next((n for n, row in enumerate(rows) if _is_data(row, height)), 0)
    if 0 < first <= MOST_HEADER_ROWS:
        head = rows[:first]
        # A panel's title, or a label without values, just above the numbers is no header.
        while len(head) > 1 and len(head[-1].stretches(CLEAR_GAP * height)) == 1:
            head = head[:-1]
        return _Parts(head, rows[len(head) :], [] if region.is_ruled else ["no rule below headers"])
    return _Parts(rows[:1], rows[1:], ["no header found"])


def _rules_off(region: Region, above: list[TextRow], below: list[TextRow]) -> bool:
    """Whether the only rule inside the table parts a row of numbers from the rest: a header."""
    top, bottom = above[0].y0, below[-1].y1
    inside = [rule for rule in region.full_rules() if top < rule.at < bottom]
    return region.is_ruled and len(inside) == 1 and len(above) == 1


def _with_rows_below(
    region: Region, above: list[TextRow], below: list[TextRow], height: float
) -> _Parts:
    """Header rows may go on below the first full rule: no numbers, and a rule below them."""
    data = sum(_is_data(row, height) for row in below)
    for rule in region.full_rules():
        band = [row for row in below if (row.y0 + row.y1) / 2 < rule.at]
        if not band or len(band) == len(below):
            continue
        label = min(word.x0 for row in below for word in row.words)
        no_label = all(row.x0 > label + 2 * height for row in band)
        several = len(band[-1].stretches(CLEAR_GAP * height)) > 1
        if len(band[0].stretches(CLEAR_GAP * height)) == 1:
            break
        plain = not any(_has_number(row, height) for row in band)
        if len(band) <= 2 and plain and (no_label or (several and data > len(below) / 2)):
            return _with_rows_below(region, above + band, below[len(band) :], height)
        break
    return _Parts(above, below, [])


def _is_data(row: TextRow, height: float) -> bool:
    """Whether a row has values: numbers that are no years and no numbers of columns."""
    stretches = row.stretches(CLEAR_GAP * height)
    if len(stretches) < 2:
        return False
    values = [s for s in stretches[1:] if _is_value(s.text) and not _is_label(s.text)]
    return len(values) > 0.5 * (len(stretches) - 1) or len(values) >= 3


def _has_number(row: TextRow, height: float) -> bool:
    return any(is_number(s.words[0].text) for s in row.stretches(CLEAR_GAP * height))


def _is_value(text: str) -> bool:
    """A number, with a unit or a note perhaps, but no phrase that begins with one."""
    digits = sum(sign.isdigit() for sign in text)
    letters = sum(sign.isalpha() for sign in text)
    return is_number(text.split(maxsplit=1)[0]) and letters <= digits + 2


def _is_label(text: str) -> bool:
    plain = text.strip("()[]*")
    is_year = plain.isdigit() and len(plain) == 4 and plain[:2] in ("19", "20")
    return is_year or (text.startswith("(") and plain.isdigit() and len(plain) <= 2)


def _ruled_edges(region: Region, body: Sequence[TextRow]) -> list[float]:
    """Upright rules that run along most of the body, inside the region."""
    if not body or not region.upright:
        return []
    top, bottom = body[0].y0, body[-1].y1
    x0, _, x1, _ = region.box
    edges: list[float] = []
    for rule in sorted(region.upright, key=lambda rule: rule.at):
        along = min(rule.end, bottom) - max(rule.start, top)
        inside = x0 + 4 < rule.at < x1 - 4
        if inside and along >= 0.8 * (bottom - top) and (not edges or rule.at - edges[-1] > 4):
            edges.append(rule.at)
    return edges


def _settled(
    region: Region, parts: _Parts, columns: list[Column], height: float
) -> tuple[list[Column], list[Header]]:
    """Columns and their headers; columns that share one header, close together, are one."""
    rules = [rule for rule in region.level if rule.length < 0.9 * region.width]
    while True:
        headers = find_headers(parts.header, columns, rules, height)
        shared = _shared_leaf(headers, columns)
        if shared is None:
            return columns, headers
        first, last = shared
        one = replace(columns[first], right=columns[last].right, x1=columns[last].x1)
        columns = [*columns[:first], one, *columns[last + 1 :]]


def _shared_leaf(headers: list[Header], columns: list[Column]) -> tuple[int, int] | None:
    """Columns `(first, last)` with one header over them and none of their own."""
    for header in headers:
        if header.first == header.last:
            continue
        lower = [h for h in headers if h.row > header.last_row and h.covers(header.first)]
        own = [
            h for h in headers if h.row > header.last_row and header.first <= h.first <= header.last
        ]
        unsure = not any(column.is_sure for column in columns[header.first + 1 : header.last + 1])
        if not lower and not own and unsure:
            return header.first, header.last
    return None


def _doubts_about_body(body: Body, columns: Sequence[Column], height: float) -> list[str]:
    doubts: list[str] = []
    if any(_holds_numbers(body, column) for column in range(1, len(columns))):
        doubts.append("numbers stand side by side in a cell")
    if any(_goes_on_from_the_left(body, column) for column in range(1, len(columns))):
        doubts.append("a value may stand in two columns")
    full = [row for row in body.rows if not row.is_wide and row.values]
    if not full:
        doubts.append("no values")
    for row in full:
        for column, lines in row.cells.items():
            if column and any(_is_torn(TextRow(line), height) for line in lines):
                doubts.append("a cell has a gap inside")
                return doubts
    return doubts


def _goes_on_from_the_left(body: Body, column: int) -> bool:
    """Whether most cells of a column begin with a sign that joins two numbers."""
    cells = [row.cells[column][0] for row in body.rows if column in row.cells and not row.is_wide]
    return sum(len(line) > 1 and line[0].text in JOINING for line in cells) > 0.5 * len(cells)


def _holds_numbers(body: Body, column: int) -> bool:
    """Whether most cells of a column are several plain numbers: columns were missed."""
    cells = [row.cells[column] for row in body.rows if column in row.cells and not row.is_wide]
    several = sum(
        len(words) > 1 and all(_PLAIN.match(word.text) for word in words)
        for lines in cells
        for words in [[w for w in lines[0] if w.height > SMALL * lines[0][0].height]]
    )
    return several > 0.5 * len(cells)


def _is_torn(line: TextRow, height: float) -> bool:
    """Two numbers with a wide gap between them in one cell: columns may have been missed."""
    stretches = line.stretches(0.9 * height)
    return len(stretches) > 1 and all(is_number(s.words[0].text) for s in stretches)


def _draft(
    region: Region,
    columns: Sequence[Column],
    headers: Sequence[Header],
    header_rows: Sequence[TextRow],
    body: Body,
) -> Draft:
    bands = [row.band for row in header_rows]
    bands += [(row.top, row.bottom) for row in body.rows]
    x0, y0, x1, y1 = region.box
    xs = (min(x0, columns[0].x0), *(c.left for c in columns[1:]), max(x1, columns[-1].x1))
    cells = [
        DraftCell(
            header.lines,
            header.row,
            header.first,
            header.last_row - header.row + 1,
            header.last - header.first + 1,
            is_header=True,
        )
        for header in headers
    ]
    shift = len(header_rows)
    for index, row in enumerate(body.rows):
        cells += _cells(row, index + shift, len(columns))
    return Draft(
        xs=xs,
        ys=tuple(row_edges(bands, y0, y1)),
        cells=tuple(cells),
        ruled_rows=frozenset(n + shift for n, row in enumerate(body.rows) if row.ruled_above),
        method="columns",
    )


def _cells(row: BodyRow, index: int, count: int) -> list[DraftCell]:
    cells = [DraftCell(tuple(lines), index, column) for column, lines in sorted(row.cells.items())]
    return [replace(cells[0], columns=count)] if row.is_wide else cells
