"""The troublesome files of the corpus: what a good reader does with each, OCR off."""

from collections.abc import Callable
from pathlib import Path

import pytest

from documents.inspecting import RefusedFileError, inspect_pdf
from documents.page_text import PageState, ParsedPage
from documents.parsing import parse_pages

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
    "blank_pages_between.pdf": lambda p: len(p) == 4 and 2 in without_text(p),
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
        states(p)[0] == "garbled" and states(p).count("garbled") > 35 and states(p)[5] == "ok"
    ),
    "hyphen_lineend.pdf": lambda p: "dehypenisa-\ntion" in p[0].text,
    "invisible_text.pdf": lambda p: p[0].text.count("Invisible OCR text layer") == 1,
    "javascript.pdf": lambda p: states(p) == ["ok"],
    "ligatures.pdf": lambda p: "'\ufb02ag'" in p[0].text and "'flag'" in p[0].text,
    "many_pages_400.pdf": lambda p: len(p) == 400 and without_text(p)[0] == 2,
    "ocr_layer_hidden.pdf": lambda p: len(p) == 6 and "SIEGE OF VICKSBURG" in p[0].text,
    "page_labels_roman.pdf": lambda p: [page.label for page in p] == ["i", "ii", "iii", "1"],
    "partial_scan_3of6.pdf": lambda p: without_text(p) == [1, 2, 3] and len(p) == 6,
    "pdf20_brotli_plans.pdf": lambda p: len(p) == 25,
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


def test_every_file_of_the_folder_is_checked(corpus: Path) -> None:
    assert {path.name for path in (corpus / "nasty").glob("*.pdf")} == {*REFUSED, *CHECKS}
