"""Opening pages as somebody, and noticing everything that the browser complains about."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.conf import settings
from django.test import Client
from django.urls import reverse
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Dialog,
    FloatRect,
    Locator,
    Page,
    Request,
)

from tests.projects.library_rows import Rows


@dataclass(frozen=True, slots=True)
class Site:
    """Where the pages of `rows` are."""

    address: str
    rows: Rows

    def url(self, name: str, *values: object) -> str:
        """The address of a page of the project."""
        return self.address + reverse(name, args=[self.rows.project.slug, *values])

    @property
    def conversation(self) -> str:
        return self.url("conversation", self.rows.conversation.public_id)

    @property
    def reader(self) -> str:
        return self.url("read", self.rows.version.public_id)

    @property
    def citation(self) -> str:
        return self.url("open_citation", self.rows.citation.public_id)


@dataclass(slots=True)
class Visits:
    browser: Browser
    site: Site
    complaints: list[str] = field(default_factory=list)
    contexts: list[BrowserContext] = field(default_factory=list)

    def open(self, url: str, *, role: str = "viewer", language: str = "en", **how: Any) -> Page:
        """A page at `url`; `how` goes to the browser context (viewport, has_touch, ...)."""
        how.setdefault("viewport", {"width": 1360, "height": 860})
        context = self.browser.new_context(locale="en-US", **how)
        self.contexts.append(context)
        client = Client()
        client.force_login(self.site.rows.people[role])
        cookie = client.cookies[settings.SESSION_COOKIE_NAME].value
        context.add_cookies(
            [
                {"name": settings.SESSION_COOKIE_NAME, "value": cookie, "url": self.site.address},
                {
                    "name": settings.LANGUAGE_COOKIE_NAME,
                    "value": language,
                    "url": self.site.address,
                },
            ]
        )
        page = context.new_page()
        page.on("console", partial(_hear, self.complaints))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("dialog", partial(_refuse, self.complaints))
        context.on("request", partial(_watch, self.complaints, self.site.address))
        page.goto(url)
        return page

    def close(self) -> None:
        for context in self.contexts:
            context.close()


def _hear(complaints: list[str], message: ConsoleMessage) -> None:
    """Refused forms are expected, and streams: the server of these tests can't send any."""
    url = message.location.get("url", "")
    refused_form = "status of 422" in message.text or "status of 409" in message.text
    is_expected = refused_form or "/events/" in url
    if message.type in ("error", "warning") and not is_expected:
        complaints.append(f"{message.text} {url}")


def _watch(complaints: list[str], address: str, request: Request) -> None:
    """Nothing that a page shows may ask another machine for anything."""
    if not request.url.startswith((address, "data:", "blob:")):
        complaints.append(f"left the site: {request.url}")


def _refuse(complaints: list[str], dialog: Dialog) -> None:
    complaints.append(f"dialog: {dialog.message}")
    dialog.dismiss()


def box_of(locator: Locator) -> FloatRect:
    """Where an element stands on the screen, in CSS pixels."""
    box = locator.bounding_box()
    assert box is not None, "the element is not shown"
    return box
