"""Quotes and numbers of the cells of real tables are drawn in their own cells and rows.

The hand-made truth says what a cell holds and beside which label it stands, PDFium which letters
lie under the rectangles that are drawn.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from citations.locating import FoundPlace, locate_quote
from citations.searchable_page import SearchablePage
from documents.isolated.isolation import Reply
from documents.isolated.page_replies import page_of
from documents.isolated.pdf_operations import forget_document, page_text, survey
from documents.pages.page_text import Cell, ParsedPage, Rect, Table
from documents.tables.table_continuation import with_continued_tables
from documents.tables.table_judging import TrueTable, judge_table, read_truth
from documents.tables.table_text import row_rect
from documents.tables.truth_cells import levelled, same_label, same_value
from tests.documents.pdfium import PdfiumPage, pdfium_page

TRUTH = Path(__file__).parent.parent / "data" / "tables.jsonl"
PAPERS = (
    "en_med_PMC12959560",
    "en_psych_PMC13116603",
    "en_acl2020_207",
    "en_sensors_PMC9321529",
    "en_econ_bufferstock",
    "zh_pair3_cpet",
    "zh_contest_fast",
    "zh_fin_nee_2018q1",
)
SIGNS = "+-<>≤≥()[]*%"
"""What a highlight may leave out at either end of a value."""
ROOM = 0.004
"""Share of the page by which a highlight may reach beyond the edges of its row: it has a margin."""


@dataclass(frozen=True)
class TablePage:
    """A page with a table that was read, beside the truth of it and what PDFium sees there."""

    truth: TrueTable
    page: ParsedPage
    table: Table
    pdfium: PdfiumPage


@pytest.fixture(scope="module")
def tables(corpus: Path) -> list[TablePage]:
    return [
        found for name in PAPERS for found in reliable_tables(corpus / "papers" / f"{name}.pdf")
    ]


def reliable_tables(path: Path) -> Iterator[TablePage]:
    by_page: dict[int, list[TrueTable]] = defaultdict(list)
    for truth in read_truth(TRUTH)[0]:
        if truth.file == path.name:
            by_page[truth.page].append(truth)
    usual = survey(str(path))[0]["size"]
    for number, truths in by_page.items():
        read = page_of(Reply(*page_text(str(path), number, usual)), number)
        (page,) = with_continued_tables([read])
        pdfium = pdfium_page(path, number)
        for truth in truths:
            judged = judge_table(truth, page)
            if judged.read is not None and judged.read.reliable:
                yield TablePage(truth, page, judged.read, pdfium)
    forget_document()


def homes(read: TablePage, value: str, label: str) -> list[tuple[Cell, Rect]]:
    """The cells with a value in rows with a label, and the boxes of these rows."""
    return [
        (cell, row_rect(row))
        for row in read.table.rows
        for cell in row
        if same_value(value, cell.text)
        and any(same_label(label, name) for each in row for name in (*each.row_path, each.text))
    ]


def is_inside(rects: Sequence[Rect], outer: Rect) -> bool:
    x0, y0, x1, y1 = outer
    return all(
        r[0] >= x0 - ROOM and r[1] >= y0 - ROOM and r[2] <= x1 + ROOM and r[3] <= y1 + ROOM
        for r in rects
    )


def seen_under(rects: Sequence[Rect], pdfium: PdfiumPage) -> str:
    """The letters whose middle lies in one of the rectangles, in PDFium's order."""
    letters = []
    for sign, (x0, y0, x1, y1) in zip(pdfium.text, pdfium.boxes.tolist(), strict=True):
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        if any(r[0] <= x <= r[2] and r[1] <= y <= r[3] for r in rects):
            letters.append(sign)
    return levelled("".join(letters))


def rects_of(place: FoundPlace) -> list[Rect]:
    return [rect for region in place.regions for rect in region.rects]


def count_of(value: str, page: ParsedPage) -> int:
    return levelled(page.text).count(levelled(value))


def test_a_value_that_stands_once_is_drawn_in_its_own_cell(tables: list[TablePage]) -> None:
    drawn, wrong = 0, []
    for read in tables:
        searchable = SearchablePage.of(read.page)
        for cell in read.truth.cells:
            found = locate_quote(cell.value, [searchable], page=read.page.number)
            if found.status != "matched":
                continue
            drawn += 1
            rects = rects_of(found.places[0])
            own = homes(read, cell.value, cell.row[-1])
            seen = seen_under(rects, read.pdfium)
            if not any(is_inside(rects, place.rect) for place, _ in own) or (
                seen.strip(SIGNS) != levelled(cell.value).strip(SIGNS)
            ):
                wrong.append((read.truth.file, read.page.number, cell, found.places[0].text, seen))
    assert wrong == []
    assert drawn > 150


def test_a_value_that_stands_several_times_is_called_ambiguous(tables: list[TablePage]) -> None:
    several, wrong = 0, []
    for read in tables:
        searchable = SearchablePage.of(read.page)
        cells = [cell for row in read.table.rows for cell in row]
        for value in {cell.value for cell in read.truth.cells}:
            status = locate_quote(value, [searchable], page=read.page.number).status
            is_several = sum(same_value(value, cell.text) for cell in cells) > 1
            several += is_several and status == "ambiguous"
            if (
                status not in {"matched", "ambiguous", "missing_quote"}
                or (is_several and status == "matched")
                or (status == "ambiguous" and count_of(value, read.page) < 2)
            ):
                wrong.append((read.truth.file, read.page.number, value, status))
    assert wrong == []
    assert several > 20


def test_a_row_as_printed_is_drawn_in_its_own_row(tables: list[TablePage]) -> None:
    drawn, wrong = 0, []
    for read in tables:
        searchable = SearchablePage.of(read.page)
        for row in read.table.rows:
            spans = sorted(span for cell in row for span in cell.spans)
            is_body = len(row) > 1 and not any(cell.is_header for cell in row)
            if not is_body or any(read.page.text[a[1] : b[0]].strip() for a, b in pairwise(spans)):
                continue
            quote = read.page.text[spans[0][0] : spans[-1][1]]
            found = locate_quote(quote, [searchable], page=read.page.number)
            if found.status == "matched":
                drawn += 1
                if not is_inside(rects_of(found.places[0]), row_rect(row)):
                    wrong.append((read.truth.file, read.page.number, quote, "drawn elsewhere"))
            elif found.status != "ambiguous":
                wrong.append((read.truth.file, read.page.number, quote, found.status))
    assert wrong == []
    assert drawn > 100
