"""Stop: the run ends for its reader within a second, whatever its worker is doing."""

import time

from django.utils import timezone

from chat.events import RunEnded
from chat.models import Run
from chat.settling import end_for_worker
from chat.streaming import publish, request_stop

PATIENCE = 0.5
"""Seconds for the worker to end the run itself: it knows best what was written."""
LOOK = 0.05


def stop(run: Run) -> None:
    """End the run if it still goes on; what was written so far is kept.

    A worker that is deep in a search, dead or out of reach is not waited for: the run is ended from
    what it sent, and the worker leaves it alone when it finds out.
    """
    told = request_stop(run.public_id)
    _stop_if_queued(run)
    if told:
        _wait_for_worker(run)
    if run.state == Run.State.RUNNING:
        end_for_worker(run, Run.State.STOPPED, only_if=lambda _run: True)
        run.refresh_from_db()


def _stop_if_queued(run: Run) -> None:
    waiting = Run.objects.filter(pk=run.pk, state=Run.State.QUEUED)
    if waiting.update(state=Run.State.STOPPED, finished_at=timezone.now()):
        publish(run.public_id, RunEnded(Run.State.STOPPED))
    run.refresh_from_db()


def _wait_for_worker(run: Run) -> None:
    deadline = time.monotonic() + PATIENCE
    while run.state == Run.State.RUNNING and time.monotonic() < deadline:
        time.sleep(LOOK)
        run.refresh_from_db(fields=("state",))
    run.refresh_from_db()
