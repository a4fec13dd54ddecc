"""Imports in the background. A task may come twice or never: claims and the watch see to it."""

from functools import partial
from typing import Any

from celery import Task, shared_task
from django.db import transaction

from documents.catalogue import import_jobs
from documents.ingestion import Outcome
from documents.tasks import (
    BUSY_SECONDS,
    SWEEP_SECONDS,
    WATCH_SECONDS,
    send_task,
    through_outages,
)
from documents.worker_duties import Watch


@shared_task(bind=True, max_retries=None, name="documents.tasks.run_import")
def run_import(self: "Task[Any, Any]", import_id: int) -> None:
    """Bring one import in."""
    if through_outages(import_jobs.run, import_id) is Outcome.BUSY:
        raise self.retry(countdown=BUSY_SECONDS)


def enqueue_import(import_id: int) -> None:
    """Have the import brought in once the present transaction is committed."""
    transaction.on_commit(partial(send_task, run_import, import_id))


def _look_after(just_started: bool) -> None:  # noqa: FBT001 - as `Watch` calls it
    for import_id in import_jobs.take_unfinished(all_lost=just_started):
        send_task(run_import, import_id)


def _sweep(_just_started: bool) -> None:  # noqa: FBT001 - as `Watch` calls it
    import_jobs.sweep()


Watch("index", WATCH_SECONDS, _look_after).connect()
Watch("index", SWEEP_SECONDS, _sweep).connect()
