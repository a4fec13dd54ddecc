"""Keeps a set of processes running: starts them, starts them again, ends them in order."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from lito.process_logs import ProcessLog, Report
from lito.processes import Process

CHILD = Path(__file__).with_name("child.py")
SHORT_LIFE = 10.0
"""Seconds: a process that lives longer has started well."""
LONGEST_PAUSE = 30.0
HOPELESS = 5
"""After this many short lives in a row a person is asked to look."""
GRACE = 12.0
"""Seconds that a process has to end by itself: a worker hands its tasks back in the meantime."""
MARK = "LITO_SUPERVISED_FROM"


@dataclass(slots=True)
class _Child:
    process: Process
    log: ProcessLog
    running: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    short_lives: int = 0
    next_start: float = 0.0


class Supervisor:
    """`home` marks the processes, so that a later supervisor of the same folder finds them."""

    def __init__(
        self, processes: Iterable[Process], *, home: Path, root: Path, report: Report
    ) -> None:
        self._home = home
        self._root = root
        self._report = report
        folder = home / "logs"
        folder.mkdir(parents=True, exist_ok=True)
        self._children = [
            _Child(process, ProcessLog(process.name, folder=folder, report=report))
            for process in processes
        ]

    def check(self) -> None:
        """One round: starts what does not run and whose pause is over. For a few times a second.

        Always from the same thread: the kernel ends the processes when the thread that started
        them ends.
        """
        now = time.monotonic()
        for child in self._children:
            if child.running is not None and child.running.poll() is not None:
                self._note_end(child, child.running.returncode, now)
            if child.running is None and now >= child.next_start:
                self._start(child, now)

    def stop(self) -> None:
        """Ends all, the last started first: nobody may ask who can't be answered any more."""
        web, *others = reversed(self._children)
        _end([web])
        _end(others)
        for child in self._children:
            child.log.close()

    def _start(self, child: _Child, now: float) -> None:
        child.started = now
        child.running = subprocess.Popen(
            [sys.executable, "-I", "-S", str(CHILD), str(os.getpid()), *child.process.command],
            cwd=self._root,
            env=self._environment(child.process.environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        if child.running.stdout is not None:
            child.log.follow(child.running.stdout)

    def _environment(self, own: Mapping[str, str]) -> dict[str, str]:
        shared = {
            "LITO_HOME": str(self._home),
            "LITO_LOG_FORMAT": "json",
            "PYTHONUNBUFFERED": "1",
            "DJANGO_SETTINGS_MODULE": "lito.settings",
            MARK: str(self._home),
        }
        return {**os.environ, **shared, **own}

    def _note_end(self, child: _Child, code: int, now: float) -> None:
        _kill_group(child)
        child.running = None
        child.short_lives = child.short_lives + 1 if now - child.started < SHORT_LIFE else 0
        pause = min(LONGEST_PAUSE, 2.0**child.short_lives - 1)
        child.next_start = now + pause
        name = child.process.name
        if child.short_lives < HOPELESS:
            again = f"again in {pause:.0f} s" if pause else "again now"
            self._report(f"{name} ended ({_ending(code)}), starting it {again}")
        elif child.short_lives == HOPELESS:
            self._report(
                f"{name} keeps ending: {child.log.last_words()}. Lito goes on without it and keeps "
                f"trying. The whole story is in {child.log.path}; "
                "once the cause is gone, stop Lito and start it again."
            )


def kill_leftovers(home: Path) -> int:
    """Ends what a killed supervisor of the same folder left behind; returns how many there were."""
    wanted = os.fsencode(f"{MARK}={home}")
    found = 0
    for folder in Path("/proc").iterdir():
        if not folder.name.isdecimal() or int(folder.name) == os.getpid():
            continue
        with suppress(OSError):  # another user's, or just ended
            if wanted in (folder / "environ").read_bytes().split(b"\0"):
                os.kill(int(folder.name), signal.SIGKILL)
                found += 1
    return found


def _end(children: list[_Child]) -> None:
    for child in children:
        if child.running is not None and child.running.poll() is None:
            child.running.terminate()
    deadline = time.monotonic() + GRACE
    for child in children:
        if child.running is None:
            continue
        with suppress(subprocess.TimeoutExpired):
            child.running.wait(max(0.0, deadline - time.monotonic()))
        _kill_group(child)
        child.running.wait()
        child.running = None


def _kill_group(child: _Child) -> None:
    """Whatever the process started itself must not live on without it."""
    if child.running is not None:
        with suppress(ProcessLookupError):
            os.killpg(child.running.pid, signal.SIGKILL)


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit status {code}"
    with suppress(ValueError):
        return f"killed by {signal.Signals(-code).name}"
    return f"killed by signal {-code}"
