"""The child process may hang, die or want too much: the parent says so and goes on."""

import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest

from documents.isolated.isolation import (
    Failure,
    Reader,
    ReadingError,
    Skill,
    borrowed_reader,
    waiting_with,
)
from tests.documents.files import PDFS
from tests.documents.scans import write_scan

ARTICLE = str(PDFS / "article.pdf")


def pages(reader: Reader) -> int:
    return int(reader.ask("describe", seconds=20, path=ARTICLE).values["pages"])


def child_of(reader: Reader) -> int:
    assert reader._process is not None
    return reader._process.pid


def test_a_slow_request_is_ended_and_the_next_one_works() -> None:
    reader = Reader(memory_mb=512)
    try:
        assert pages(reader) == 3
        first = child_of(reader)
        os.kill(first, signal.SIGSTOP)
        began = time.monotonic()
        with pytest.raises(ReadingError) as caught:
            reader.ask("describe", seconds=0.5, path=ARTICLE)
        assert caught.value.failure is Failure.TOO_SLOW
        assert time.monotonic() - began < 5
        assert pages(reader) == 3
        assert child_of(reader) != first
    finally:
        reader.close()


def test_a_child_that_dies_is_reported_and_replaced() -> None:
    reader = Reader(memory_mb=512)
    try:
        pages(reader)
        os.kill(child_of(reader), signal.SIGKILL)
        with pytest.raises(ReadingError) as caught:
            pages(reader)
        assert caught.value.failure is Failure.CRASHED
        assert pages(reader) == 3
    finally:
        reader.close()


def test_what_one_file_did_to_the_child_costs_no_other_file(tmp_path: Path) -> None:
    other = tmp_path / "other.pdf"
    other.write_bytes(PDFS.joinpath("article.pdf").read_bytes())
    reader = Reader(memory_mb=512)
    try:
        pages(reader)
        os.kill(child_of(reader), signal.SIGKILL)
        assert reader.ask("describe", seconds=20, path=str(other)).values["pages"] == 3
        os.kill(child_of(reader), signal.SIGKILL)
        with pytest.raises(ReadingError):  # this child knew no other file
            reader.ask("describe", seconds=20, path=str(other))
    finally:
        reader.close()


def test_memory_is_bounded() -> None:
    reader = Reader(memory_mb=48)
    try:
        with pytest.raises(ReadingError) as caught:
            reader.ask("render", seconds=60, path=ARTICLE, number=1, width=8_000, max_height=40_000)
        assert caught.value.failure is Failure.OUT_OF_MEMORY
        assert pages(reader) == 3
    finally:
        reader.close()


def test_what_the_library_refuses_leaves_the_child_alive() -> None:
    reader = Reader(memory_mb=512)
    try:
        pages(reader)
        child = child_of(reader)
        with pytest.raises(ReadingError) as caught:
            reader.ask("page_text", seconds=20, path=ARTICLE, number=99)
        assert caught.value.failure is Failure.REFUSED
        assert child_of(reader) == child
    finally:
        reader.close()


def test_the_child_is_replaced_after_its_share_of_requests() -> None:
    reader = Reader(memory_mb=512, recycle_after=2)
    try:
        pages(reader)
        first = child_of(reader)
        pages(reader)
        assert child_of(reader) == first
        pages(reader)
        assert child_of(reader) != first
    finally:
        reader.close()


def test_the_child_sees_no_secrets_of_its_parent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LITO_LLM_API_KEY", "not-for-children")
    reader = Reader(memory_mb=512)
    try:
        pages(reader)
        seen = Path(f"/proc/{child_of(reader)}/environ").read_bytes()
        assert b"not-for-children" not in seen
    finally:
        reader.close()


def test_a_child_ends_with_its_parent() -> None:
    program = (
        "import sys; from documents.isolated.isolation import Reader\n"
        "r = Reader(memory_mb=512)\n"
        f"r.ask('describe', seconds=20, path={ARTICLE!r})\n"
        "print(r._process.pid, flush=True); sys.stdin.read()\n"
    )
    parent = subprocess.Popen(
        [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert parent.stdout is not None
    child = int(parent.stdout.readline())
    parent.kill()
    parent.wait()
    parent.stdout.close()
    if parent.stdin is not None:
        parent.stdin.close()
    deadline = time.monotonic() + 10
    while _runs(child) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(child)


def test_borrowers_get_a_running_child_again() -> None:
    with ExitStack() as others:  # of other sizes: they fill the places for idle children
        for memory_mb in (510, 511, 512):
            pages(others.enter_context(borrowed_reader(memory_mb=memory_mb)))
    with borrowed_reader(memory_mb=513) as reader:
        pages(reader)
        child = child_of(reader)
    with borrowed_reader(memory_mb=513) as reader:
        pages(reader)
        assert child_of(reader) == child
    reader.close()


@pytest.mark.slow
def test_a_busy_machine_costs_no_page_its_time(tmp_path: Path) -> None:
    """Heavy work is measured by the processor: a child that has to wait for it loses nothing."""
    scan = str(write_scan(tmp_path / "scan.pdf", ("english",)))
    reader = Reader(memory_mb=2048, skill=Skill.OCR)
    try:
        assert reader.ask("ocr_text", seconds=60, path=scan, number=1).values["state"] == "ocr"
        child = child_of(reader)
        pulses: list[float] = []

        def pulse() -> None:
            pulses.append(time.monotonic())
            os.kill(child, signal.SIGCONT)

        os.kill(child, signal.SIGSTOP)
        began = time.monotonic()
        with waiting_with(pulse):
            reply = reader.ask("ocr_text", seconds=4, path=scan, number=1)
        assert reply.values["state"] == "ocr"
        assert time.monotonic() - began > 4
        assert pulses
        assert child_of(reader) == child
    finally:
        reader.close()


def test_whoever_waits_can_stop_waiting(tmp_path: Path) -> None:
    class NobodyWantsItError(Exception):
        pass

    def stop() -> None:
        raise NobodyWantsItError

    reader = Reader(memory_mb=512)
    try:
        pages(reader)
        child = child_of(reader)
        os.kill(child, signal.SIGSTOP)
        with waiting_with(stop), pytest.raises(NobodyWantsItError):
            reader.ask("describe", seconds=60, path=ARTICLE)
        assert not _runs(child)
        assert pages(reader) == 3
    finally:
        reader.close()


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
