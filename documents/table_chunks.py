"""A table as the parts that chunks are made of: headers to repeat, rows, notes. Pure."""

from dataclasses import dataclass

from documents.page_text import Cell, ParsedPage, Span


@dataclass(frozen=True, slots=True)
class TableParts:
    """`[start, end)` is the page text from the table's first to its last cell.

    `header` are the spans to repeat in every chunk: caption, header rows. `rows` are the spans of
    each row from left to right; a panel's title is a row of its own.
    """

    page: int
    start: int
    end: int
    header: tuple[Span, ...]
    rows: tuple[tuple[Span, ...], ...]
    notes: tuple[Span, ...]


def table_parts(page: ParsedPage) -> tuple[TableParts, ...]:
    """The tables of a page whose rows can be relied on."""
    return tuple(
        TableParts(
            page=page.number,
            start=table.start,
            end=table.end,
            header=tuple(
                Span(page.number, start, end)
                for start, end in [
                    *([table.caption] if table.caption else []),
                    *(span for row in table.rows for span in _spans(row, is_header=True)),
                ]
            ),
            rows=tuple(
                tuple(Span(page.number, start, end) for start, end in spans)
                for row in table.rows
                if (spans := _spans(row, is_header=False))
            ),
            notes=tuple(Span(page.number, start, end) for start, end in table.notes),
        )
        for table in page.tables
        if table.reliable
    )


def _spans(row: tuple[Cell, ...], *, is_header: bool) -> list[tuple[int, int]]:
    return [span for cell in row if cell.is_header == is_header for span in cell.spans]
