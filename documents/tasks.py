"""Background work on files. A task may come twice or never: claims and the watch see to it."""

import logging
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from celery import Task, shared_task
from django.db import Error, connections, transaction

from documents import ingestion, rereading, watching
from documents.ingestion import Outcome
from documents.removing import sweep_unused_files, sweep_unused_readings
from documents.vectors.embedding import EmbedderUnavailableError
from documents.worker_duties import Watch

BUSY_SECONDS = 5
LONGEST_PAUSE = 300
WATCH_SECONDS = 30
SWEEP_SECONDS = 600
OUTAGE_PAUSE = 2.0
OUTAGE_ATTEMPTS = 60
"""While the database is away a worker has nothing else to do; after two minutes others may."""

log = logging.getLogger(__name__)


@shared_task(bind=True, max_retries=None, name="documents.tasks.parse_version")
def parse_version(self: "Task[Any, Any]", version_id: int) -> None:
    """Read one version's file; then its vectors are made by another queue."""
    outcome = through_outages(ingestion.parse_version, version_id)
    if outcome is Outcome.DONE:
        send_task(index_version, version_id)
    elif outcome is Outcome.BUSY:
        raise self.retry(countdown=BUSY_SECONDS)


@shared_task(bind=True, max_retries=None, name="documents.tasks.index_version")
def index_version(self: "Task[Any, Any]", version_id: int) -> None:
    """Make one version's vectors; without an embedder, again later and later."""
    try:
        outcome = through_outages(ingestion.index_version, version_id)
    except EmbedderUnavailableError as error:
        log.warning("indexing waits for the embedder: %s", error)
        pause = min(LONGEST_PAUSE, 5 * 2**self.request.retries)
        raise self.retry(countdown=pause) from error
    if outcome is Outcome.BUSY:
        raise self.retry(countdown=BUSY_SECONDS)
    if outcome is Outcome.DONE:
        send_rereading()


@shared_task(name="documents.tasks.reread_next")
def reread_next() -> None:
    """Give one version the reading that it should have; then the next. Stops where it can't go on:
    the watch sends it again."""
    version_id = rereading.next_stale()
    if version_id is None:
        return
    try:
        outcome = through_outages(rereading.reread, version_id)
    except EmbedderUnavailableError as error:
        log.warning("reading anew waits for the embedder: %s", error)
        return
    if outcome in (Outcome.DONE, Outcome.FAILED):
        send_rereading()


def send_rereading() -> bool:
    """Send the task of the background if there is something for it and nobody is at it."""
    if rereading.is_at_work() or rereading.next_stale() is None:
        return False
    try:
        reread_next.apply_async(expires=WATCH_SECONDS)  # so that none pile up where nobody works
    except Exception:  # as in `send_task`
        log.exception("the queue can't be reached; the watch sends the background's task later")
        return False
    return True


def through_outages(recipe: Callable[[int], Outcome], key: int) -> Outcome:
    """Run the recipe, again and again while the database is away: it goes on where it stopped."""
    for _attempt in range(OUTAGE_ATTEMPTS):
        try:
            return recipe(key)
        except Error as error:
            if not ingestion.is_database_gone(error):
                raise
            log.warning("%s waits for the database: %s", key, error)
            connections.close_all()
            time.sleep(OUTAGE_PAUSE)
    return Outcome.BUSY


def enqueue_parsing(version_id: int) -> None:
    """Have the version read once the present transaction is committed."""
    transaction.on_commit(partial(send_task, parse_version, version_id))


def requeue_unfinished(*, all_lost: bool = False) -> int:
    """Send the tasks of versions whose worker died or whose task is lost; return how many.

    `all_lost`: the whole queue may be gone (a fresh start), so do not wait for silence.
    """
    unfinished = watching.take_unfinished(all_lost=all_lost)
    for version_id, state in unfinished:
        send_task(index_version if state == watching.State.INDEXING else parse_version, version_id)
    return len(unfinished)


def send_task(task: "Task[Any, Any]", key: int) -> None:
    """Put the task in the queue. What is stored stays stored if that fails."""
    try:
        task.delay(key)
    except Exception:  # redis-py raises more than kombu knows, even AttributeError
        log.exception("the queue can't be reached; the watch sends %s %s later", task.name, key)


def _look_after(just_started: bool) -> None:  # noqa: FBT001 - as `Watch` calls it
    """A worker of the `index` queue looks after unfinished work while it lives."""
    requeue_unfinished(all_lost=just_started)
    send_rereading()


def _sweep(_just_started: bool) -> None:  # noqa: FBT001 - as `Watch` calls it
    """Files and readings that nothing refers to any more."""
    sweep_unused_files()
    sweep_unused_readings()


Watch("index", WATCH_SECONDS, _look_after).connect()
Watch("index", SWEEP_SECONDS, _sweep).connect()
