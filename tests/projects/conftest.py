"""Fixtures for pages: a project with a row of every kind. Imports wait for Django."""

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.projects.library_rows import Rows


@pytest.fixture
def small_pdf(tmp_path: Path) -> Path:
    from tests.documents.pdf_making import make_pdf

    return make_pdf(tmp_path / "lemons.pdf", 1)


@pytest.fixture
def rows(db: None, small_pdf: Path) -> "Rows":
    from tests.projects.library_rows import new_rows

    return new_rows(small_pdf)
