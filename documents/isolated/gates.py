"""Room for a few: work that takes a process and much memory is let in a few at a time."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection


class CrowdedError(Exception):
    """Too many want the same now. Coming again after `retry_after` seconds may help."""

    def __init__(self, retry_after: int) -> None:
        super().__init__(f"too many at once; again in {retry_after} s")
        self.retry_after = retry_after


class Gate:
    """Lets `inside` threads in at once and `waiting` threads wait, none for longer than `seconds`.

    Whoever finds no room raises `CrowdedError`: better a plain answer now than a queue that grows
    until the whole site stands still.
    """

    def __init__(self, *, inside: int, waiting: int, seconds: float, retry_after: int = 2) -> None:
        self.most = inside + waiting
        self._places = threading.BoundedSemaphore(inside)
        self._door = threading.BoundedSemaphore(self.most)
        self._seconds = seconds
        self._retry_after = retry_after

    @contextmanager
    def entered(self) -> Iterator[None]:
        """The block runs with a place of its own. Raises `CrowdedError`."""
        if not self._door.acquire(blocking=False):
            raise CrowdedError(self._retry_after)
        try:
            if not self._places.acquire(timeout=self._seconds):
                raise CrowdedError(self._retry_after)
            try:
                yield
            finally:
                self._places.release()
        finally:
            self._door.release()


def let_go_of_database() -> None:
    """Give the thread's database connection back before work that takes long.

    Connections are few, and all pages share them; the next query takes one again. Within a
    transaction nothing happens.
    """
    if not connection.in_atomic_block:
        connection.close()
