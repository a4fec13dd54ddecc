"""Few at a time: the others wait a little, and are told to come back when it would be long."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from http import HTTPStatus
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.db import connections
from django.test import Client
from django.urls import reverse

from documents.inspecting import INSPECTING, RefusedFileError, inspect_pdf
from documents.isolated.gates import CrowdedError, Gate

if TYPE_CHECKING:
    from projects.models import Project, User


def test_never_more_than_its_places_are_inside() -> None:
    gate = Gate(inside=2, waiting=20, seconds=20)
    lock, inside, most = threading.Lock(), 0, 0
    both_in = threading.Barrier(2)

    def work(number: int) -> None:
        nonlocal inside, most
        with gate.entered():
            with lock:
                inside += 1
                most = max(most, inside)
            if number < 2:
                both_in.wait(10)
            with lock:
                inside -= 1

    with ThreadPoolExecutor(12) as pool:
        list(pool.map(work, range(12)))
    assert most == 2


def test_whoever_waits_too_long_is_told_when_to_come_again() -> None:
    gate = Gate(inside=1, waiting=1, seconds=0.05, retry_after=7)
    with gate.entered(), pytest.raises(CrowdedError) as told, gate.entered():
        pass
    assert told.value.retry_after == 7
    with gate.entered():
        pass


def test_no_more_wait_than_may_wait() -> None:
    gate = Gate(inside=1, waiting=1, seconds=30)
    with ThreadPoolExecutor(1) as pool, ExitStack() as stack:
        stack.enter_context(gate.entered())

        def enter() -> bool:
            with gate.entered():
                return True

        waiting = pool.submit(enter)
        wait_until_full(gate)
        with pytest.raises(CrowdedError), gate.entered():
            pass
        stack.close()
        assert waiting.result(10)


def test_an_error_inside_leaves_the_place_free() -> None:
    gate = Gate(inside=1, waiting=0, seconds=0)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), gate.entered():
            raise ZeroDivisionError
    with gate.entered():
        pass


@pytest.mark.django_db(transaction=True)
def test_a_page_that_finds_no_place_is_answered_with_503_and_holds_no_connection(
    project: "Project", user: "User", pdf: Path, redis: object
) -> None:
    from documents.rendering import DRAWING
    from documents.uploads import add_file

    version = add_file(project, path_or_upload=pdf, file_name="a.pdf", user=None).version
    url = reverse("page_image", args=(project.slug, version.public_id, 1))

    def ask() -> tuple[int, str, bool]:
        client = Client()
        client.force_login(user)
        try:
            response = client.get(url)
            held = connections["default"].connection is not None
            return response.status_code, response.get("Retry-After", ""), held
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as asking:
        with crowd(DRAWING):
            assert asking.submit(ask).result(60) == (HTTPStatus.SERVICE_UNAVAILABLE, "2", False)
        assert asking.submit(ask).result(60)[:2] == (HTTPStatus.OK, "")


def test_a_file_that_finds_no_place_is_refused_with_a_sentence(pdf: Path) -> None:
    with crowd(INSPECTING), pytest.raises(RefusedFileError) as refused:
        inspect_pdf(pdf)
    assert refused.value.code == "busy"
    assert "again" in refused.value.message
    assert inspect_pdf(pdf).page_count == 3


@contextmanager
def crowd(gate: Gate) -> Iterator[None]:
    """So many are at the gate that nobody else may even wait."""
    leave, entering = threading.Event(), threading.Semaphore(0)

    def stand() -> None:
        entering.release()
        with suppress(CrowdedError), gate.entered():
            leave.wait(60)

    with ThreadPoolExecutor(gate.most) as pool:
        for _ in range(gate.most):
            pool.submit(stand)
        for _ in range(gate.most):
            entering.acquire()
        wait_until_full(gate)
        yield
        leave.set()


def wait_until_full(gate: Gate) -> None:
    """A newcomer is refused at once, not after a while."""
    deadline = time.monotonic() + 5
    while time.monotonic() < deadline:
        if not gate._door.acquire(blocking=False):
            return
        gate._door.release()
        time.sleep(0.01)
    raise AssertionError("the gate does not fill")
