"""The page as it was read: blocks in order, text that no block holds, borders of passages."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse

from documents.as_read import PageAsRead, page_as_read
from documents.models import Chunk, Page, ParsedFile, Version
from documents.pages.page_text import IN_VAIN, BlockKind, Cell, Table
from documents.parsing import PARSER
from documents.progress import page_notes
from documents.reading_labels import reading_label
from documents.tables.shown_tables import cropped, shown_tables
from documents.tables.table_json import tables_as_json
from projects.models import User
from tests.documents.pdf_making import make_pdf
from tests.projects.library_rows import TEXT, new_rows

FIRST_LINE = TEXT.index("\n")
RECT = (0.1, 0.1, 0.5, 0.2)


@pytest.fixture
def version(db: None, tmp_path: Path) -> Version:
    """One page of two sentences, in two lines."""
    return new_rows(make_pdf(tmp_path / "lemons.pdf", 1)).version


def read_with(version: Version, blocks: list[list[object]], *spans: list[list[int]]) -> PageAsRead:
    """The page read again, after it was given these blocks and one chunk for each of `spans`."""
    assert version.parsed is not None
    Page.objects.filter(parsed=version.parsed).update(blocks=blocks)
    for ordinal, places in enumerate(spans):
        Chunk.objects.create(
            parsed=version.parsed, ordinal=ordinal, spans=places, kind="text", tokens=9
        )
    read = page_as_read(version, 1)
    assert read is not None
    return read


def test_text_that_no_block_holds_is_shown_in_its_place(version: Version) -> None:
    read = read_with(version, [["paragraph", FIRST_LINE + 1, len(TEXT), 0]])
    kinds = [(block.number, block.kind, block.pieces[0].text) for block in read.blocks]
    assert kinds == [
        (1, None, TEXT[: FIRST_LINE + 1]),
        (2, BlockKind.PARAGRAPH, TEXT[FIRST_LINE + 1 :]),
    ]


def test_the_pieces_of_all_blocks_are_the_text_of_the_page(version: Version) -> None:
    read = read_with(version, [["paragraph", 0, len(TEXT), 0]], [[1, 8, 20]], [[1, 20, 30]])
    assert "".join(piece.text for piece in read.blocks[0].pieces) == TEXT
    assert [piece.passage for piece in read.blocks[0].pieces] == [None, 1, 2, None]


def test_a_passage_from_the_page_before_goes_on_and_the_next_one_opens(version: Version) -> None:
    blocks: list[list[object]] = [
        ["paragraph", 0, FIRST_LINE, 0],
        ["paragraph", FIRST_LINE + 1, len(TEXT), 0],
    ]
    read = read_with(version, blocks, [[0, 3, 9], [1, 0, 8]], [[1, 8, FIRST_LINE], [1, 25, 40]])
    borders = [
        (piece.passage, piece.opens)
        for block in read.blocks
        for piece in block.pieces
        if piece.is_border
    ]
    assert borders == [(1, False), (2, True)]
    assert [passage.pages for passage in read.passages] == [(0, 1), (1,)]


def test_a_span_that_only_looks_like_the_page_number_is_not_on_it(version: Version) -> None:
    read = read_with(version, [["paragraph", 0, len(TEXT), 0]], [[7, 1, 1]])
    assert read.passages == ()


def test_what_no_passage_holds_is_not_searched_but_for_headings(version: Version) -> None:
    blocks: list[list[object]] = [
        ["heading", 0, FIRST_LINE, 2],
        ["header_footer", FIRST_LINE + 1, len(TEXT), 0],
    ]
    read = read_with(version, blocks)
    assert [block.is_searched for block in read.blocks] == [True, False]


def test_an_area_surrounds_the_letters_of_its_block(version: Version) -> None:
    read = read_with(version, [["paragraph", 0, FIRST_LINE, 0]])
    (area,) = read.blocks[0].areas
    assert area == pytest.approx((0.1, 0.1, 0.1 + 0.01 * FIRST_LINE, 0.12), abs=0.002)


def test_a_page_that_is_not_stored_was_not_read(version: Version) -> None:
    assert page_as_read(version, 2) is None
    version.parsed = None
    assert page_as_read(version, 1) is None


def test_places_of_a_table_that_no_cell_fills_are_blank() -> None:
    def cell(text: str, column: int, *, columns: int = 1, rows: int = 1) -> Cell:
        return Cell(text, ((0, 1),), RECT, ("Model",), ("Row",), column, columns, rows)

    rows = (
        (cell("tall", 0, rows=2), cell("wide", 1, columns=2)),
        (cell("right", 2),),
        (cell("under", 0), cell("last", 2)),
    )
    table = Table(0, 9, RECT, rows, reliable=True)
    (shown,) = shown_tables(TEXT, [table])
    words = [[place.cell.text if place.cell else "" for place in row] for row in shown.rows]
    assert words == [["tall", "wide"], ["", "right"], ["under", "", "last"]]
    assert shown.rows[0][0].path == ("Row", "Model")


def test_a_region_is_cut_out_with_its_surroundings_and_inside_the_page() -> None:
    assert cropped((0.0, 0.2, 0.5, 1.0), 100, 200, by=0.1) == pytest.approx((0, 20, 60, 180))


def test_pages_with_an_unreliable_table_are_noted(version: Version) -> None:
    assert page_notes(version) == {}
    tables = tables_as_json((Table(0, 9, RECT, (), reliable=False),))
    Page.objects.filter(parsed=version.parsed).update(tables=tables)
    assert list(page_notes(version)) == [1]


@pytest.fixture
def lost(version: Version) -> Version:
    """A scan on which OCR failed."""
    ParsedFile.objects.update(
        parser=reading_label(PARSER, ocr=True),
        warnings=[{"code": "no_text", "pages": [1], "reason": IN_VAIN}],
    )
    Page.objects.update(state="no_text", reason="ocr_too_slow", text="", blocks=[])
    return version


@pytest.mark.parametrize(("person", "may_ask"), [("viewer", False), ("editor", True)])
def test_a_page_that_ocr_lost_says_so_and_editors_can_have_it_tried_once_more(
    person: str, may_ask: bool, lost: Version, client: Client
) -> None:
    client.force_login(User.objects.get(username=person))
    here = reverse("page_read", args=(lost.project.slug, lost.public_id, 1))
    again = reverse("retry_version", args=(lost.project.slug, lost.public_id))
    words = "OCR was tried twice on this page and is not tried again by itself."
    shown = client.get(here).content.decode()
    assert "OCR failed on page 1" in shown
    assert words in shown
    assert (f'action="{again}"' in shown) is may_ask
    assert ("Have OCR try once more" in shown) is may_ask
    client.post(again)
    assert (words not in client.get(here).content.decode()) is may_ask
    assert ParsedFile.objects.filter(parser__endswith="again1").exists() is may_ask
