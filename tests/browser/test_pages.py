"""Every page: safe, whole on a phone, in both languages, in the dark, without script."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from playwright.sync_api import Page, expect

from citations.placing import locate_on_pages
from documents.models import Page as PageRow
from documents.models import Version
from projects.models import User
from tests.browser.visiting import Site, box_of
from tests.documents.pdf_making import make_pdf
from tests.projects.library_rows import TEXT, Rows, new_version

Visit = Callable[..., Page]
PHONE = {"width": 390, "height": 844}
HOSTILE = '<img src=x onerror="document.title=\'broken\'"><script>document.title="broken"</script>'


def addresses(site: Site) -> list[tuple[str, str]]:
    """Who visits which page."""
    plain = [site.address + path for path in ("/", "/new-project/", "/password/")]
    project = [site.url("desk"), site.url("library"), site.url("search") + "?q=lemons"]
    as_read = site.url("page_read", site.rows.version.public_id, 1)
    versions = site.url("versions", site.rows.document.public_id)
    reading = [site.conversation, site.reader, site.citation, as_read, versions]
    asked = [("viewer", url) for url in [*plain, *project, *reading]]
    return [*asked, ("owner", site.url("library")), ("owner", site.url("project_settings"))]


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_no_page_makes_the_browser_complain(visit: Visit, site: Site, language: str) -> None:
    for role, url in addresses(site):
        page = visit(url, role=role, language=language)
        page.wait_for_load_state("networkidle")
        page.context.close()


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_no_page_is_wider_than_a_phone(visit: Visit, site: Site, language: str) -> None:
    for role, url in addresses(site):
        page = visit(url, role=role, language=language, viewport=PHONE)
        wide = page.evaluate(
            """() => [document.documentElement, document.querySelector("#main")]
                .filter(Boolean).map((box) => box.scrollWidth)"""
        )
        assert max(wide) <= PHONE["width"], url
        page.context.close()


def test_the_language_switch_changes_the_page_and_is_remembered(visit: Visit, site: Site) -> None:
    page = visit(site.url("library"), role="editor")
    expect(page.locator("h1")).to_have_text("Library")
    page.click("text=中文")
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    expect(page.locator("h1")).not_to_have_text("Library")
    assert User.objects.get(username="editor").language == "zh-hans"


def test_the_dark_switch_acts_at_once_and_is_remembered(visit: Visit, site: Site) -> None:
    page = visit(site.url("library"))
    background = "getComputedStyle(document.documentElement).backgroundColor"
    light = page.evaluate(background)
    page.click("[data-theme-switch] button")
    dark = page.evaluate(background)
    assert dark != light
    page.reload()
    assert page.evaluate(background) == dark


def test_the_dark_of_the_system_is_followed(visit: Visit, site: Site) -> None:
    background = "getComputedStyle(document.documentElement).backgroundColor"
    light = visit(site.url("library")).evaluate(background)
    assert visit(site.url("library"), color_scheme="dark").evaluate(background) != light


def test_markup_in_titles_names_and_pages_is_shown_as_text(
    visit: Visit, site: Site, tmp_path: Path
) -> None:
    path = make_pdf(tmp_path / "<b>bold<b>.pdf", 1, mark="hostile")
    version = new_version(site.rows.project, path, title=HOSTILE, text=HOSTILE)
    page = visit(site.url("library"), role="editor")
    expect(page.locator(".paper-title a", has_text=HOSTILE)).to_be_visible()
    page.goto(site.url("read", version.public_id))
    expect(page.locator(".reader-title h2")).to_have_text(HOSTILE)
    expect(page.locator(".layer text")).to_have_text(HOSTILE)
    assert page.title().startswith("<img src=x")
    assert page.locator("img[src=x]").count() == 0


def test_a_selection_copies_the_text_of_the_page(visit: Visit, site: Site) -> None:
    page = visit(site.reader, permissions=["clipboard-read", "clipboard-write"])
    expect(page.locator(".layer text")).to_have_count(2)
    lines = page.locator(".layer text")
    first, last = box_of(lines.first), box_of(lines.last)
    page.mouse.move(first["x"] + 1, first["y"] + first["height"] / 2)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] - 1, last["y"] + last["height"] / 2, steps=8)
    page.mouse.up()
    page.keyboard.press("Control+c")
    assert page.evaluate("navigator.clipboard.readText()") == TEXT
    page.click("[data-copy-quote]")
    quoted = page.evaluate("navigator.clipboard.readText()")
    assert quoted == f"“{TEXT.replace(chr(10), ' ')}” (G. Akerlof, A market for lemons, p. iv)"


BROKEN = "The market of sec-\nond hand cars is a well-\nknown case. 二手车市场\n会失灵。"
"""Lines as pages end them."""


def test_a_selection_over_line_ends_copies_words_that_are_found_again(
    visit: Visit, site: Site, tmp_path: Path
) -> None:
    path = make_pdf(tmp_path / "broken.pdf", 1, mark="broken")
    version = new_version(site.rows.project, path, title="Broken", text=BROKEN)
    url = site.url("read", version.public_id)
    page = visit(url, permissions=["clipboard-read", "clipboard-write"])
    lines = page.locator(".layer text")
    expect(lines).to_have_count(4)
    first, last = box_of(lines.first), box_of(lines.last)
    page.mouse.move(first["x"] + 1, first["y"] + first["height"] / 2)
    page.mouse.down()
    page.mouse.move(last["x"] + last["width"] - 1, last["y"] + last["height"] / 2, steps=8)
    page.mouse.up()
    page.click("[data-copy-quote]")
    quoted = page.evaluate("navigator.clipboard.readText()")
    words = "The market of second hand cars is a well-known case. 二手车市场会失灵。"
    assert quoted.startswith(f"“{words}” (")
    located = locate_on_pages(words, version, [1])
    assert located.status == "matched"
    assert located.places[0].text == " ".join(BROKEN.split())


def test_a_page_is_found_by_its_position_and_by_its_printed_number(
    visit: Visit, site: Site
) -> None:
    page = visit(f"{site.reader}?page=iv")
    expect(page.locator(".go-to input")).to_have_value("1")
    expect(page.locator(".go-to [data-printed]")).to_have_text("printed iv")
    for wanted, wrong in (("1", "false"), ("iv", "false"), ("99", "true")):
        page.fill(".go-to input", wanted)
        page.keyboard.press("Enter")
        expect(page.locator(".go-to input")).to_have_attribute("aria-invalid", wrong)


def test_a_late_page_is_where_a_phone_is_led(visit: Visit, site: Site, tmp_path: Path) -> None:
    path = make_pdf(tmp_path / "long.pdf", 14, mark="long")
    version = new_version(site.rows.project, path, title="Long", text=TEXT)
    Version.objects.filter(pk=version.pk).update(page_count=14)
    assert version.parsed is not None
    for number in range(2, 15):
        PageRow.objects.create(parsed=version.parsed, number=number, state="no_text")
    page = visit(f"{site.url('read', version.public_id)}?page=9", viewport=PHONE)
    expect(page.locator("#page-9 img")).to_be_in_viewport()
    page.wait_for_timeout(800)
    top = box_of(page.locator("#page-9"))["y"] - box_of(page.locator(".sheets"))["y"]
    assert abs(top) < 20
    expect(page.locator(".go-to input")).to_have_value("9")


def test_widths_of_panes_are_remembered(visit: Visit, site: Site) -> None:
    page = visit(site.url("library"))
    page.focus("[data-divider=list]")
    before = box_of(page.locator("#list"))["width"]
    page.keyboard.press("ArrowRight")
    page.reload()
    assert box_of(page.locator("#list"))["width"] == before + 24


def test_without_script_a_tag_leads_to_the_marked_page(visit: Visit, site: Site) -> None:
    page = visit(site.conversation, java_script_enabled=False)
    page.click("a.cite")
    expect(page.locator(".mark-pen rect")).to_have_count(1)
    expect(page.locator(".sheet img")).to_be_visible()
    expect(page.locator(".evidence-status")).to_contain_text("Place confirmed")


def test_without_script_a_file_is_uploaded_and_a_wrong_one_refused(
    visit: Visit, site: Site, tmp_path: Path
) -> None:
    wrong = tmp_path / "notes.pdf"
    wrong.write_text("not a PDF at all")
    page = visit(site.url("library"), role="editor", java_script_enabled=False)
    page.set_input_files("input[type=file]", [make_pdf(tmp_path / "new.pdf", 2, mark="new"), wrong])
    with page.expect_navigation():
        page.click(".upload button")
    expect(page.locator(".paper-title", has_text="new.pdf")).to_be_visible()
    expect(page.locator(".refused")).to_contain_text("notes.pdf")
    assert site.rows.project.documents.count() == 2


def test_script_files_and_style_sheets_stay_small(client: Client, rows: Rows) -> None:
    import gzip

    from django.contrib.staticfiles import finders

    client.force_login(rows.people["viewer"])
    conversation = f"/p/{rows.project.slug}/conversations/{rows.conversation.public_id}/"
    html = client.get(conversation).content.decode()
    library = client.get(f"/p/{rows.project.slug}/library/").content.decode()
    read = client.get(f"/p/{rows.project.slug}/files/{rows.version.public_id}/pages/1/as-read/")
    search = client.get(f"/p/{rows.project.slug}/search/").content.decode()
    names = {
        part.split('"')[0].removeprefix("/static/")
        for page in (html, library, search, read.content.decode())
        for mark in ('src="', 'href="')
        for part in page.split(mark)[1:]
        if part.split('"')[0].endswith((".js", ".css"))
    }
    assert len(names) >= 9
    sizes = {
        name: len(gzip.compress(Path(finders.find(name) or "").read_bytes())) for name in names
    }
    assert sum(sizes.values()) <= 100_000, sizes


def test_many_files_at_once_each_get_their_own_outcome(
    visit: Visit, site: Site, tmp_path: Path, small_pdf: Path
) -> None:
    wrong = tmp_path / "notes.pdf"
    wrong.write_text("not a PDF at all")
    page = visit(site.url("library"), role="editor")
    new = [make_pdf(tmp_path / f"new{n}.pdf", 1, mark=f"new {n}") for n in range(3)]
    page.set_input_files("input[type=file]", [*new, wrong, small_pdf])
    expect(page.locator(".paper-title")).to_have_count(4)
    expect(page.locator(".refused .bad")).to_contain_text("notes.pdf")
    expect(page.locator(".refused .good")).to_contain_text("lemons.pdf")
    expect(page.locator(".sending")).to_have_count(0)
    expect(page.locator("[data-library-count]")).to_have_text("4")


def test_a_file_that_is_too_large_is_not_sent(
    visit: Visit, site: Site, tmp_path: Path, settings: Any
) -> None:
    settings.LITO_MAX_UPLOAD_BYTES = 100
    page = visit(site.url("library"), role="editor")
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.method))
    page.set_input_files("input[type=file]", [make_pdf(tmp_path / "large.pdf", 1, mark="large")])
    expect(page.locator(".refused .bad")).to_contain_text("Nothing of it was stored.")
    expect(page.locator(".sending")).to_have_count(0)
    assert "POST" not in sent
