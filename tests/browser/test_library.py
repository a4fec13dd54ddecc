"""The library's rows: what is wrong with which page, the menu, versions; names and contrast."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from documents.models import Version
from tests.browser.visiting import Site
from tests.documents.pdf_making import make_pdf

Visit = Callable[..., Tab]

NAMELESS = """() => [...document.querySelectorAll("a, button, input, select, textarea, summary")]
    .filter((part) => part.checkVisibility() && part.type !== "hidden")
    .filter((part) => !part.closest("svg") && !(part.innerText ?? "").trim()
        && !part.getAttribute("aria-label") && !part.labels?.length)
    .map((part) => part.outerHTML.slice(0, 120))"""

PALE = """() => {
    const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const rgba = (colour) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = colour;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const light = (colour) => {
        const [r, g, b] = colour.map((part) => {
            const share = part / 255;
            return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const ground = (part) => {
        for (let at = part; at; at = at.parentElement) {
            const colour = rgba(getComputedStyle(at).backgroundColor);
            if (colour[3] === 255) return colour;
        }
        return [255, 255, 255, 255];
    };
    const pale = [];
    for (const part of document.querySelectorAll("body *:not(svg, svg *, option)")) {
        const has = [...part.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
        if (!has || !part.checkVisibility() || part.closest("[aria-hidden], .visually-hidden"))
            continue;
        const [a, b] = [light(rgba(getComputedStyle(part).color)), light(ground(part))];
        const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        if (contrast < 4.5) pale.push(`${contrast.toFixed(2)} ${part.outerHTML.slice(0, 100)}`);
    }
    return pale;
}"""


@pytest.fixture
def version(site: Site) -> Version:
    """A paper with a scan, an empty page and two citations that lost their words."""
    version = site.rows.version
    assert version.parsed is not None
    version.parsed.warnings = [
        {"code": "failed", "pages": [1]},
        {"code": "empty", "pages": [2]},
    ]
    version.parsed.save()
    version.drifted_anchors = 2
    version.save()
    return version


def test_a_warning_leads_to_its_page_as_it_was_read(
    visit: Visit, site: Site, version: Version
) -> None:
    tab = visit(site.url("library"))
    expect(tab.locator(".paper-state")).to_have_text("ready, with gaps")
    expect(tab.locator(".paper .remark").first).to_have_text("Page 2 is empty.")
    expect(tab.locator(".paper .warning").last).to_contain_text("2 citations")
    tab.click(".paper .warning >> nth=0 >> a")
    expect(tab).to_have_url(site.url("page_read", version.public_id, 1))


def test_the_menu_of_a_paper_works_by_keys_and_stays_open_over_a_refresh(
    visit: Visit, site: Site, version: Version
) -> None:
    Version.objects.filter(pk=version.pk).update(state=Version.State.INDEXING)
    tab = visit(site.url("library"), role="editor")
    with tab.expect_response("**/library/rows/**"):
        tab.focus(".paper summary")
        tab.keyboard.press("Enter")
        expect(tab.locator(".paper .menu-list")).to_be_visible()
    with tab.expect_response("**/library/rows/**"):
        expect(tab.locator(".paper .menu-list")).to_be_visible()
    expect(tab.locator(".paper .menu-list")).to_be_visible()
    expect(tab.locator(".paper .menu-list button")).to_have_text("Remove")


def test_a_viewer_is_offered_nothing_that_changes_a_paper(
    visit: Visit, site: Site, version: Version
) -> None:
    tab = visit(site.url("library"))
    tab.click(".paper summary")
    expect(tab.locator(".paper .menu-list a")).to_have_count(4)
    expect(tab.locator(".paper form")).to_have_count(0)
    tab.goto(site.url("versions", version.document.public_id))
    expect(tab.locator("main form")).to_have_count(0)


def test_a_newer_file_is_a_new_version_and_the_same_file_is_refused(
    visit: Visit, site: Site, version: Version, small_pdf: Path, tmp_path: Path
) -> None:
    tab = visit(site.url("versions", version.document.public_id), role="editor")
    tab.set_input_files("#new-version", small_pdf)
    tab.click("text=Upload >> nth=-1")
    expect(tab.locator(".note.bad")).to_contain_text("version 1")
    tab.set_input_files("#new-version", make_pdf(tmp_path / "newer.pdf", 3, mark="newer"))
    tab.click("text=Upload >> nth=-1")
    expect(tab.locator(".version")).to_have_count(2)
    expect(tab.locator(".version").first).to_contain_text("newer.pdf")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_everything_has_a_name_and_can_be_read(
    visit: Visit, site: Site, version: Version, scheme: str, language: str
) -> None:
    paper = version.document.public_id
    addresses = [
        site.url("library"),
        site.url("versions", paper),
        site.url("paper", paper),
        site.url("page_read", version.public_id, 1),
        site.url("project_settings"),
        site.reader,
    ]
    for address in addresses:
        tab = visit(address, role="owner", language=language, color_scheme=scheme)
        assert tab.evaluate(NAMELESS) == [], address
        assert tab.evaluate(PALE) == [], address
        tab.set_viewport_size({"width": 390, "height": 844})
        assert tab.evaluate("document.documentElement.scrollWidth") <= 390, address
        tab.context.close()
