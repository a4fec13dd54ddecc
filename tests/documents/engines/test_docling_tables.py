"""Docling's tables over our page text, and what is said where Docling or its models are missing.

`docling_table.json` was written by docling-core 2.104 (`DoclingDocument.export_to_dict`).
"""

import copy
import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from django.conf import LazySettings

from documents import ingestion
from documents.engines.docling_tables import (
    TableEngineUnavailableError,
    check_installed,
    drawn_tables,
    merged,
    with_docling_tables,
)
from documents.ingestion import Outcome
from documents.pages.page_text import ParsedPage, Table
from documents.parsing import PARSER, parse_file
from documents.rereading import reread
from documents.tables.drawn_tables import table_over
from documents.uploads import add_file
from projects.models import Project
from tests.documents.pdf_making import make_pdf

DOCUMENT = json.loads(
    (Path(__file__).parents[2] / "data" / "docling_table.json").read_text(encoding="utf-8")
)
WORDS = (
    (220, 105, "Score"),
    (72, 122, "Group"),
    (220, 122, "Mean"),
    (320, 122, "SD"),
    (72, 139, "Adults"),
    (72, 156, "Women"),
    (220, 156, "8.2"),
    (320, 156, "0.4"),
    (72, 173, "Men"),
    (220, 173, "9.1"),
    (320, 173, "-0.5"),
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> ParsedPage:
    path = tmp_path_factory.mktemp("docling") / "table.pdf"
    with pymupdf.open() as document:  # type: ignore[no-untyped-call]
        sheet = document.new_page(width=595, height=842)
        sheet.insert_text((72, 85), "Table 1: Scores of the groups", fontsize=10)
        for x, y, word in WORDS:
            sheet.insert_text((x, y), word, fontsize=10)
        sheet.insert_text((72, 220), "The text goes on below the table.", fontsize=10)
        document.save(path)
    return parse_file(path).pages[0]


def over(page: ParsedPage, document: Any = DOCUMENT) -> Table:
    (drawn,) = drawn_tables(document, page)
    table = table_over(page, drawn, method="docling")
    assert table is not None
    return table


def changed(index: int, **values: Any) -> Any:
    """The document with other values in one of its cells."""
    document = copy.deepcopy(DOCUMENT)
    document["tables"][0]["data"]["table_cells"][index].update(values)
    return document


def headless() -> Any:
    """The document without the header "Mean" and without the one above it."""
    document = changed(3, column_header=False)
    document["tables"][0]["data"]["table_cells"][0]["column_header"] = False
    return document


def test_cells_have_the_words_of_the_page_with_their_headers_rows_and_places(
    page: ParsedPage,
) -> None:
    table = over(page)
    assert table.reliable
    assert table.method == "docling"
    by_text = {cell.text: cell for row in table.rows for cell in row}
    assert set(by_text) == {word for _, _, word in WORDS}
    assert by_text["-0.5"].header_path == ("Score", "SD")
    assert by_text["-0.5"].row_path == ("Adults", "Men")
    assert by_text["8.2"].header_path == ("Score", "Mean")
    assert by_text["Group"].is_header
    assert by_text["Women"].header_path == ("Group",)
    for text, cell in by_text.items():
        ((start, end),) = cell.spans
        assert page.text[start:end] == text
        middle = (page.boxes[start:end, 0].min() + page.boxes[start:end, 2].max()) / 2
        assert cell.rect[0] - 0.01 <= middle <= cell.rect[2] + 0.01
    assert table.caption is not None
    assert page.text[slice(*table.caption)].startswith("Table 1")


@pytest.mark.parametrize(
    ("document", "why"),
    [
        (changed(10, text="0.5"), "the model reads another number"),
        (changed(10, bbox=None), "a word has no cell"),
        (changed(9, bbox=DOCUMENT["tables"][0]["data"]["table_cells"][10]["bbox"]), "two cells"),
        (headless(), "a column has no header of its own and none above it"),
    ],
)
def test_a_table_is_not_reliable_where_page_and_model_disagree(
    page: ParsedPage, document: Any, why: str
) -> None:
    assert not over(page, document).reliable, why


def test_no_table_is_taken_from_a_page_of_another_size(page: ParsedPage) -> None:
    document = copy.deepcopy(DOCUMENT)
    document["pages"]["1"]["size"] = {"width": 842.0, "height": 595.0}
    assert drawn_tables(document, page) == []
    assert drawn_tables({"pages": {}, "tables": []}, page) == []


def test_a_region_without_words_is_no_table(page: ParsedPage) -> None:
    (drawn,) = drawn_tables(DOCUMENT, page)
    assert table_over(page, replace(drawn, box=(300, 600, 400, 700)), method="docling") is None


def table(top: float, bottom: float, *, reliable: bool, method: str = "own") -> Table:
    return Table(
        int(top * 100), int(bottom * 100), (0, top, 1, bottom), (), reliable, method=method
    )


@pytest.mark.parametrize(
    ("ours", "theirs", "kept"),
    [
        (table(0.1, 0.3, reliable=True), table(0.1, 0.3, reliable=True, method="d"), ["own"]),
        (table(0.1, 0.3, reliable=False), table(0.1, 0.3, reliable=True, method="d"), ["d"]),
        (table(0.1, 0.3, reliable=False), table(0.2, 0.3, reliable=False, method="d"), ["own"]),
        (table(0.5, 0.6, reliable=True), table(0.1, 0.3, reliable=False, method="d"), ["d", "own"]),
    ],
)
def test_only_what_is_not_relied_on_makes_way(ours: Table, theirs: Table, kept: list[str]) -> None:
    assert [one.method for one in merged([ours], [theirs])] == kept


@pytest.mark.skipif(find_spec("docling") is not None, reason="Docling is installed here")
def test_without_the_package_a_sentence_says_how_to_install_it(
    tmp_path: Path, page: ParsedPage
) -> None:
    with pytest.raises(TableEngineUnavailableError, match=r"pip install '\.\[docling\]'"):
        list(with_docling_tables(tmp_path / "a.pdf", [page], artifacts=tmp_path))


@pytest.mark.skipif(find_spec("docling") is None, reason="needs the extra docling")
@pytest.mark.parametrize("filled", [False, True])
def test_without_its_models_a_sentence_says_where_to_get_them(
    tmp_path: Path, page: ParsedPage, filled: bool
) -> None:
    """Also where the folder holds something else: then the library itself is asked."""
    if filled:
        (tmp_path / "notes.txt").write_text("no models")
    with pytest.raises(TableEngineUnavailableError, match="docling-tools models download"):
        list(with_docling_tables(tmp_path / "a.pdf", [page], artifacts=tmp_path))
    if not filled:
        with pytest.raises(TableEngineUnavailableError, match="LITO_DOCLING_PATH"):
            check_installed(tmp_path / "nowhere")


@pytest.mark.django_db(transaction=True)
def test_a_paper_keeps_its_reading_where_the_engine_can_not_run(
    project: Project, tmp_path: Path, settings: LazySettings
) -> None:
    path = make_pdf(tmp_path / "paper.pdf")
    version = add_file(project, path_or_upload=path, file_name=path.name, user=None).version
    ingestion.parse_version(version.pk)
    ingestion.index_version(version.pk)
    settings.LITO_LAYOUT = True
    settings.LITO_TABLE_ENGINE = "docling"
    settings.LITO_DOCLING_PATH = str(tmp_path / "nowhere")
    assert reread(version.pk) is Outcome.FAILED
    version.refresh_from_db()
    assert version.parsed is not None
    assert version.parsed.parser == PARSER


def test_parsing_with_layout_asks_the_chosen_engine(tmp_path: Path, settings: LazySettings) -> None:
    path = make_pdf(tmp_path / "paper.pdf", pages=1)
    settings.LITO_TABLE_ENGINE = "docling"
    settings.LITO_DOCLING_PATH = str(tmp_path / "nowhere")
    assert len(parse_file(path).pages) == 1
    with pytest.raises(TableEngineUnavailableError):
        parse_file(path, layout=True)
