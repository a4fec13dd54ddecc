"""Which files are refused, with which code, and what the sentence says."""

from pathlib import Path

import pytest

from documents.inspecting import MESSAGES, RefusedFileError, inspect_pdf
from tests.documents.files import PDFS


def refusal(path: Path, **limits: int) -> RefusedFileError:
    with pytest.raises(RefusedFileError) as caught:
        inspect_pdf(path, **limits)
    return caught.value


def test_a_good_file_is_known_by_its_hash_size_and_pages() -> None:
    found = inspect_pdf(PDFS / "article.pdf")
    assert found.page_count == 3
    assert found.size == (PDFS / "article.pdf").stat().st_size
    assert len(found.sha256) == 64


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty_file"),
        (b"<!DOCTYPE html><html><body><h1>404</h1></body></html>", "not_a_pdf"),
        (b"Just some text that somebody called paper.pdf\n", "not_a_pdf"),
        (b"%PDF-1.4\nSample PDF content", "not_a_pdf"),
        (b"PK\x03\x04" + b"\0" * 200, "not_a_pdf"),
        (b"%PDF-1.7\n1 0 obj\n<< /Type /Catalog", "damaged"),
    ],
)
def test_what_is_no_readable_pdf_is_refused_whatever_its_name(
    tmp_path: Path, content: bytes, code: str
) -> None:
    path = tmp_path / "paper.pdf"
    path.write_bytes(content)
    error = refusal(path)
    assert error.code == code
    assert error.message == str(MESSAGES[code])


def test_a_locked_file_is_said_to_be_locked() -> None:
    error = refusal(PDFS / "locked.pdf")
    assert error.code == "locked"
    assert "password" in error.message


def test_the_limits_are_named_in_the_sentence() -> None:
    error = refusal(PDFS / "article.pdf", max_pages=2)
    assert error.code == "too_many_pages"
    assert "3 pages" in error.message
    assert "2" in error.message
    assert refusal(PDFS / "article.pdf", max_bytes=1024).code == "too_large"


def test_a_pdf_without_pages_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "none.pdf"
    path.write_bytes(
        b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog /Pages 2 0 R >>\nendobj\n"
        b"2 0 obj\n<< /Type /Pages /Kids [] /Count 0 >>\nendobj\n"
        b"trailer\n<< /Root 1 0 R /Size 3 >>\n%%EOF\n"
    )
    assert refusal(path).code == "no_pages"
