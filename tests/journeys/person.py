"""A researcher at the browser: what the journeys do, said once."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from tests.live import LiveStack

PASSWORD = "lantern-riverbed-42"
READY = 120_000
"""Milliseconds that reading and indexing may take on a busy machine."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """What the reader marks on one page: rectangles as fractions of the page *as painted*."""

    page: int
    rects: tuple[tuple[float, float, float, float], ...]


class Researcher:
    """One person, signed in, with a project of their own."""

    def __init__(self, page: Page, stack: LiveStack, name: str) -> None:
        self.page = page
        self.stack = stack
        stack.create_user(name, PASSWORD)
        page.goto(stack.address)
        page.fill("[name=username]", name)
        page.fill("[name=password]", PASSWORD)
        page.keyboard.press("Enter")
        page.wait_for_url(f"{stack.address}/")

    def create_project(self, name: str) -> None:
        self.page.goto(f"{self.stack.address}/new-project/")
        self.page.fill("[name=name]", name)
        self.page.keyboard.press("Enter")
        self.page.wait_for_url(re.compile(r"/p/[\w-]+/"))

    @property
    def project(self) -> str:
        found = re.search(r"/p/([\w-]+)/", self.page.url)
        assert found, f"not inside a project: {self.page.url}"
        return found.group(1)

    def upload(self, files: Sequence[Path], *, ready: int) -> None:
        """Adds files and waits until `ready` rows of the library say that they are."""
        self.page.goto(f"{self.stack.address}/p/{self.project}/library/")
        self.page.set_input_files("input[type=file]", files)
        states = self.page.locator(".paper.is-ready")
        expect(states).to_have_count(ready, timeout=READY)

    def ask(self, question: str) -> Locator:
        """Asks in a new conversation; the finished turn."""
        self.page.goto(f"{self.stack.address}/p/{self.project}/")
        return self._send(question, turn=1)

    def follow_up(self, request: str, *, turn: int) -> Locator:
        return self._send(request, turn=turn)

    def _send(self, text: str, *, turn: int) -> Locator:
        self.page.fill("#question", text)
        self.page.keyboard.press("Enter")
        article = self.page.locator(f"#turn-{turn}")
        expect(article).to_be_visible(timeout=20_000)
        expect(article).to_have_class(re.compile(r"\bis-done\b"), timeout=60_000)
        return article

    def drawn(self) -> list[Drawn]:
        """The marks in the open reader, measured on the screen against the page image itself."""
        self.page.locator(".mark-pen rect").first.wait_for(state="attached", timeout=20_000)
        sheets = self.page.evaluate(
            """() => [...document.querySelectorAll(".sheet")].map((sheet) => {
                const paper = sheet.querySelector("img").getBoundingClientRect();
                const rects = [...sheet.querySelectorAll(".mark-pen rect")].map((mark) => {
                    const box = mark.getBoundingClientRect();
                    return [(box.left - paper.left) / paper.width,
                            (box.top - paper.top) / paper.height,
                            (box.right - paper.left) / paper.width,
                            (box.bottom - paper.top) / paper.height];
                });
                return {page: Number(sheet.dataset.number), rects};
            }).filter((sheet) => sheet.rects.length)"""
        )
        return [
            Drawn(sheet["page"], tuple(tuple(rect) for rect in sheet["rects"])) for sheet in sheets
        ]
