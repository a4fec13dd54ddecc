"""Looking DOIs up in the background. A task may come twice or never: the watch sees to it."""

import logging
import threading
from typing import Any

from celery import shared_task
from celery.signals import worker_ready, worker_shutting_down
from django.db import connections

from documents.catalogue import lookups
from documents.catalogue.lookup_queue import LOOK_UP, send

WATCH_SECONDS = 60

log = logging.getLogger(__name__)
_stop_watching = threading.Event()


@shared_task(name=LOOK_UP)
def look_up(doi: str = "") -> None:
    """Apply what is known of `doi`, then ask for all that is due."""
    if record := lookups.known_record(doi):
        lookups.apply(record)
    if lookups.run():
        send()


@worker_ready.connect
def _watch(sender: Any, **_kwargs: Any) -> None:
    """The worker whose threads wait for networks anyway looks after what is to be asked again."""
    if "locate" in sender.app.amqp.queues.consume_from:
        _stop_watching.clear()
        threading.Thread(target=_watch_until_stopped, name="lookups", daemon=True).start()


@worker_shutting_down.connect
def _end_watch(**_kwargs: Any) -> None:
    _stop_watching.set()


def _watch_until_stopped() -> None:
    while not _stop_watching.wait(WATCH_SECONDS):
        try:
            lookups.take_up_unasked()
            if lookups.is_anything_due():
                send()
        except Exception:  # the watch outlives a database that restarts
            log.exception("looking for DOIs to ask for failed")
        finally:
            connections.close_all()
