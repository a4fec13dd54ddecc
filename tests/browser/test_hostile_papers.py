"""A paper whose words are markup: it stays text on every page, and the browser asks nobody else."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import Page, expect

from tests.browser.visiting import Site

if TYPE_CHECKING:
    from tests.projects.library_rows import Rows

HOSTILE = (
    '<img src="https://elsewhere.example/x.png" onerror="alert(1)"><script>alert(2)</script>'
    " [here](javascript:alert(3)) ![seen](https://elsewhere.example/y.png)"
)


@pytest.fixture
def rows(transactional_db: None, small_pdf: Path, redis: object) -> "Rows":
    from tests.projects.library_rows import new_rows

    return new_rows(small_pdf, title=HOSTILE, text=f"{HOSTILE}\nBuyers can not see quality.")


def test_markup_in_a_paper_stays_text_and_no_request_leaves(
    visit: Callable[..., Page], site: Site
) -> None:
    """`visit` fails the test for a dialog, and for a request to another machine."""
    page = visit(site.conversation)
    page.hover("a.cite")
    expect(page.locator(".card mark")).to_contain_text("onerror")
    page.click("a.cite")
    expect(page.locator("#reader")).to_contain_text("onerror")
    expect(page.locator("#reader .mark-pen rect")).not_to_have_count(0)
    for address in (site.reader, site.url("library"), site.citation):
        expect(visit(address).locator("body")).to_contain_text("onerror")
