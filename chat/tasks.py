"""The work of the `chat` queue. A task may come twice or never: claims and the watch see to it."""

import threading
from typing import Any

import structlog
from celery import shared_task
from celery.signals import worker_ready, worker_shutting_down
from django.db import connections

from chat.answering import answer_run
from chat.asking import ANSWER_TASK
from chat.watching import take_up_lost

WATCH_SECONDS = 15

log = structlog.get_logger(__name__)
_stop_watching = threading.Event()


@shared_task(name=ANSWER_TASK)
def answer(run_id: int) -> None:
    answer_run(run_id)


@worker_ready.connect
def _watch(sender: Any, **_kwargs: Any) -> None:
    """A worker of the `chat` queue looks after lost runs while it lives."""
    if "chat" not in sender.app.amqp.queues.consume_from:
        return
    _stop_watching.clear()
    threading.Thread(target=_watch_until_stopped, name="watch-runs", daemon=True).start()


@worker_shutting_down.connect
def _end_watch(**_kwargs: Any) -> None:
    _stop_watching.set()


def _watch_until_stopped() -> None:
    just_started = True
    while True:
        try:
            take_up_lost(all_lost=just_started)
            just_started = False
        except Exception:  # the watch outlives a database that restarts
            log.exception("looking_for_lost_runs_failed")
        finally:
            connections.close_all()
        if _stop_watching.wait(WATCH_SECONDS):
            return
