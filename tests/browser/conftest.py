"""Fixtures for pages in a real browser: rows made by hand, served by a server of this process."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

    from tests.browser.visiting import Site
    from tests.projects.library_rows import Rows


@pytest.fixture
def small_pdf(tmp_path: Path) -> Path:
    from tests.documents.pdf_making import make_pdf

    return make_pdf(tmp_path / "lemons.pdf", 1)


@pytest.fixture
def rows(transactional_db: None, small_pdf: Path, redis: object) -> "Rows":
    from tests.projects.library_rows import new_rows

    return new_rows(small_pdf)


@pytest.fixture
def site(live_server: Any, rows: "Rows") -> "Site":
    """The running pages of `rows`."""
    from tests.browser.visiting import Site

    return Site(live_server.url, rows)


@pytest.fixture
def visit(browser: "Browser", site: "Site") -> "Iterator[Callable[..., Page]]":
    """Opens a page as the viewer, or as `role`. A complaint on the console fails the test."""
    from tests.browser.visiting import Visits

    visits = Visits(browser, site)
    yield visits.open
    visits.close()
    assert not visits.complaints, f"the console says: {visits.complaints}"
