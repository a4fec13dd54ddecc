"""Real Celery workers, and what happens when they are killed."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.db import connection
from pytest_django import Settings

from documents.models import Change, Page, Version
from documents.progress import progress
from documents.uploads import add_file
from lito.celery import app
from projects.models import Project
from tests.documents.pdf_making import make_pdf

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 90
PAGES = 200
"""Enough that a worker can be killed in the middle."""

State = Version.State
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.slow,
    pytest.mark.usefixtures("redis"),
]


@contextmanager
def worker(log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A worker of the queues `parse` and `index` on the test's own database and files."""
    command = [sys.executable, "-m", "celery", "-A", "lito", "worker", "-Q", "parse,index"]
    command += ["--concurrency", "1", "--without-gossip", "--without-mingle", "--without-heartbeat"]
    database = connection.settings_dict
    environment = {
        **os.environ,
        "DATABASE_URL": f"postgres://lito@/{database['NAME']}?host={database['HOST']}",
    }
    with log.open("ab") as said:
        process = subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=said, stderr=said, start_new_session=True
        )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def wait_until(happened: Callable[[], bool], log: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert "ModuleNotFoundError" not in log.read_text(), log.read_text()[-4000:]
        assert time.monotonic() < deadline, log.read_text()[-4000:]
        time.sleep(0.05)


@pytest.fixture
def queued(project: Project, tmp_path: Path, settings: Settings) -> Version:
    settings.LITO_FILES = settings.HOME / "files"  # where the worker looks
    app.control.purge()
    path = make_pdf(tmp_path / "long.pdf", pages=PAGES)
    return add_file(project, path_or_upload=path, file_name="long.pdf", user=None).version


def has_state(version: Version, *states: Version.State) -> Callable[[], bool]:
    def look() -> bool:
        version.refresh_from_db()
        return version.state in states

    return look


@pytest.mark.parametrize("victim", ["the process at the task", "the whole worker"])
def test_a_file_is_read_to_its_end_after_a_kill_in_the_middle(
    victim: str, queued: Version, tmp_path: Path
) -> None:
    log = tmp_path / "worker.log"

    def is_in_the_middle() -> bool:
        queued.refresh_from_db()
        return queued.state == State.PARSING and progress(queued).done >= 8

    with worker(log) as first:
        wait_until(is_in_the_middle, log)
        if victim == "the whole worker":
            os.killpg(first.pid, signal.SIGKILL)
            first.wait()
        else:
            os.kill(int(queued.claimed_by.split(":")[1]), signal.SIGKILL)
        kept = set(Page.objects.values_list("pk", flat=True))
        assert 8 <= len(kept) < PAGES
        if victim == "the whole worker":
            with worker(log):
                wait_until(has_state(queued, State.READY, State.FAILED), log)
        else:
            wait_until(has_state(queued, State.READY, State.FAILED), log)

    assert queued.state == State.READY, queued.failure
    pages = list(Page.objects.order_by("number").values_list("pk", "number"))
    assert [number for _pk, number in pages] == list(range(1, PAGES + 1))
    assert kept <= {pk for pk, _number in pages}
    assert Change.objects.filter(kind="added").count() == 1


def test_a_worker_stops_at_a_cancelled_file_and_goes_on_at_a_retry(
    queued: Version, tmp_path: Path
) -> None:
    from documents import uploads

    log = tmp_path / "worker.log"
    with worker(log):
        wait_until(lambda: Page.objects.count() >= 8, log)
        assert uploads.cancel(queued)
        stopped_at = Page.objects.count()
        time.sleep(2)
        assert stopped_at <= Page.objects.count() <= stopped_at + 8
        assert uploads.retry(queued)
        wait_until(has_state(queued, State.READY, State.FAILED), log)
    assert queued.state == State.READY
    assert Page.objects.count() == PAGES


def test_reading_anew_has_a_queue_of_its_own(celery_names: dict[str, str]) -> None:
    assert celery_names["documents.tasks.reread_next"] == "background"
    assert celery_names["documents.tasks.parse_version"] == "parse"
    assert celery_names["documents.tasks.index_version"] == "index"


@pytest.fixture
def celery_names() -> dict[str, str]:
    """Tasks of documents, and the queue that each goes to."""
    from lito.celery import app

    names = ("reread_next", "parse_version", "index_version")
    tasks = [f"documents.tasks.{name}" for name in names]
    return {task: app.amqp.router.route({}, task)["queue"].name for task in tasks}
