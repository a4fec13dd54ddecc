"""Waiting for things that other threads and processes do."""

import threading
import time
from collections.abc import Callable


def in_a_moment(act: Callable[[], object], *, when: Callable[[], bool]) -> None:
    """Act from another thread as soon as something is so."""

    def wait() -> None:
        until(when, 30, every=0.02)
        act()

    threading.Thread(target=wait, daemon=True).start()


def until(is_so: Callable[[], bool], seconds: float, *, every: float = 0.2) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(every)
