"""Pages that are pictures are read, whichever way up, with boxes where the words are."""

from pathlib import Path

import numpy as np
import pymupdf
import pypdfium2
import pytest
from numpy.typing import NDArray
from pytest_django import Settings

from documents.pages.page_text import PageState, ParsedPage, Reason
from documents.parsing import parse_file, parse_pages
from tests.documents.handmade import write_pdf, write_top_down
from tests.documents.scans import CHINESE, LINES, write_scan

pytestmark = pytest.mark.slow
FONT_SIZE = 12


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize(("kind", "lines"), [("english", LINES), ("chinese", CHINESE)])
def test_a_scan_is_read_whichever_way_up_it_lies(
    tmp_path: Path, kind: str, lines: tuple[str, ...], turn: int
) -> None:
    pages = (f"{kind}:{turn}", f"words-of-{kind}:{turn}")
    scan, words = parse_pages(write_scan(tmp_path / "scan.pdf", pages), ocr=True)
    assert (scan.state, words.state) == (PageState.OCR, PageState.OK)
    assert scan.text.split("\n") == list(lines)
    assert scan.text == words.text
    assert off_by(scan, words).max() < 0.6, "in font sizes"


def off_by(scan: ParsedPage, words: ParsedPage) -> NDArray[np.float64]:
    """How far, in font sizes, the middle of each letter is from where it is."""
    extent = np.array([words.width, words.height])
    middles = [
        (page.boxes[:, :2].astype(np.float64) + page.boxes[:, 2:]) / 2 * extent
        for page in (scan, words)
    ]
    inked = np.array([not letter.isspace() for letter in words.text])
    off: NDArray[np.float64] = np.abs(middles[0] - middles[1]).max(axis=1)[inked] / FONT_SIZE
    return off


def test_only_pages_without_usable_text_are_read(tmp_path: Path) -> None:
    path = write_scan(tmp_path / "mixed.pdf", ("text", "blank", "chinese"))
    parsed = parse_file(path, ocr=True)
    assert [page.state for page in parsed.pages] == ["ok", "no_text", "ocr"]
    assert parsed.pages[1].reason == Reason.BLANK
    assert parsed.parser.endswith("+ocr")
    assert parsed.warnings == ("The text of page 3 was read by OCR.",)


def test_a_page_that_takes_too_long_stays_what_it_was(tmp_path: Path, settings: Settings) -> None:
    settings.LITO_OCR_PAGE_SECONDS = 0.2
    (page,) = parse_pages(write_scan(tmp_path / "scan.pdf", ("english",)), ocr=True)
    assert (page.state, page.reason) == (PageState.NO_TEXT, "ocr_too_slow")


def test_a_page_beyond_the_memory_limit_stays_what_it_was(
    tmp_path: Path, settings: Settings
) -> None:
    settings.LITO_OCR_MEMORY_MB = 60
    (page,) = parse_pages(write_scan(tmp_path / "scan.pdf", ("english",)), ocr=True)
    assert page.state is PageState.NO_TEXT
    assert page.reason.startswith("ocr_")


def test_a_picture_without_words_has_no_text(tmp_path: Path) -> None:
    drawing = "0 0 0 RG 3 w 100 100 m 400 600 l S"
    (page,) = parse_pages(write_pdf(tmp_path / "drawing.pdf", drawing), ocr=True)
    assert (page.state, page.reason, page.text) == (PageState.NO_TEXT, Reason.NOTHING_FOUND, "")


def test_a_scan_of_top_down_writing_is_read_column_by_column(tmp_path: Path) -> None:
    columns = (
        "人生而自由在尊严和权利上一律平等",
        "他们赋有理性和良心并应以兄弟关系",
        "的精神相对待",
    )
    text = write_top_down(tmp_path / "text.pdf", columns, size=FONT_SIZE)
    with pypdfium2.PdfDocument(text) as document:
        drawn = document[0].render(scale=200 / 72).to_pil().convert("L")
    drawn.save(tmp_path / "scan.pdf", resolution=200)
    (words,) = parse_pages(text)
    (scan,) = parse_pages(tmp_path / "scan.pdf", ocr=True)
    assert scan.state is PageState.OCR
    assert scan.text.split("\n") == list(columns)
    assert scan.text == words.text
    assert off_by(scan, words).max() < 0.6, "in font sizes"


def test_a_picture_without_letters_is_not_said_to_have_text(tmp_path: Path) -> None:
    black = np.zeros((900, 900), np.uint8)
    with pymupdf.open() as document:  # type: ignore[no-untyped-call]
        page = document.new_page()
        pixels = pymupdf.Pixmap(pymupdf.csGRAY, 900, 900, black.tobytes(), False)  # type: ignore[no-untyped-call]
        page.insert_image((50, 100, 550, 600), pixmap=pixels)
        document.save(tmp_path / "black.pdf")
    (page,) = parse_pages(tmp_path / "black.pdf", ocr=True)
    assert (page.state, page.text, page.reason) == (PageState.NO_TEXT, "", Reason.NOTHING_FOUND)
