"""Tables that go on on the next page keep the headers of the page before. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from documents.pages.page_text import Cell, ParsedPage, Table

FOOT = 0.6
HEAD = 0.25
"""A table goes on if it ends below `FOOT` of one page and begins above `HEAD` of the next."""
SAME_EDGE = 0.015
"""Columns of both parts begin within this share of the page's width."""

_CONTINUED = re.compile(r"\b(?:continued|cont\.?|cont[’']d)(?!\w)|续", re.IGNORECASE)
_NUMBER = re.compile(r"\d+(?:[.\-]\d+)?|[IVX]+\b|[一二三四五六七八九十]+")


def with_continued_tables(
    pages: Iterable[ParsedPage], *, before: ParsedPage | None = None
) -> Iterator[ParsedPage]:
    """The pages in order, the first table of each joined to the last one of the page before.

    `before` is the page in front of the first one, as it came out of here, if there is one.
    """
    for page in pages:
        tables = list(page.tables)
        if tables:
            first = min(range(len(tables)), key=lambda index: tables[index].rect[1])
            tables[first] = _continued(before, page, tables[first])
        judged = (_settled(table) for table in tables)
        settled = replace(page, tables=tuple(table for table in judged if table is not None))
        yield settled
        before = settled


def _settled(table: Table) -> Table | None:
    """A table without rows if they can't be relied on; none if only its rows spoke for it."""
    if table.reliable:
        return table
    is_guess = bool(table.rows) and table.caption is None
    return None if is_guess else replace(table, rows=())


def _continued(before: ParsedPage | None, page: ParsedPage, table: Table) -> Table:
    if before is None or not before.tables or before.number + 1 != page.number:
        return table
    last = max(before.tables, key=lambda other: other.rect[3])
    if not _goes_on(before, last, page, table):
        return table
    repeated = _headers(table) == _headers(last)
    if repeated or not _same_columns(last, table):
        is_own = repeated or (table.reliable and table.caption is not None)
        return replace(table, continues=True, reliable=table.reliable and is_own)
    if table.reliable and _says_continued(page, table) and not _has_number(table):
        # The same columns under other words: headers of its own.
        return replace(table, continues=True)
    return replace(table, continues=True, reliable=last.reliable, rows=_under_headers(last, table))


def _goes_on(before: ParsedPage, last: Table, page: ParsedPage, table: Table) -> bool:
    if _says_continued(page, table):
        return _number(before, last) in ("", _number(page, table))
    return table.caption is None and last.rect[3] > FOOT and table.rect[1] < HEAD


def _says_continued(page: ParsedPage, table: Table) -> bool:
    return table.caption is not None and bool(_CONTINUED.search(page.text[slice(*table.caption)]))


def _number(page: ParsedPage, table: Table) -> str:
    found = _NUMBER.search(page.text[slice(*table.caption)]) if table.caption else None
    return found[0] if found else ""


def _headers(table: Table) -> list[str]:
    return [cell.text for row in table.rows for cell in row if cell.is_header]


def _has_number(table: Table) -> bool:
    return any(sign.isdigit() for name in _headers(table) for sign in name)


def _same_columns(last: Table, table: Table) -> bool:
    ours, theirs = _edges(table), _edges(last)
    return (
        bool(ours)
        and len(ours) == len(theirs)
        and all(abs(a - b) <= SAME_EDGE for a, b in zip(ours, theirs, strict=True))
    )


def _edges(table: Table) -> list[float]:
    """Where the columns begin, and where the last one ends."""
    begins: dict[int, float] = {}
    for row in table.rows:
        for cell in row:
            begins.setdefault(cell.column, cell.rect[0])
    return [*(begins[column] for column in sorted(begins)), table.rect[2]]


def _under_headers(last: Table, table: Table) -> tuple[tuple[Cell, ...], ...]:
    """The rows of a part without headers of its own, under those of the part before.

    Rows from which on the columns are named anew keep those headers: what stood above them was
    taken for headers only because it stood first.
    """
    paths: dict[int, tuple[str, ...]] = {}
    for row in last.rows:
        for cell in row:
            if not cell.is_header and cell.columns == 1:
                paths[cell.column] = cell.header_path
    own = _named_anew(table)
    return (*(_under(row, paths) for row in table.rows[:own]), *table.rows[own:])


def _named_anew(table: Table) -> int:
    """The first header row behind a row that is none, or the number of rows."""
    headers = [all(cell.is_header for cell in row) for row in table.rows]
    changes = (at for at in range(1, len(headers)) if headers[at] and not headers[at - 1])
    return next(changes, len(headers))


def _under(row: tuple[Cell, ...], paths: Mapping[int, tuple[str, ...]]) -> tuple[Cell, ...]:
    return tuple(
        replace(
            cell,
            is_header=False,
            header_path=paths.get(cell.column, ()) if cell.columns == 1 else (),
            row_path=cell.row_path or _label(row),
        )
        for cell in row
    )


def _label(row: tuple[Cell, ...]) -> tuple[str, ...]:
    return (row[0].text,) if row and row[0].column == 0 else ()
