"""Parts of a table on the next page: which headers they stand under."""

import numpy as np

from documents.pages.page_text import Cell, PageState, ParsedPage, Table
from documents.tables.table_continuation import with_continued_tables

Row = tuple[bool, tuple[str, str], tuple[str, ...]]
"""Whether it holds headers, its two cells, the header path of the second one."""


def page(number: int, rows: list[Row], *, top: float, bottom: float, reliable: bool) -> ParsedPage:
    cells = tuple(
        tuple(
            Cell(
                text, (), (0.5 * at, top, 0.5 * at + 0.5, bottom),
                header_path=path if at else (), column=at, is_header=is_header,
            )
            for at, text in enumerate(texts)
        )
        for is_header, texts, path in rows
    )  # fmt: skip
    table = Table(0, 1, (0.0, top, 1.0, bottom), cells, reliable)
    boxes = np.zeros((1, 4), np.float32)
    return ParsedPage(number, "", PageState.OK, "x", boxes, 595, 842, tables=(table,))


def test_rows_below_headers_of_their_own_keep_them() -> None:
    first = page(
        1,
        [(True, ("Year", "Yield"), ()), (False, ("1990", "1.1"), ("Yield",))],
        top=0.7,
        bottom=0.9,
        reliable=True,
    )
    second = page(
        2,
        [
            (True, ("1991", "1.2"), ()),
            (False, ("1992", "1.4"), ("1.2",)),
            (True, ("Village", "Loss"), ()),
            (False, ("Hill", "0.3"), ("Loss",)),
        ],
        top=0.1,
        bottom=0.3,
        reliable=False,
    )
    _, going_on = with_continued_tables([first, second])
    (table,) = going_on.tables
    assert table.continues
    assert table.reliable
    assert [row[1].header_path for row in table.rows] == [("Yield",), ("Yield",), (), ("Loss",)]
    assert [row[1].is_header for row in table.rows] == [False, False, True, False]
    assert table.rows[0][1].row_path == ("1991",)
