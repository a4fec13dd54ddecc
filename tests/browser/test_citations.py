"""Tags: hover, keyboard, click, tap; what the card and the reader show."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from citations.models import Citation
from tests.browser.visiting import Site, box_of
from tests.projects.library_rows import TEXT

Visit = Callable[..., Page]
SENTENCE = TEXT.split("\n", maxsplit=1)[0]


def test_hover_shows_the_sentence_marked_and_says_that_its_place_is_confirmed(
    visit: Visit, site: Site
) -> None:
    page = visit(site.conversation)
    page.hover("a.cite")
    card = page.locator(".card")
    expect(card.locator("mark")).to_have_text(SENTENCE)
    expect(card.locator(".card-status strong")).to_have_text("Place confirmed")
    expect(card.locator(".card-where")).to_contain_text("p. 1")
    expect(card.locator(".card-where")).to_contain_text("printed iv")
    expect(page.locator("a.cite")).to_have_attribute("data-status", "matched")


def test_the_card_comes_at_once_with_the_shape_of_what_will_be_in_it(
    visit: Visit, site: Site
) -> None:
    page = visit(site.conversation)
    page.route("**/card/", lambda route: None)
    page.hover("a.cite")
    expect(page.locator(".card .skeleton").first).to_be_visible(timeout=1000)


def test_the_pointer_may_move_into_the_card_and_escape_closes_it(visit: Visit, site: Site) -> None:
    page = visit(site.conversation)
    page.hover("a.cite")
    page.hover(".card .card-title")
    page.wait_for_timeout(500)
    expect(page.locator(".card")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".card")).to_be_hidden()


def test_the_keyboard_reaches_the_card_opens_the_reader_and_comes_back(
    visit: Visit, site: Site
) -> None:
    page = visit(site.conversation)
    page.focus("#main")
    tag = page.locator("a.cite")
    for _ in range(12):
        page.keyboard.press("Tab")
        if tag.evaluate("tag => tag === document.activeElement"):
            break
    expect(page.locator(".card mark")).to_be_visible()
    page.keyboard.press("Tab")
    expect(page.locator(".card [data-reader]")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#reader .mark-pen rect")).to_have_count(1)
    page.keyboard.press("Escape")
    expect(page.locator("#reader")).to_be_hidden()


def test_a_click_opens_the_reader_and_the_sentence_stays_where_it_was(
    visit: Visit, site: Site
) -> None:
    page = visit(site.conversation, viewport={"width": 1360, "height": 320})
    tag = page.locator("a.cite")
    tag.scroll_into_view_if_needed()
    before = box_of(tag)
    tag.click()
    expect(page.locator("#reader .mark-pen rect")).to_have_count(1)
    assert abs(before["y"] - box_of(tag)["y"]) < 2
    page.go_back()
    expect(page.locator("#reader")).to_be_hidden()
    expect(tag).to_be_focused()


def test_the_mark_lies_over_the_words_of_the_quotation(visit: Visit, site: Site) -> None:
    page = visit(site.citation)
    shown = page.evaluate(
        """() => {
            const paper = document.querySelector(".sheet img").getBoundingClientRect();
            const mark = document.querySelector(".mark-pen rect").getBoundingClientRect();
            const across = (x) => (x - paper.left) / paper.width;
            const down = (y) => (y - paper.top) / paper.height;
            return [across(mark.left), down(mark.top), across(mark.right), down(mark.bottom)];
        }"""
    )
    right = 0.1 + 0.01 * len(SENTENCE)
    assert shown == pytest.approx([0.1, 0.1, right, 0.12], abs=0.004)


def test_the_address_of_an_open_place_can_be_shared(visit: Visit, site: Site) -> None:
    page = visit(site.conversation)
    page.click("a.cite")
    page.wait_for_url(re.compile("#read="))
    again = visit(page.url)
    expect(again.locator("#reader .mark-pen rect")).to_have_count(1)


@pytest.mark.parametrize(
    ("quote", "name"),
    [
        ("Markets for melons fail.", "Place not confirmed"),
        ("", "Place not confirmed"),
    ],
    ids=["other-words", "no-quotation"],
)
def test_an_unconfirmed_place_is_said_calmly_and_nothing_is_drawn(
    visit: Visit, site: Site, quote: str, name: str
) -> None:
    Citation.objects.update(quote=quote)
    page = visit(site.conversation)
    page.hover("a.cite")
    expect(page.locator(".card-status strong")).to_have_text(name)
    expect(page.locator(".card mark")).to_have_count(0)
    page.click("a.cite")
    expect(page.locator("#reader .evidence-status strong")).to_have_text(name)
    expect(page.locator("#reader .sheet")).to_be_visible()
    expect(page.locator(".mark-pen")).to_have_count(0)


def test_a_citation_of_a_removed_paper_keeps_its_excerpt(visit: Visit, site: Site) -> None:
    from documents.removing import remove

    remove(site.rows.document)
    page = visit(site.conversation)
    page.click("a.cite")
    expect(page.locator("#reader blockquote")).to_contain_text(SENTENCE)
    expect(page.locator("#reader")).to_contain_text("This paper left the project on")


def test_a_finger_gets_the_card_first_and_the_reader_from_its_button(
    visit: Visit, site: Site
) -> None:
    page = visit(site.conversation, viewport={"width": 390, "height": 844}, has_touch=True)
    page.tap("a.cite")
    expect(page.locator(".card mark")).to_be_visible()
    expect(page.locator("#reader")).to_be_hidden()
    page.tap(".card [data-reader]")
    expect(page.locator("#reader .mark-pen rect")).to_have_count(1)
    assert box_of(page.locator("#reader"))["width"] == 390
    page.tap("[data-close-reader]")
    expect(page.locator("a.cite")).to_be_in_viewport()


def test_the_statement_that_a_citation_stands_for_is_underlined(visit: Visit, site: Site) -> None:
    page = visit(site.conversation)
    page.hover("a.cite")
    expect(page.locator(".card mark")).to_be_visible()
    covered = "[...CSS.highlights.get('covered') ?? []].map(String).join()"
    assert SENTENCE.rstrip(".") in page.evaluate(covered)
    page.keyboard.press("Escape")
    assert page.evaluate("CSS.highlights.has('covered')") is False
