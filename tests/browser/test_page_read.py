"""What did Lito read here: by mouse, by keys, by finger, and without script."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from documents.models import Chunk, Page
from documents.pages.page_text import Cell, Table
from documents.tables.table_json import tables_as_json
from tests.browser.visiting import Site, box_of
from tests.projects.library_rows import TEXT

Visit = Callable[..., Tab]
PHONE = {"width": 390, "height": 844}
LINE = TEXT.index("\n")


@pytest.fixture
def address(site: Site) -> str:
    """A page with a heading, a paragraph in two passages, and two tables."""
    parsed = site.rows.version.parsed
    assert parsed is not None
    group, name, value = ((0, 7),), ((LINE + 1, LINE + 7),), ((12, 18),)
    cells = (
        (Cell("Markets", group, (0.1, 0.4, 0.3, 0.43), is_header=True),),
        (
            Cell("Buyers", name, (0.1, 0.44, 0.3, 0.47), ("Markets",)),
            Cell("lemons", value, (0.3, 0.44, 0.5, 0.47), ("Panel A", "Sum"), ("Buyers",), 1),
        ),
    )
    sound = Table(0, 9, (0.1, 0.4, 0.5, 0.47), cells, reliable=True, method="ruled")
    doubtful = Table(0, 9, (0.1, 0.6, 0.6, 0.75), (), reliable=False)
    Page.objects.filter(parsed=parsed).update(
        blocks=[["heading", 0, LINE, 1], ["paragraph", LINE + 1, len(TEXT), 0]],
        tables=tables_as_json((sound, doubtful)),
    )
    for ordinal, spans in enumerate(([[1, LINE + 1, 40]], [[1, 40, len(TEXT)]])):
        Chunk.objects.create(
            parsed=parsed, ordinal=ordinal, spans=spans, section=["1 Lemons"], kind="text", tokens=5
        )
    return site.url("page_read", site.rows.version.public_id, 1)


def test_blocks_lie_over_the_page_where_their_text_stands(visit: Visit, address: str) -> None:
    tab = visit(address)
    image = box_of(tab.locator(".sheet-paper > img"))
    area = box_of(tab.locator("#area-1 > rect"))
    assert abs(area["x"] - image["x"] - 0.1 * image["width"]) < 3
    assert abs(area["y"] - image["y"] - 0.1 * image["height"]) < 3
    expect(tab.locator("#block-1 .block-name")).to_have_text("heading 1")
    expect(tab.locator("#block-2 .block-text")).to_contain_text("Buyers can not")
    expect(tab.locator("#block-2 .cut")).to_have_text(["1", "2"])


def test_page_and_text_light_up_together(visit: Visit, address: str) -> None:
    tab = visit(address)
    tab.hover("#block-2")
    expect(tab.locator("#area-2")).to_have_class("area draws-blocks is-body is-lit")
    tab.focus("#area-1")
    expect(tab.locator("#block-1")).to_have_class("read-block is-head is-lit")
    expect(tab.locator(".is-lit")).to_have_count(2)


def test_what_is_drawn_can_be_chosen_and_is_remembered(visit: Visit, address: str) -> None:
    tab = visit(address)
    expect(tab.locator("#area-1")).to_be_visible()
    tab.uncheck("[name=blocks]")
    expect(tab.locator("#area-1")).to_be_hidden()
    tab.check("[name=passages]")
    expect(tab.locator(".passage-area")).to_have_count(2)
    tab.reload()
    expect(tab.locator("#area-1")).to_be_hidden()
    expect(tab.locator(".passage-area").first).to_be_visible()


def test_arrow_keys_walk_through_cells_and_tell_their_headers(visit: Visit, address: str) -> None:
    tab = visit(address)
    expect(tab.locator("#table-1")).to_contain_text("reliable")
    tab.focus("#table-1 [data-cells]")
    for key, words in (("ArrowDown", "Markets"), ("ArrowDown", "Markets: Buyers")):
        tab.keyboard.press(key)
        expect(tab.locator("#table-1 [data-path]")).to_have_text(words)
    tab.keyboard.press("ArrowRight")
    expect(tab.locator("#table-1 [data-path]")).to_have_text("Buyers › Panel A › Sum: lemons")
    expect(tab.locator(".areas .cell.is-lit")).to_have_attribute("data-cell", "1-1-1")


def test_an_unreliable_table_is_a_picture_of_its_region(visit: Visit, address: str) -> None:
    tab = visit(address)
    expect(tab.locator("#table-2")).to_contain_text("unreliable")
    expect(tab.locator("#table-2 table")).to_have_count(0)
    picture = box_of(tab.locator("#table-2 .table-picture"))
    region = (0.5 * 595, 0.15 * 842)
    assert picture["width"] / picture["height"] == pytest.approx(region[0] / region[1], rel=0.1)
    expect(tab.locator(".note.warn")).to_contain_text("picture")


def test_without_script_a_block_leads_to_its_text(visit: Visit, address: str) -> None:
    tab = visit(address, java_script_enabled=False)
    tab.click("#area-2 .tag text")
    assert tab.url.endswith("#block-2")
    tab.uncheck("[name=blocks]")
    expect(tab.locator("#area-1")).to_be_hidden()


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_it_fits_a_phone_and_a_finger(visit: Visit, address: str, language: str) -> None:
    tab = visit(address, viewport=PHONE, has_touch=True, language=language)
    assert tab.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    assert tab.evaluate("document.querySelector('#main').scrollWidth") <= PHONE["width"]
    tab.tap("#area-2 > rect")
    expect(tab.locator("#block-2")).to_be_in_viewport()


def test_a_page_number_leads_to_its_page(visit: Visit, address: str) -> None:
    tab = visit(address)
    tab.fill(".go-to input", "iv")
    tab.keyboard.press("Enter")
    expect(tab).to_have_url(address)
    tab.click("text=Read the page")
    expect(tab.locator(".reader .sheet")).to_be_visible()
