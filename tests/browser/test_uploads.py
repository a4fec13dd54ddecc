"""Uploads whose answer is lost on the way."""

from pathlib import Path
from typing import TYPE_CHECKING

from django.db import connections

from documents.uploads import add_file
from tests.browser.visiting import Site, Visits
from tests.documents.pdf_making import make_pdf

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Route


def test_after_a_lost_answer_the_list_shows_what_was_stored(
    browser: "Browser", site: Site, tmp_path: Path
) -> None:
    file = make_pdf(tmp_path / "limes.pdf", 2)

    def lose_the_answer(route: "Route") -> None:
        add_file(site.rows.project, path_or_upload=file, file_name=file.name, user=None)
        connections.close_all()  # Playwright's callbacks have one of their own
        route.abort("connectionreset")

    visits = Visits(browser, site)
    page = visits.open(site.url("library"), role="editor")
    page.route("**/upload/", lose_the_answer)
    page.set_input_files("#upload-files", file)
    page.locator("#library-rows .paper", has_text="limes.pdf").wait_for()
    said = page.locator("#library-rows .refusals").inner_text()
    assert "The list shows what was stored" in said
    assert "Nothing of it was stored" not in said
    visits.close()
    assert [words for words in visits.complaints if "ERR_CONNECTION_RESET" not in words] == []
