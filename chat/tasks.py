"""The work of the `chat` queue. A task may come twice or never: claims and the watch see to it."""

from celery import shared_task

from chat.answering import answer_run
from chat.asking import ANSWER_TASK
from chat.testing_models import PROBE_TASK, test_endpoint
from chat.watching import take_up_lost
from documents.worker_duties import Watch

WATCH_SECONDS = 15


@shared_task(name=ANSWER_TASK)
def answer(run_id: int) -> None:
    answer_run(run_id)


@shared_task(name=PROBE_TASK)
def probe_endpoint(endpoint_id: int) -> None:
    test_endpoint(endpoint_id)


def _look_after(just_started: bool) -> None:  # noqa: FBT001 - as `Watch` calls it
    """A worker of the `chat` queue looks after lost runs while it lives."""
    take_up_lost(all_lost=just_started)


Watch("chat", WATCH_SECONDS, _look_after).connect()
