"""The outline of a file: its headings in order, with their pages."""

from pathlib import Path

import pytest

from documents.models import Page
from documents.pages.outline import DEEPEST, LONGEST, outline
from tests.documents.pdf_making import make_pdf
from tests.projects.library_rows import new_rows

TEXT = "1 Introduction\nMarkets fail.\n1.1 Lemons\nBuyers fear them."
BLOCKS = [
    ["heading", 0, 14, 1],
    ["paragraph", 15, 28, 0],
    ["heading", 29, 39, 2],
    ["paragraph", 40, 57, 0],
]


@pytest.mark.django_db
def test_headings_come_in_order_with_their_levels_and_pages(tmp_path: Path) -> None:
    version = new_rows(make_pdf(tmp_path / "lemons.pdf", 1)).version
    Page.objects.filter(parsed=version.parsed).update(text=TEXT, blocks=BLOCKS)
    found = outline(version)
    assert [(entry.text, entry.level, entry.page, entry.label) for entry in found] == [
        ("1 Introduction", 1, 1, "iv"),
        ("1.1 Lemons", 2, 1, "iv"),
    ]


@pytest.mark.django_db
def test_a_heading_that_is_too_long_or_too_deep_is_bounded(tmp_path: Path) -> None:
    version = new_rows(make_pdf(tmp_path / "lemons.pdf", 1)).version
    text = "word " * 100
    Page.objects.filter(parsed=version.parsed).update(
        text=text, blocks=[["heading", 0, len(text), 9], ["heading", 4, 5, 1]]
    )
    (entry,) = outline(version)
    assert (entry.level, len(entry.text)) == (DEEPEST, LONGEST)


@pytest.mark.django_db
def test_a_file_that_was_not_read_has_no_outline(tmp_path: Path) -> None:
    version = new_rows(make_pdf(tmp_path / "lemons.pdf", 1)).version
    version.parsed = None
    assert outline(version) == []
