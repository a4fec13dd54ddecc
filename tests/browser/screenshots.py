"""Makes docs/screenshots from the demo project: `make screenshots`."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browsers import ARGUMENTS, find_browser
from tests.live import LiveStack, running_lito

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "screenshots"
NAMES = (
    "library",
    "desk",
    "conversation",
    "dark",
    "card",
    "why-not",
    "search",
    "chinese",
    "phone",
)
PASSWORD = "lantern-riverbed-42"
PERSON = "reader"
WIDE = {"width": 1440, "height": 900}
PHONE = {"width": 390, "height": 844}
READING = 300_000
"""Milliseconds until the demo's papers are ready on a slow machine."""
ANSWERING = 120_000
SEARCHING = 60_000
OWNER = f"""
from documents.demonstration import create_demo
from projects.models import User
create_demo(User.objects.create_user({PERSON!r}, password={PASSWORD!r}))
"""


def main() -> None:
    """The pictures of a Lito that is started for them and leaves nothing behind."""
    with tempfile.TemporaryDirectory(prefix="lito-pictures-") as home:
        Path(home).chmod(0o755)  # where root works, PostgreSQL runs as another user
        print("starting a Lito for the pictures …", flush=True)
        with running_lito(Path(home) / "lito") as stack, sync_playwright() as playwright:
            prepare(stack)
            browser = playwright.chromium.launch(
                executable_path=find_browser(playwright), args=ARGUMENTS
            )
            Photographer(browser, stack.address, FOLDER).take_all()
            browser.close()


def prepare(stack: LiveStack) -> None:
    """A person who owns the demo project; the workers begin to read its papers."""
    stack.python(OWNER)


@dataclass(frozen=True, slots=True)
class Photographer:
    """Visits a prepared Lito at `address` and leaves one picture for each of `NAMES`."""

    browser: Browser
    address: str
    folder: Path

    def take_all(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        conversation = self.ask()
        self.show_reader(conversation)
        self.show_card(conversation)
        self.show_why_not(conversation)
        self.show_search()
        self.show_chinese()
        self.show_phone(conversation)

    def ask(self) -> str:
        """Ask the demo's English question; the library and the desk on the way."""
        with self.signed_in() as page:
            page.goto(f"{self.address}/p/demo/library/")
            expect(page.locator(".paper.is-ready")).to_have_count(3, timeout=READING)
            self.keep(page, "library")
            page.goto(f"{self.address}/p/demo/")
            self.keep(page, "desk")
            return answered(page)

    def show_reader(self, conversation: str) -> None:
        for name, scheme in (("conversation", "light"), ("dark", "dark")):
            with self.signed_in(color_scheme=scheme) as page:
                page.goto(conversation)
                page.click(".answer a.cite >> nth=0")
                wait_for_mark(page)
                self.keep(page, name)

    def show_card(self, conversation: str) -> None:
        with self.signed_in() as page:
            page.goto(conversation)
            page.hover(".answer a.cite >> nth=0")
            wait_for_card(page)
            self.keep(page, "card")

    def show_why_not(self, conversation: str) -> None:
        with self.signed_in() as page:
            page.goto(conversation)
            page.click(".why-not > summary")
            page.wait_for_selector(".fate-papers li")
            page.locator(".sources").scroll_into_view_if_needed()
            page.locator(".fate-papers li").last.scroll_into_view_if_needed()
            self.keep(page, "why-not")

    def show_search(self) -> None:
        """Words found in the papers, and the first passage in its place."""
        with self.signed_in() as page:
            page.goto(f"{self.address}/p/demo/search/?q=garlic+mustard+fungi")
            page.click("[data-hit] >> nth=0", timeout=SEARCHING)
            wait_for_mark(page)
            self.keep(page, "search")

    def show_chinese(self) -> None:
        with self.signed_in(language="zh-hans") as page:
            page.goto(f"{self.address}/p/demo/")
            answered(page)
            page.click(".answer a.cite >> nth=0")
            wait_for_mark(page)
            self.keep(page, "chinese")

    def show_phone(self, conversation: str) -> None:
        with self.signed_in(viewport=PHONE, has_touch=True, device_scale_factor=2) as page:
            page.goto(conversation)
            page.tap(".answer a.cite >> nth=0")
            wait_for_card(page)
            self.keep(page, "phone")

    def keep(self, page: Page, name: str) -> None:
        assert name in NAMES
        page.screenshot(path=self.folder / f"{name}.png")
        print(f"{name}.png", flush=True)

    @contextmanager
    def signed_in(self, *, language: str = "en", **how: Any) -> Iterator[Page]:
        how.setdefault("viewport", WIDE)
        context = self.browser.new_context(locale="en-US", **how)
        page = context.new_page()
        page.goto(f"{self.address}/sign-in/")
        page.fill("[name=username]", PERSON)
        page.fill("[name=password]", PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(f"{self.address}/")
        context.add_cookies([{"name": "django_language", "value": language, "url": self.address}])
        yield page
        context.close()


def answered(page: Page) -> str:
    """Ask the first suggested question; where its finished answer stands."""
    page.click(".suggestion >> nth=0")
    page.wait_for_selector(".turn.is-done a.cite", timeout=ANSWERING)
    return page.url


def wait_for_card(page: Page) -> None:
    page.wait_for_selector(".card mark")
    page.wait_for_timeout(400)


def wait_for_mark(page: Page) -> None:
    """Until the page image is drawn, the mark has come to rest and the card has gone."""
    page.locator("#reader .mark-pen").first.wait_for(state="attached")
    page.mouse.move(600, 880)
    for image in page.locator("#reader .sheet-paper:has(.mark-pen) > img").all():
        image.evaluate("image => image.decode()")
    page.locator("#reader .mark-pen.arriving").first.wait_for(state="attached")
    page.wait_for_timeout(1500)


if __name__ == "__main__":
    main()
