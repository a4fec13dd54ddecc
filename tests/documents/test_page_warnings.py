"""Pages that can't be used like the others: grouped by what is the matter, told in one sentence."""

import pytest

from documents.models import Page, ParsedFile
from documents.page_warnings import PageWarning, stored_warnings, warning_words
from documents.progress import page_warnings

KINDS = [
    ("no_text", "", "probably a scan", True),
    ("no_text", "picture", "probably a scan", True),
    ("no_text", "blank", "is empty", False),
    ("no_text", "ocr_nothing_found", "OCR found none", True),
    ("no_text", "ocr_too_slow", "OCR failed", True),
    ("garbled", "", "scrambled", True),
    ("garbled", "ocr_nothing_found", "OCR could not", True),
    ("unsupported_rotation", "angle", "at an angle", True),
    ("failed", "too_slow", "too long", True),
    ("failed", "out_of_memory", "memory", True),
    ("failed", "crashed", "could not be read", True),
    ("ocr", "", "read by OCR", False),
]


@pytest.fixture
def parsed(db: None) -> ParsedFile:
    return ParsedFile.objects.create(
        sha256="0" * 64, parser="by-hand", page_count=len(KINDS), complete=True
    )


@pytest.mark.parametrize(("state", "reason", "words", "is_gap"), KINDS)
def test_each_kind_of_page_has_its_sentence(
    parsed: ParsedFile, state: str, reason: str, words: str, is_gap: bool
) -> None:
    Page.objects.create(parsed=parsed, number=7, state=state, reason=reason)
    (warning,) = page_warnings(parsed)
    assert words in warning_words(warning)
    assert "7" in warning_words(warning)
    assert warning.is_gap is is_gap
    parsed.warnings = [warning.as_json()]
    assert stored_warnings(parsed) == [warning]


def test_pages_of_one_kind_share_a_sentence_and_empty_ones_come_last(parsed: ParsedFile) -> None:
    for number, (state, reason, _words, _is_gap) in enumerate(KINDS, 1):
        Page.objects.create(parsed=parsed, number=number, state=state, reason=reason)
    found = page_warnings(parsed)
    assert found[0] == PageWarning("no_text", (1, 2))
    assert found[-1] == PageWarning("empty", (3,))
    assert sorted(page for warning in found for page in warning.pages) == list(range(1, 13))


def test_pages_that_read_well_need_no_word(parsed: ParsedFile) -> None:
    Page.objects.create(parsed=parsed, number=1, state="ok")
    assert page_warnings(parsed) == []


def test_a_file_that_is_still_being_read_is_not_judged(parsed: ParsedFile) -> None:
    parsed.warnings = [{"code": "no_text", "pages": [1]}]
    parsed.complete = False
    assert stored_warnings(parsed) == []
    assert stored_warnings(None) == []
