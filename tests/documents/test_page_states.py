"""What a page is said to be, and text that is there twice or in an unusual way."""

from pathlib import Path

import numpy as np
import pypdfium2
import pytest

from documents.pages.page_text import PageState, ParsedPage, Reason
from documents.parsing import parse_pages
from tests.documents.handmade import HEIGHT, WIDTH, write_pdf, write_top_down

COLUMNS = (
    "人生而自由，在尊严和权利上一律平等。",
    "他们赋有理性和良心，并应以兄弟关系",
    "的精神相对待。",
)
VISIBLE = "BT 0 Tr /F1 12 Tf 72 700 Td (The growth of the plants was measured in spring.) Tj ET"


def read(path: Path) -> ParsedPage:
    (page,) = parse_pages(path)
    return page


def hidden(x: float, y: float, words: str) -> str:
    return f"BT 3 Tr /F1 11.6 Tf {x} {y} Td ({words}) Tj ET"


def test_top_down_writing_is_read_from_the_right_with_boxes_where_its_ink_is(
    tmp_path: Path,
) -> None:
    path = write_top_down(tmp_path / "top_down.pdf", COLUMNS)
    page = read(path)
    assert page.state is PageState.OK
    assert page.text.split("\n") == list(COLUMNS)
    with pypdfium2.PdfDocument(path) as document:
        drawn = document[0].render(scale=2).to_pil().convert("L")
    ink = np.argwhere(np.asarray(drawn) < 128)[:, ::-1] / (2 * WIDTH, 2 * HEIGHT)
    letters = [box for letter, box in zip(page.text, page.boxes, strict=True) if letter != "\n"]
    inside = np.array([((ink >= box[:2]) & (ink <= box[2:])).all(axis=1) for box in letters])
    assert inside.any(axis=0).mean() > 0.99, "all that is drawn is under a box"
    assert (inside.sum(axis=1) > 10).all(), "something is drawn under each box"


def test_hidden_text_under_the_same_visible_text_is_not_said_twice(tmp_path: Path) -> None:
    layer = hidden(73, 701, "The growth of the plants was measurcd in spring.")
    page = read(write_pdf(tmp_path / "twice.pdf", f"{layer} {VISIBLE}"))
    assert page.text == "The growth of the plants was measured in spring."


def test_hidden_text_where_nothing_else_is_written_is_the_text_of_the_page(tmp_path: Path) -> None:
    layer = hidden(72, 500, "A line that was read off a scan.")
    page = read(write_pdf(tmp_path / "layer.pdf", f"{VISIBLE} {layer}"))
    assert page.text.split("\n\n") == [
        "The growth of the plants was measured in spring.",
        "A line that was read off a scan.",
    ]


@pytest.mark.parametrize("offset", [0.0, 0.3, 0.8])
def test_fake_bold_is_read_once(tmp_path: Path, offset: float) -> None:
    again = VISIBLE.replace("72 700", f"{72 + offset} {700 - offset / 2}")
    page = read(write_pdf(tmp_path / "bold.pdf", f"{VISIBLE} {again} {again}"))
    assert page.text == "The growth of the plants was measured in spring."


def test_equal_lines_below_each_other_are_both_read(tmp_path: Path) -> None:
    again = VISIBLE.replace("72 700", "72 686")
    page = read(write_pdf(tmp_path / "list.pdf", f"{VISIBLE} {again}"))
    assert page.text.count("measured") == 2


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", Reason.BLANK),
        ("1 1 1 rg 0 0 595 842 re f", Reason.BLANK),
        ("BT /F1 12 Tf 72 700 Td (   ) Tj ET", Reason.BLANK),
        ("0 0 0 RG 3 w 100 100 m 400 600 l S", Reason.PICTURE),
        ("q 400 0 0 500 90 150 cm BI /W 1 /H 1 /BPC 8 /CS /G ID a EI Q", Reason.PICTURE),
    ],
)
def test_a_page_without_text_is_blank_or_a_picture(
    tmp_path: Path, content: str, reason: Reason
) -> None:
    page = read(write_pdf(tmp_path / "empty.pdf", content))
    assert (page.state, page.reason, page.text) == (PageState.NO_TEXT, reason, "")


def test_text_at_an_angle_says_so(tmp_path: Path) -> None:
    slanted = "BT /F1 12 Tf 0.87 0.5 -0.5 0.87 72 300 Tm (Words that climb over the page.) Tj ET"
    page = read(write_pdf(tmp_path / "slanted.pdf", slanted))
    assert (page.state, page.reason) == (PageState.UNSUPPORTED_ROTATION, Reason.ANGLE)
