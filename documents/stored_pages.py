"""Between pages as values and pages as rows."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from documents.models import Page, ParsedFile
from documents.pages.geometry import pack_boxes
from documents.pages.page_text import Block, BlockKind, Boxes, PageState, ParsedPage, Span
from documents.tables.table_json import tables_as_json, tables_from_json

NO_BOXES: Boxes = np.zeros((0, 4), np.float32)


def store_pages(parsed: ParsedFile, pages: Iterable[ParsedPage]) -> None:
    """Add pages to a reading. A page that is there already stays as it is."""
    rows = [
        Page(
            parsed=parsed,
            number=page.number,
            label=page.label[:40],
            state=page.state,
            reason=page.reason[:300],
            width=page.width,
            height=page.height,
            rotation=page.rotation,
            text=page.text,
            packed_boxes=pack_boxes(page.boxes) if len(page.boxes) else b"",
            blocks=[[block.kind, block.start, block.end, block.level] for block in page.blocks],
            tables=tables_as_json(page.tables),
        )
        for page in pages
    ]
    Page.objects.bulk_create(rows, ignore_conflicts=True)


def first_missing_page(parsed: ParsedFile) -> int:
    """The number of the first page that is not stored; one past the last if none is missing."""
    expected = 1
    for number in parsed.pages.order_by("number").values_list("number", flat=True).iterator():
        if number != expected:
            break
        expected += 1
    return expected


def stored_pages(parsed: ParsedFile) -> list[ParsedPage]:
    """All pages of a reading in order, without their boxes."""
    rows = parsed.pages.defer("packed_boxes").order_by("number")
    return [page_values(row) for row in rows.iterator(chunk_size=200)]


def pages_with_boxes(
    parsed: ParsedFile, *, start: int = 1, before: int | None = None
) -> Iterator[ParsedPage]:
    """Pages of a reading in order, from number `start` on, whole."""
    rows = parsed.pages.filter(number__gte=start).order_by("number")
    if before is not None:
        rows = rows.filter(number__lt=before)
    for row in rows.iterator(chunk_size=20):
        yield replace(page_values(row), boxes=row.boxes() if row.text else NO_BOXES)


def page_texts(parsed: ParsedFile, spans: Iterable[Span]) -> dict[int, str]:
    """The text of the pages that the spans stand on, by page number."""
    numbers = {span.page for span in spans}
    return dict(parsed.pages.filter(number__in=numbers).values_list("number", "text"))


def page_values(row: Page) -> ParsedPage:
    """A page without its boxes."""
    blocks = tuple(
        Block(BlockKind(kind), start, end, level) for kind, start, end, level in row.blocks
    )
    return ParsedPage(
        number=row.number,
        label=row.label,
        state=PageState(row.state),
        text=row.text,
        boxes=NO_BOXES,
        width=row.width,
        height=row.height,
        rotation=row.rotation,
        reason=row.reason,
        blocks=blocks,
        tables=tables_from_json(row.text, row.tables),
    )
