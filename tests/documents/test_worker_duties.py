"""A watch outlives what it meets, and the readers of files let people go first."""

import os
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from celery.signals import celeryd_after_setup, worker_ready, worker_shutting_down

from documents.worker_duties import NICENESS, Watch
from tests.live import LiveStack
from tests.waiting import until

LOWEST = 19
"""The kernel knows no lower priority."""


class Ready:
    """What Celery sends when a worker of `queues` is ready, as far as a watch asks it."""

    def __init__(self, *queues: str) -> None:
        consumed = SimpleNamespace(consume_from=dict.fromkeys(queues))
        self.app = SimpleNamespace(amqp=SimpleNamespace(queues=consumed))


class Looks:
    """Notes how it was called; the first two times there is no database."""

    def __init__(self) -> None:
        self.told: list[bool] = []
        self.enough = threading.Event()

    def __call__(self, just_started: bool) -> None:
        self.told.append(just_started)
        if len(self.told) <= 2:
            raise ConnectionError("no database yet")
        if len(self.told) >= 4:
            self.enough.set()


def test_a_watch_goes_on_after_failures_and_the_start_counts_until_it_worked() -> None:
    looks = Looks()
    Watch("watched", 0.01, looks).connect()
    worker_ready.send(Ready("other"))
    assert not looks.told, "the worker of another queue keeps no watch"
    worker_ready.send(Ready("watched"))
    assert looks.enough.wait(20)
    worker_shutting_down.send(None)
    assert looks.told[:4] == [True, True, True, False]


def test_the_watch_ends_with_its_worker() -> None:
    watch = Watch("brief", 60, lambda _just_started: worker_shutting_down.send(None))
    watch.connect()
    ended = threading.Thread(target=watch.until_over)
    ended.start()
    ended.join(20)
    assert not ended.is_alive()


def test_only_the_readers_of_files_step_back() -> None:
    before = os.nice(0)
    for name in ("chat@here", "locate@here"):
        celeryd_after_setup.send(name, instance=None, conf=None)
    assert os.nice(0) == before


@pytest.mark.parametrize("queue", sorted(NICENESS))
def test_a_running_reader_of_files_has_a_lower_priority_than_the_web_server(
    live_stack: LiveStack, queue: str
) -> None:
    until(lambda: " ready." in live_stack.log(queue), 60)
    priorities = [
        os.getpriority(os.PRIO_PROCESS, int(folder.name))
        for folder in Path("/proc").glob("[0-9]*")
        if f"{queue}@%h".encode() in read(folder / "cmdline").split(b"\0")
        and str(live_stack.home).encode() in read(folder / "environ")
    ]
    assert priorities
    assert min(priorities) >= min(LOWEST, os.nice(0) + NICENESS[queue])


def read(file: Path) -> bytes:
    """What the file says, nothing if its process is gone."""
    try:
        return file.read_bytes()
    except OSError:
        return b""
