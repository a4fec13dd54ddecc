"""The troublesome files of the corpus: what a good reader does with each, OCR off and on."""

import resource
import time
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from pytest_django import Settings

from documents.chunks.chunking import chunk_pages
from documents.engines.ocr import with_ocr
from documents.inspecting import RefusedFileError, inspect_pdf
from documents.isolated.isolation import close_idle_readers
from documents.pages.geometry import line_rects
from documents.pages.page_text import PageState, ParsedPage, Reason
from documents.parsing import parse_file, parse_pages
from tests.documents.handmade import write_pdf
from tests.documents.pdfium import pdfium_page

Pages = list[ParsedPage]

REFUSED = {
    "corrupt_xrefloop.pdf": "no_pages",
    "empty_file.pdf": "empty_file",
    "enc_user_paperless.pdf": "locked",
    "enc_user_rc4.pdf": "locked",
    "fuzz_unopenable.pdf": "damaged",
    "html_named_pdf.pdf": "not_a_pdf",
    "text_named_pdf.pdf": "not_a_pdf",
    "zero_pages.pdf": "no_pages",
}


def states(pages: Pages) -> list[str]:
    return [str(page.state) for page in pages]


def without_text(pages: Pages) -> list[int]:
    return [page.number for page in pages if page.state is PageState.NO_TEXT]


CHECKS: dict[str, Callable[[Pages], bool]] = {
    "accents_french.pdf": lambda p: "é É è È ê Ê" in p[0].text,
    "annotations_paper.pdf": lambda p: (
        len(p) == 14 and not any("Hello World" in page.text for page in p)
    ),
    "attachment.pdf": lambda p: len(p) == 1 and "Lorem ipsum" in p[0].text,
    "blank_pages_between.pdf": lambda p: (
        len(p) == 4 and 2 in without_text(p) and p[1].reason == Reason.BLANK
    ),
    "bomb_jbig2.pdf": lambda p: "GIANT JBIG2 BOMB" in p[0].text,
    "bomb_slow_text.pdf": lambda p: len(p) == 1,
    "cid_wrong_tounicode_zh.pdf": lambda p: len(p) == 6 and "Է" not in p[0].text,
    "corrupt_badxref.pdf": lambda p: p[0].text == "Potato",
    "corrupt_pagestree_cycle.pdf": lambda p: (
        states(p) == ["ok", "failed"] and "Pages loop" in p[0].text
    ),
    "cropbox_offset.pdf": lambda p: len(p) == 8 and set(states(p)) == {"ok"},
    "duplicate_chars_zh.pdf": lambda p: p[0].text.count("青岛理工大学") == 1,
    "enc_owner_copyprotected.pdf": lambda p: states(p) == ["ok", "ok"],
    "garbled_thesis_type1_zh.pdf": lambda p: (
        states(p).count("garbled") > 40
        and [p[n - 1].state for n in (1, 3, 4, 5, 7)] == ["garbled"] * 5
        and [p[n - 1].state for n in (2, 6)] == ["ok"] * 2
    ),
    "hyphen_lineend.pdf": lambda p: "dehypenisa-\ntion" in p[0].text,
    "invisible_text.pdf": lambda p: p[0].text.count("Invisible OCR text layer") == 1,
    "javascript.pdf": lambda p: states(p) == ["ok"],
    "ligatures.pdf": lambda p: "'\ufb02ag'" in p[0].text and "'flag'" in p[0].text,
    "many_pages_400.pdf": lambda p: len(p) == 400 and without_text(p)[0] == 2,
    "ocr_layer_hidden.pdf": lambda p: len(p) == 6 and "SIEGE OF VICKSBURG" in p[0].text,
    "page_labels_roman.pdf": lambda p: [page.label for page in p] == ["i", "ii", "iii", "1"],
    "partial_scan_3of6.pdf": lambda p: (
        without_text(p) == [1, 2, 3]
        and len(p) == 6
        and {page.reason for page in p[:3]} == {Reason.PICTURE}
    ),
    "pdf20_brotli_plans.pdf": lambda p: (
        len(p) == 25 and set(states(p)) == {"ok"} and sum(page.rotation == 270 for page in p) == 3
    ),
    "rotate_90_web.pdf": lambda p: "Example Domain" in p[0].text and p[0].rotation == 90,
    "rotate_all.pdf": lambda p: len(p) == 20 and p[0].text == "Original page 1",
    "rtl_arabic.pdf": lambda p: "Python" in p[0].text,
    "rtl_hebrew.pdf": lambda p: "שלום עולם" in p[0].text,
    "scan_chinese.pdf": lambda p: states(p) == ["no_text"] * 4,
    "scan_jbig2.pdf": lambda p: states(p) == ["no_text"],
    "text_rotated_inside.pdf": lambda p: (
        states(p) == ["ok"] and "Current use of contraception" in p[0].text
    ),
    "type3_nomapping.pdf": lambda p: states(p) == ["no_text"],
    "xfa_dynamic.pdf": lambda p: "Adobe Reader" in p[0].text.replace("\n", " "),
}


@pytest.mark.parametrize(("file", "code"), REFUSED.items())
def test_hopeless_files_are_refused_with_a_code(corpus: Path, file: str, code: str) -> None:
    with pytest.raises(RefusedFileError) as caught:
        inspect_pdf(corpus / "nasty" / file)
    assert caught.value.code == code


@pytest.mark.parametrize("file", CHECKS)
def test_troublesome_files_are_read_as_well_as_they_can_be(corpus: Path, file: str) -> None:
    path = corpus / "nasty" / file
    count = inspect_pdf(path).page_count
    pages = list(parse_pages(path))
    assert [page.number for page in pages] == list(range(1, count + 1))
    for page in pages:
        assert page.boxes.shape == (len(page.text), 4)
        assert page.state is not PageState.NO_TEXT or page.text == ""
    assert CHECKS[file](pages), [page.text[:80] for page in pages[:3]]


@pytest.mark.parametrize(
    ("file", "of"),
    [
        ("cropbox_offset.pdf", 12),
        ("rotate_90_web.pdf", 12),
        ("rotate_all.pdf", 12),
        ("text_rotated_inside.pdf", 20),
        ("ocr_layer_hidden.pdf", 20),
    ],
)
def test_boxes_stand_where_pdfium_has_them(corpus: Path, file: str, of: int) -> None:
    path = corpus / "nasty" / file
    compared = 0
    for page in islice(parse_pages(path), 8):
        for quote, boxes in pdfium_page(path, page.number).stretches(of=of, every=of):
            if page.text.count(quote) != 1:
                continue
            start = page.text.index(quote)
            rects = np.array(line_rects(page.boxes[start : start + len(quote)]))
            middles = (boxes[:, None, :2] + boxes[:, None, 2:]) / 2
            inside = (middles >= rects[:, :2]) & (middles <= rects[:, 2:])
            assert (inside.sum(axis=2) == 2).max(axis=1).all(), (page.number, quote)
            compared += 1
    assert compared >= 3


@pytest.mark.parametrize("file", ["bomb_slow_text.pdf", "bomb_jbig2.pdf", "many_pages_400.pdf"])
def test_no_file_takes_more_than_the_limits(corpus: Path, settings: Settings, file: str) -> None:
    """Memory: of the largest child that has ended by now, in any test of this process."""
    settings.LITO_PAGE_SECONDS = 5
    settings.LITO_PARSE_MEMORY_MB = 700
    close_idle_readers()
    began = time.monotonic()
    assert len(list(parse_pages(corpus / "nasty" / file))) >= 1
    assert time.monotonic() - began < 90
    close_idle_readers()
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss < 2500 * 1024


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "number", "words"),
    [
        ("scan_jbig2.pdf", 1, "32 Track MIDI Sequence Recorder"),
        ("scan_chinese.pdf", 2, "学位论文只能有一个主题"),
        ("partial_scan_3of6.pdf", 2, "This is a multi page document"),
        ("garbled_thesis_type1_zh.pdf", 7, "目录"),
    ],
)
def test_with_ocr_pages_without_usable_text_are_read(
    corpus: Path, file: str, number: int, words: str
) -> None:
    path = corpus / "nasty" / file
    page = next(page for page in parse_pages(path, start=number) if page.number == number)
    assert page.state in (PageState.NO_TEXT, PageState.GARBLED)
    (read,) = with_ocr(path, [page])
    assert read.state is PageState.OCR
    assert words in read.text.replace("\n", "")
    assert read.boxes.shape == (len(read.text), 4)


@pytest.mark.parametrize("name", ["数据分析：第2版.pdf", "تقرير السنة.pdf", "a\u202eb c'\"&#.pdf"])
def test_any_file_name_will_do(pdf: Path, tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(pdf.read_bytes())
    assert inspect_pdf(path).page_count == 3
    assert states(list(parse_file(path).pages)) == ["ok"] * 3


def test_fifty_thousand_digits_are_a_page_like_any_other(tmp_path: Path) -> None:
    digits = "".join(f"({'0123456789' * 10}) Tj T*\n" for _ in range(500))
    path = write_pdf(tmp_path / "digits.pdf", f"BT /F1 2 Tf 1.5 TL 20 830 Td {digits} ET")
    began = time.process_time()
    parsed = parse_file(path)
    chunks = chunk_pages(parsed.pages)
    assert sum(sign.isdigit() for sign in parsed.pages[0].text) == 50_000
    assert all(chunk.tokens <= 400 for chunk in chunks)
    assert time.process_time() - began < 20


def test_every_file_of_the_folder_is_checked(corpus: Path) -> None:
    assert {path.name for path in (corpus / "nasty").glob("*.pdf")} == {*REFUSED, *CHECKS}
