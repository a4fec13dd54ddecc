"""Asking for a DOI to be looked up: a row that says so, and a task that may get lost."""

import logging
from functools import partial

from celery import current_app
from django.conf import settings
from django.db import transaction

from documents.record_models import DoiRecord

LOOK_UP = "documents.tasks.look_up"

log = logging.getLogger(__name__)


def wish_for(doi: str) -> None:
    """Have `doi` looked up, or its known record applied, after the present transaction."""
    if not doi or not settings.LITO_LOOKUP:
        return
    DoiRecord.objects.bulk_create([DoiRecord(doi=doi)], ignore_conflicts=True)
    transaction.on_commit(partial(send, doi))


def send(doi: str = "") -> None:
    """Put the task in the queue. Without a queue the watch of the worker finds the row later."""
    try:
        current_app.send_task(LOOK_UP, args=(doi,), retry=False, ignore_result=True)
    except Exception:  # noqa: BLE001  # redis-py raises more than kombu knows
        log.warning("the queue can't be reached; DOIs are looked up later")
