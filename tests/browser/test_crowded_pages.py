"""A page that can't be drawn just now comes by itself a little later."""

import time
from pathlib import Path

from playwright.sync_api import Browser
from pytest_django import Settings

from documents.rendering import DRAWING
from tests.browser.visiting import Site, Visits
from tests.documents.isolated.test_gates import crowd

DRAWN = "document.querySelector('.sheet-paper img').naturalWidth > 0"


def test_a_page_that_found_no_place_is_asked_for_again(
    browser: Browser, site: Site, settings: Settings, tmp_path: Path
) -> None:
    settings.LITO_CACHE = tmp_path / "cache"
    visits = Visits(browser, site)
    with crowd(DRAWING):
        page = visits.open(site.reader)
        page.wait_for_load_state("networkidle")
        assert not page.evaluate(DRAWN)
    deadline = time.monotonic() + 20
    while not page.evaluate(DRAWN):
        assert time.monotonic() < deadline, "the page was not asked for again"
        page.wait_for_timeout(100)
    visits.close()
    assert visits.complaints
    assert all("status of 503" in complaint for complaint in visits.complaints)
