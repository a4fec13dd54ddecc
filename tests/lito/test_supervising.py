"""The supervisor: starts again what died, leaves nothing behind, says what a person should know."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lito.paths import ROOT
from lito.process_logs import ProcessLog, understood
from lito.processes import Process
from lito.supervising import Supervisor, kill_leftovers

SPOKEN = "tests.lito.spoken"
UP = """
import sys, time
from pathlib import Path
from lito.processes import Process
from lito.supervising import Supervisor
home = Path(sys.argv[1])
processes = [Process("one", "tests.lito.spoken", ("parent",))]
supervisor = Supervisor(processes, home=home, root=Path.cwd(), report=print)
while True:
    supervisor.check()
    running = supervisor._children[0].running
    print(running and running.pid, flush=True)
    time.sleep(0.1)
"""


def process_ids(supervisor: Supervisor) -> dict[str, int]:
    """The processes that run, by name."""
    children = supervisor._children
    return {c.process.name: c.running.pid for c in children if c.running is not None}


class Watched:
    """A supervisor with what it said, and a loop that runs until something is true."""

    def __init__(self, home: Path, *processes: Process) -> None:
        self.said: list[str] = []
        self.supervisor = Supervisor(processes, home=home, root=ROOT, report=self.said.append)
        self.home = home

    def until(self, condition: Callable[[], bool], seconds: float = 60) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < deadline, f"it did not happen; said {self.said}"
            self.supervisor.check()
            time.sleep(0.05)

    def log(self, name: str) -> str:
        file = self.home / "logs" / f"{name}.log"
        return file.read_text() if file.exists() else ""


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Callable[..., Watched]]:
    started: list[Watched] = []

    def start(*processes: Process) -> Watched:
        started.append(Watched(tmp_path, *processes))
        return started[-1]

    yield start
    for watched in started:
        watched.supervisor.stop()


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def gone(pid: int, seconds: float = 20) -> bool:
    deadline = time.monotonic() + seconds
    while alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not alive(pid)


def test_a_killed_process_is_started_again_and_said(watch: Callable[..., Watched]) -> None:
    watched = watch(Process("one", SPOKEN, ("wait",)))
    watched.until(lambda: str(watched.home) in watched.log("one"))
    first = process_ids(watched.supervisor)["one"]
    os.kill(first, signal.SIGKILL)
    watched.until(lambda: process_ids(watched.supervisor).get("one", first) != first)
    assert watched.said[0].startswith("one ended (killed by SIGKILL), starting it again in 1 s")


def test_a_process_that_keeps_ending_is_explained_once(
    watch: Callable[..., Watched], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lito.supervising.HOPELESS", 2)  # a constant: five ends take half a minute
    watched = watch(Process("one", SPOKEN, ("fail",)))
    watched.until(lambda: any("keeps ending" in line for line in watched.said))
    explained = [line for line in watched.said if "keeps ending" in line]
    assert len(explained) == 1
    assert "the disk is on fire" in explained[0]
    assert str(watched.home / "logs" / "one.log") in explained[0]


def test_warnings_are_said_aloud_and_all_is_written_down(watch: Callable[..., Watched]) -> None:
    watched = watch(Process("one", SPOKEN, ("warn",)))
    watched.until(lambda: "plain words" in watched.log("one"))
    assert watched.said == ["one: a model is slow (timeout)"]
    assert "all is well" in watched.log("one")


def test_what_a_process_started_ends_with_it(watch: Callable[..., Watched]) -> None:
    watched = watch(Process("one", SPOKEN, ("parent",)))
    watched.until(lambda: str(watched.home) in watched.log("one"))
    grandchild = int(watched.log("one").split()[0])
    os.kill(process_ids(watched.supervisor)["one"], signal.SIGKILL)
    watched.until(lambda: bool(watched.said))
    assert gone(grandchild)


def test_stopping_ends_every_process(tmp_path: Path) -> None:
    processes = [Process(name, SPOKEN, ("wait",)) for name in ("one", "two")]
    watched = Watched(tmp_path, *processes)
    watched.until(lambda: len(process_ids(watched.supervisor)) == 2)
    running = process_ids(watched.supervisor).values()
    watched.supervisor.stop()
    assert not any(alive(pid) for pid in running)
    assert process_ids(watched.supervisor) == {}


def test_nothing_outlives_a_killed_supervisor(tmp_path: Path) -> None:
    supervisor = subprocess.Popen(
        [sys.executable, "-c", UP, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert supervisor.stdout is not None
    child = int(supervisor.stdout.readline())
    log = tmp_path / "logs" / "one.log"
    deadline = time.monotonic() + 30
    while not (log.exists() and str(tmp_path) in log.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    grandchild = int(log.read_text().split()[0])
    supervisor.kill()
    supervisor.communicate()
    assert gone(child), "the kernel ends the child with its supervisor"
    assert alive(grandchild)
    assert kill_leftovers(tmp_path / "another") == 0
    assert kill_leftovers(tmp_path) == 1
    assert gone(grandchild), "the next start ends what the child had started"


@pytest.mark.parametrize(
    ("line", "level", "event"),
    [
        ('{"level": "error", "event": "failed"}', "error", "failed"),
        ('{"level": "info", "event": "a\\n  b"}', "info", "a b"),
        (
            '{"level": "error", "event": "x", "exception": [{"exc_type": "B", "exc_value": 2}]}',
            "error",
            "x (B: 2)",
        ),
        ("Traceback (most recent call last):", "", "Traceback (most recent call last):"),
        ('{"no": "event"}', "", '{"no": "event"}'),
        ("[1, 2]", "", "[1, 2]"),
        ("17", "", "17"),
    ],
)
def test_a_line_of_output_is_understood(line: str, level: str, event: str) -> None:
    assert understood(line) == (level, event)


def test_a_log_file_never_grows_without_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lito.process_logs.LARGEST", 10_000)
    log = ProcessLog("web", folder=tmp_path, report=lambda _: None)
    reading, writing = os.pipe()
    log.follow(os.fdopen(reading, "rb"))
    with os.fdopen(writing, "wb") as output:
        for number in range(2000):
            output.write(f"line {number:06} of many words\n".encode())
    deadline = time.monotonic() + 20
    while not (log.path.exists() and "line 001999" in log.path.read_text()):
        assert time.monotonic() < deadline
        time.sleep(0.05)
    log.close()
    sizes = [file.stat().st_size for file in tmp_path.iterdir()]
    assert len(sizes) == 4
    assert max(sizes) <= 10_000


def test_closing_a_log_waits_for_the_last_words_and_ends_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lito.process_logs.LAST_WORDS", 0.5)
    log = ProcessLog("web", folder=tmp_path, report=lambda _: None)
    reading, writing = os.pipe()
    log.follow(os.fdopen(reading, "rb"))
    with os.fdopen(writing, "wb") as output:
        output.write(b"".join(b"line %d\n" % number for number in range(2000)))
        output.flush()
        log.close()
        assert log.path.read_text().endswith("line 1999\n")
        output.write(b"too late\n")
    deadline = time.monotonic() + 20
    while log.last_words() != "too late":
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert log.path.read_text().endswith("line 1999\n")
