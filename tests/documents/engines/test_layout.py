"""A layout model looks at tables that the text tier was not sure of."""

from dataclasses import replace
from pathlib import Path

import pypdfium2
import pytest
from pytest_django import Settings

from documents.engines.layout import pages_with_layout
from documents.engines.layout_tables import SeenTable, wants_layout, with_layout
from documents.pages.page_text import PageState, ParsedPage, Table
from documents.parsing import parse_pages
from documents.tables.drawn_rules import NO_RULES


@pytest.fixture(scope="module")
def unsure(corpus: Path) -> tuple[Path, ParsedPage]:
    """A page with two tables whose rows wrap inside a cell."""
    path = corpus / "papers" / "en_psych_PMC13116603.pdf"
    return path, next(page for page in parse_pages(path, start=5) if page.number == 5)


@pytest.mark.slow
def test_rows_that_the_model_parts_in_the_same_way_become_sure(
    unsure: tuple[Path, ParsedPage],
) -> None:
    path, page = unsure
    assert [table.reliable for table in page.tables] == [False, False]
    (seen,) = pages_with_layout(path, [page])
    assert (seen.text, seen.blocks) == (page.text, page.blocks)
    assert seen.boxes is page.boxes
    first, second = seen.tables
    assert first == page.tables[0], "the model cuts through a word of this one"
    assert (second.reliable, second.method) == (True, "layout")
    ages = next(row for row in second.rows if row[0].text == "Age (in years)")
    assert ages[1].text == "42.0 (20.8), 18.0–89.0"
    assert ages[1].header_path == ("Train n = 426 1",)
    for cell in (cell for row in second.rows for cell in row):
        words = " ".join(page.text[start:end] for start, end in cell.spans)
        assert "".join(words.split()) == "".join(cell.text.split())


def test_a_page_whose_tables_are_sure_is_not_looked_at(
    unsure: tuple[Path, ParsedPage], tmp_path: Path
) -> None:
    _path, page = unsure
    sure = replace(page, tables=tuple(replace(table, reliable=True) for table in page.tables))
    assert wants_layout(page)
    assert not wants_layout(sure)
    assert not wants_layout(replace(page, state=PageState.OCR))
    assert list(pages_with_layout(tmp_path / "no such file.pdf", [sure])) == [sure]


def test_a_sure_table_is_never_replaced_and_nonsense_adds_nothing(
    unsure: tuple[Path, ParsedPage],
) -> None:
    _path, page = unsure
    sure = replace(page, tables=tuple(replace(table, reliable=True) for table in page.tables))
    x0, y0, x1, y1 = (
        side * size
        for side, size in zip(sure.tables[1].rect, (page.width, page.height) * 2, strict=True)
    )
    same = SeenTable((x0, y0, x1, y1), (x0, (x0 + x1) / 2, x1), (y0, y1))
    elsewhere = SeenTable((100, 600, 300, 700), (100, 200, 300), (600, 650, 700))
    assert with_layout(sure, [same, elsewhere], NO_RULES).tables == sure.tables


@pytest.mark.slow
def test_a_model_that_takes_too_long_leaves_the_page_as_it_was(
    unsure: tuple[Path, ParsedPage], settings: Settings
) -> None:
    path, page = unsure
    settings.LITO_PAGE_SECONDS = 0.01
    tables: tuple[Table, ...] = next(pages_with_layout(path, [page])).tables
    assert tables == page.tables


@pytest.mark.slow
def test_a_file_is_read_with_the_model_only_if_that_is_asked_for(
    unsure: tuple[Path, ParsedPage], tmp_path: Path
) -> None:
    path, page = unsure
    alone = tmp_path / "page.pdf"
    with pypdfium2.PdfDocument(path) as document, pypdfium2.PdfDocument.new() as copy:
        copy.import_pages(document, [page.number - 1])
        copy.save(alone)
    for layout, methods in ((False, ["columns"] * 2), (True, ["columns", "layout"])):
        (read,) = parse_pages(alone, layout=layout)
        assert [table.method for table in read.tables] == methods
