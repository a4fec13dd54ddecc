"""Makes docs/screenshots from the demo project: `make screenshots`."""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browsers import ARGUMENTS, find_browser
from tests.live import LiveStack, running_lito

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "screenshots"
PASSWORD = "lantern-riverbed-42"
PERSON = "reader"
WIDE = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
READING = 300_000
"""Milliseconds until the demo's papers are ready on a slow machine."""
OWNER = f"""
from projects.models import User
User.objects.create_superuser({PERSON!r}, password={PASSWORD!r})
User.objects.filter(username="admin").delete()
"""


def main(address: str = "") -> None:
    """Against a Lito at `address`, where the person signs in already, else against a new one."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    if address:
        take(address)
        return
    with tempfile.TemporaryDirectory() as home, running_lito(Path(home) / "lito") as stack:
        prepare(stack)
        take(stack.address)


def prepare(stack: LiveStack) -> None:
    stack.python(OWNER)
    stack.manage("createdemo")


def take(address: str) -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=find_browser(playwright), args=ARGUMENTS
        )
        conversation = ask(browser, address)
        show_reader(browser, address, conversation)
        show_chinese(browser, address)
        show_phone(browser, address, conversation)
        browser.close()


def ask(browser: Browser, address: str) -> str:
    """Ask the demo's English question; the library and the desk on the way."""
    with signed_in(browser, address) as page:
        page.goto(f"{address}/p/demo/library/")
        expect(page.locator(".paper.is-ready")).to_have_count(3, timeout=READING)
        page.screenshot(path=FOLDER / "library.png")
        page.goto(f"{address}/p/demo/")
        page.screenshot(path=FOLDER / "desk.png")
        return answered(page, 0)


def answered(page: Page, question: int) -> str:
    page.click(f".suggestion >> nth={question}")
    page.wait_for_selector(".turn.is-done a.cite", timeout=120_000)
    return page.url


def show_reader(browser: Browser, address: str, conversation: str) -> None:
    for name, scheme in (("conversation", "light"), ("dark", "dark")):
        with signed_in(browser, address, color_scheme=scheme) as page:
            page.goto(conversation)
            page.click(".answer a.cite >> nth=0")
            wait_for_mark(page)
            page.screenshot(path=FOLDER / f"{name}.png")
    with signed_in(browser, address) as page:
        page.goto(conversation)
        page.hover(".answer a.cite >> nth=0")
        page.wait_for_selector(".card mark")
        page.wait_for_timeout(400)
        page.screenshot(path=FOLDER / "card.png")


def show_chinese(browser: Browser, address: str) -> None:
    with signed_in(browser, address, language="zh-hans") as page:
        page.goto(f"{address}/p/demo/")
        answered(page, 0)
        page.click(".answer a.cite >> nth=0")
        wait_for_mark(page)
        page.screenshot(path=FOLDER / "chinese.png")


def show_phone(browser: Browser, address: str, conversation: str) -> None:
    with signed_in(browser, address, viewport=PHONE, has_touch=True, device_scale_factor=2) as page:
        page.goto(conversation)
        page.tap(".answer a.cite >> nth=0")
        page.wait_for_selector(".card mark")
        page.wait_for_timeout(400)
        page.screenshot(path=FOLDER / "phone.png")


def wait_for_mark(page: Page) -> None:
    """Until the page image is drawn, the mark has come to rest and the card has gone."""
    page.locator("#reader .mark-pen").first.wait_for(state="attached")
    page.mouse.move(600, 880)
    for image in page.locator("#reader .sheet-paper:has(.mark-pen) > img").all():
        image.evaluate("image => image.decode()")
    page.locator("#reader .mark-pen.arriving").first.wait_for(state="attached")
    page.wait_for_timeout(1500)


@contextmanager
def signed_in(
    browser: Browser, address: str, *, language: str = "en", **how: Any
) -> Iterator[Page]:
    how.setdefault("viewport", WIDE)
    context = browser.new_context(locale="en-US", **how)
    page = context.new_page()
    page.goto(f"{address}/sign-in/")
    page.fill("[name=username]", PERSON)
    page.fill("[name=password]", PASSWORD)
    page.keyboard.press("Enter")
    page.wait_for_url(f"{address}/")
    context.add_cookies([{"name": "django_language", "value": language, "url": address}])
    yield page
    context.close()


if __name__ == "__main__":
    main(*sys.argv[1:2])
