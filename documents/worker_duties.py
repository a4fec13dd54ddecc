"""What a worker does beside its tasks: it keeps watch while it lives, and lets people go first."""

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import structlog
from celery.signals import celeryd_after_setup, worker_ready, worker_shutting_down
from django.db import connections

NICENESS = {"parse": 10, "index": 10, "background": 15}
"""By queue: files are read with what a question, a page or a highlight leaves of the processor."""

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Watch:
    """Calls `look` in the worker of `queue`, at its start and then every so many seconds.

    `look(True)` is the start: what was in the queue may be lost. It is repeated until it succeeds.
    What `look` raises is logged: a watch outlives a database that restarts.
    """

    queue: str
    seconds: float
    look: Callable[[bool], object]
    _over: threading.Event = field(default_factory=threading.Event)

    def connect(self) -> None:
        worker_ready.connect(self._begin, weak=False)
        worker_shutting_down.connect(self._end, weak=False)

    def _begin(self, sender: Any, **_kwargs: Any) -> None:
        if self.queue not in sender.app.amqp.queues.consume_from:
            return
        self._over.clear()
        name = f"watch-{self.queue}"
        threading.Thread(target=self.until_over, name=name, daemon=True).start()

    def _end(self, **_kwargs: Any) -> None:
        self._over.set()

    def until_over(self) -> None:
        """The thread's work."""
        just_started = True
        while True:
            try:
                self.look(just_started)
                just_started = False
            except Exception:
                log.exception("watch_failed", queue=self.queue)
            finally:
                connections.close_all()
            if self._over.wait(self.seconds):
                return


@celeryd_after_setup.connect
def _step_back(sender: str, **_kwargs: Any) -> None:
    """Lowers the priority of the worker `parse@...` and its like; its children inherit it."""
    if niceness := NICENESS.get(sender.partition("@")[0]):
        os.nice(niceness)
