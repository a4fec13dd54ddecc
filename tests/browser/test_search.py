"""The library search in a real browser: typing finds, keys walk through it, Enter opens."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from documents.chunks.tokens import keyword_tokens
from documents.models import Change, Chunk
from tests.browser.visiting import Site
from tests.projects.library_rows import TEXT

Visit = Callable[..., Page]
MODEL_LOADS = 60_000
"""Milliseconds: the first search of this process loads the embedder."""


@pytest.fixture
def search_url(site: Site) -> str:
    """The search page of a project whose paper has one passage for each of its lines."""
    parsed = site.rows.version.parsed
    assert parsed is not None
    start = 0
    for ordinal, line in enumerate(TEXT.split("\n")):
        Chunk.objects.create(
            parsed=parsed,
            ordinal=ordinal,
            spans=[[1, start, start + len(line)]],
            section=["Results"],
            kind="text",
            tokens=9,
            terms=keyword_tokens(line),
        )
        start += len(line) + 1
    Change.objects.create(
        project=site.rows.project,
        kind="added",
        file_id=site.rows.version.public_id,
        parsed_id=parsed.pk,
    )
    return site.url("search")


def test_typing_finds_and_keys_open_the_passage_in_its_place(visit: Visit, search_url: str) -> None:
    page = visit(search_url)
    page.keyboard.press("Escape")
    page.locator("h1").click(force=True)
    page.keyboard.press("/")
    page.keyboard.type("lemons buyers")
    expect(page.locator("[data-hit]")).to_have_count(2, timeout=MODEL_LOADS)
    expect(page.locator("mark").first).to_be_visible()
    assert "q=lemons+buyers" in page.url
    expect(page.locator("[data-told]")).to_contain_text("2 passages found")

    page.keyboard.press("ArrowDown")
    expect(page.locator("[data-hit]").first).to_be_focused()
    page.keyboard.press("j")
    expect(page.locator("[data-hit]").last).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#reader [data-place=confirmed]")).to_be_visible()
    expect(page.locator("#reader .mark-pen.around rect")).to_have_count(1)

    before = page.url
    page.keyboard.press("k")
    expect(page.locator("[data-hit].is-open")).to_have_text(
        page.locator("[data-hit]").first.text_content() or ""
    )
    page.wait_for_url(lambda url: url != before)
    page.keyboard.press("Escape")
    expect(page.locator(".shell.reading")).to_have_count(0)
    assert "q=lemons+buyers" in page.url


def test_a_missing_paper_is_told_why_below_the_results(visit: Visit, search_url: str) -> None:
    page = visit(search_url + "?q=lemons&part=table")
    page.click(".why-not > summary")
    expect(page.locator(".fate-papers li")).to_contain_text("in other parts of it")


def test_the_search_works_as_a_plain_form(visit: Visit, search_url: str) -> None:
    page = visit(search_url, java_script_enabled=False)
    page.fill("#search-words", "lemons")
    page.click(".search-box button")
    page.click("[data-hit]")
    expect(page.locator("[data-place=confirmed]")).to_be_visible()
    expect(page.locator(".mark-pen:not(.around) rect")).to_have_count(1)


def test_a_selection_in_the_reader_is_looked_for_in_the_library(
    visit: Visit, search_url: str, site: Site
) -> None:
    page = visit(site.reader)
    page.locator(".layer text").first.dblclick()
    page.click("[data-find-in-library]")
    expect(page.locator("#search-words")).not_to_have_value("")
    expect(page.locator("[data-hit]").first).to_be_visible(timeout=MODEL_LOADS)
