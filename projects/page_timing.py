"""Requests of pages inside this process, to time them: for measurements alone."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.test import Client
from django.test.utils import override_settings

from projects.models import User

_UNNAMED_FILES = {
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
}


@contextmanager
def pages_without_collected_files() -> Iterator[None]:
    """Nobody may have collected icons and style sheets under their final names yet."""
    with override_settings(STORAGES=settings.STORAGES | _UNNAMED_FILES):
        yield


def browser_of(reader: User) -> Client:
    """Signed in as `reader`."""
    client = Client(headers={"host": "localhost"})
    client.force_login(reader)
    return client


def timed(browser: Client, address: str, **query: Any) -> tuple[float, bytes]:
    """Milliseconds of a whole request, and the page. Raises `RuntimeError` if it is not 200."""
    started = time.perf_counter()
    response = browser.get(address, query)
    taken = 1000 * (time.perf_counter() - started)
    if response.status_code != 200:
        raise RuntimeError(f"{address} answered {response.status_code}")
    return taken, response.content
