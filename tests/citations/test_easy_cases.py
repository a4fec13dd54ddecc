# mypy: disable-error-code="no-untyped-call"
"""The cases that highlighters are known to fail, each on a real PDF read by the real parser."""

from collections.abc import Iterator
from pathlib import Path

import pymupdf
import pytest

from citations.locating import locate_quote
from citations.searchable_page import SearchablePage
from documents.parsing import parse_pages
from tests.citations.made_pages import made_page


def read(path: Path) -> list[SearchablePage]:
    return [SearchablePage.of(page) for page in parse_pages(path)]


def page_of(
    document: pymupdf.Document, html: str, *, box: tuple[int, ...] = (60, 60, 540, 700)
) -> None:
    document.new_page().insert_htmlbox(box, html)


@pytest.fixture
def document(tmp_path: Path) -> Iterator[tuple[pymupdf.Document, Path]]:
    with pymupdf.open() as opened:
        yield opened, tmp_path / "made.pdf"


def test_easy_1_ligatures_are_found_by_plain_letters(
    document: tuple[pymupdf.Document, Path],
) -> None:
    made, path = document
    page_of(made, "<p>A scienti\ufb01c re\ufb02ection on the matter.</p>")
    made.save(path)
    pages = read(path)
    located = locate_quote("scientific reflection", pages, page=1)
    assert located.status == "matched"
    ((x0, _, x1, _),) = located.places[0].regions[0].rects
    whole = locate_quote("A scientific reflection on the matter", pages, page=1)
    ((w0, _, w1, _),) = whole.places[0].regions[0].rects
    assert w0 < x0 < x1 < w1


def test_easy_2_line_end_hyphens_have_both_readings(
    document: tuple[pymupdf.Document, Path],
) -> None:
    made, path = document
    page_of(made, "<p>the dynamic com-<br>piled code was well-<br>known to all</p>")
    made.save(path)
    pages = read(path)
    for quote in ("dynamic compiled code", "was well-known to all", "compiled", "well-known"):
        located = locate_quote(quote, pages, page=1)
        assert located.status == "matched", quote
        assert len(located.places[0].regions[0].rects) == 2, quote


def test_easy_3_a_quote_across_two_columns_is_not_found(
    document: tuple[pymupdf.Document, Path],
) -> None:
    made, path = document
    page = made.new_page()
    left = "Column one tells of rain and of the wind that came with it over many long days. " * 6
    right = "Second column speaks about trade and prices which rose in each of the years. " * 6
    page.insert_htmlbox((60, 60, 280, 700), f"<p>{left}</p>")
    page.insert_htmlbox((320, 60, 540, 700), f"<p>{right}</p>")
    made.save(path)
    pages = read(path)
    text = pages[0].detail.text
    assert text.index("Second column") > text.rindex("rain")
    first_left = next(line for line in text.splitlines() if line.startswith("Column one"))
    first_right = next(line for line in text.splitlines() if line.startswith("Second column"))
    assert locate_quote(f"{first_left} {first_right}", pages, page=1).status == "not_found"


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("cropped", [False, True])
def test_easy_4_turned_and_cropped_pages_are_drawn_right_or_not_at_all(
    document: tuple[pymupdf.Document, Path], rotation: int, cropped: bool
) -> None:
    made, path = document
    page = made.new_page()
    page.insert_text((100, 200), "Reputation raises prices")
    page.insert_text((100, 300), "Another line of the page")
    if cropped:
        page.set_cropbox(pymupdf.Rect(40, 80, 500, 600))
    page.set_rotation(rotation)
    made.save(path)
    located = locate_quote("Reputation raises prices", read(path), page=1)
    if located.status == "unsupported_rotation":
        assert not located.places
        return
    assert located.status == "matched"
    (rect,) = located.places[0].regions[0].rects
    with pymupdf.open(path) as opened:
        shown = opened[0]
        (hit,) = shown.search_for("Reputation raises prices")
        seen = hit * shown.rotation_matrix
        seen.normalize()
        width, height = shown.rect.width, shown.rect.height
    drawn = pymupdf.Rect(rect[0] * width, rect[1] * height, rect[2] * width, rect[3] * height)
    assert (drawn & seen).get_area() > 0.85 * min(drawn.get_area(), seen.get_area())


def test_easy_5_a_sentence_over_a_page_break_is_marked_on_both_pages(
    document: tuple[pymupdf.Document, Path],
) -> None:
    made, path = document
    first = made.new_page()
    first.insert_text((72, 740), "The treated group was seen to")
    second = made.new_page()
    second.insert_text((72, 90), "improve within a week. Then more.")
    made.save(path)
    pages = read(path)
    for page in (None, 1, 2):
        located = locate_quote("treated group was seen to improve within a week", pages, page=page)
        assert located.status == "matched"
        assert [region.page for region in located.places[0].regions] == [1, 2]


def test_easy_6_twins_are_all_listed_and_none_is_chosen(
    document: tuple[pymupdf.Document, Path],
) -> None:
    made, path = document
    for team in ("Alpha", "Beta"):
        page_of(made, f"<p>Team {team} reported that sales had doubled in spring.</p>")
    made.save(path)
    pages = read(path)
    located = locate_quote("reported that sales had doubled", pages)
    assert located.status == "ambiguous"
    assert [place.regions[0].page for place in located.places] == [1, 2]
    assert locate_quote("reported that sales had doubled", pages[1:]).status == "matched"


def test_easy_7_radicals_are_found_by_ordinary_characters() -> None:
    text = "用\u2f42本和\u2f45法研究\u2ed8年"
    page = SearchablePage.of(made_page(text))
    located = locate_quote("用文本和方法研究青年", [page], page=1)
    assert located.status == "matched"
    assert located.places[0].text == text


def test_easy_8_numbers_and_signs_are_never_confused(
    document: tuple[pymupdf.Document, Path],
) -> None:
    made, path = document
    page_of(
        made,
        "<p>It rose by 1.5 % at p &lt; 0.05 with a slope of -0.3 and 10<sup>5</sup> cells.</p>",
    )
    made.save(path)
    pages = read(path)
    for quote in ("15 %", "p > 0.05", "0.3", "105", "and 105 cells"):
        assert locate_quote(quote, pages, page=1).status == "not_found", quote
    for quote in ("1.5 %", "p < 0.05", "-0.3", "10⁵ cells"):
        assert locate_quote(quote, pages, page=1).status == "matched", quote
