"""PDF work in a child process that may be slow, greedy or die without harm to this one.

The child (`documents.isolated.reader_process`) is the only place where the PDF library lives. A
message, in either direction, is a 4-byte length, a UTF-8 JSON object of that length, and then as
many raw bytes as the object's `payload` names. Nothing that comes from the child is unpickled.
"""

import atexit
import json
import os
import select
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
START_SECONDS = 60.0
MAX_HEADER_BYTES = 64 * 1024 * 1024
MAX_PAYLOAD_BYTES = 256 * 1024 * 1024
KEPT_VARIABLES = ("PATH", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH", "VIRTUAL_ENV")
"""The child sees these and no other part of our environment: no keys, no passwords."""

PULSE_SECONDS = 5.0
"""How often somebody who waits for a child says that they are still there."""
STILL_SECONDS = 120.0
"""A child that is measured by its processor time and uses none for so long hangs."""

_LENGTH = struct.Struct("!I")
_TICKS = os.sysconf("SC_CLK_TCK")


class Failure(StrEnum):
    """Why the child gave no result."""

    TOO_SLOW = "too_slow"
    OUT_OF_MEMORY = "out_of_memory"
    CRASHED = "crashed"
    REFUSED = "refused"
    """The child is well, but the PDF library could not do it."""


LEFT_BY_OTHERS = (Failure.CRASHED, Failure.OUT_OF_MEMORY)
"""What an earlier file may do to a later one: it damages the child's memory, or fills it."""


class Skill(StrEnum):
    """What a child is made for. Each has its own libraries, and no more of them than it needs."""

    TEXT = "text"
    """Text, boxes and pictures of pages."""
    OCR = "ocr"
    """Text read off the pictures of pages."""
    LAYOUT = "layout"
    """Blocks and tables as a model sees them."""
    DOCLING = "docling"
    """Tables as Docling sees them."""

    @property
    def is_heavy(self) -> bool:
        """Whether its work takes so long that the load of the machine decides how long. It is
        measured by the processor time of the child: on a busy machine it only takes longer."""
        return self is not Skill.TEXT


RECYCLE_AFTER = {Skill.TEXT: 2000, Skill.OCR: 50, Skill.LAYOUT: 200, Skill.DOCLING: 200}


class ReadingError(Exception):
    """`failure` is the class of the trouble, `detail` what the PDF library said, if anything."""

    def __init__(self, failure: Failure, detail: str = "") -> None:
        super().__init__(f"{failure}: {detail}" if detail else str(failure))
        self.failure = failure
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Reply:
    """What the child answered: JSON values and raw bytes."""

    values: dict[str, Any]
    payload: bytes


class Reader:
    """One child process, started when first asked and replaced after a failure. Not thread-safe.

    `memory_mb` bounds what the child may take beyond its own start-up size. After `recycle_after`
    requests the child is replaced, since the libraries do not give their memory back.
    """

    def __init__(
        self, *, memory_mb: int, skill: Skill = Skill.TEXT, recycle_after: int | None = None
    ) -> None:
        self.memory_mb = memory_mb
        self.skill = skill
        self.recycle_after = recycle_after or RECYCLE_AFTER[skill]
        self._process: subprocess.Popen[bytes] | None = None
        self._asked = 0
        self._served: set[str] = set()

    def ask(self, operation: str, *, seconds: float, **arguments: Any) -> Reply:
        """Let the child do one thing within `seconds`: of wall time, or of its processor time if
        its skill is heavy.

        Raises `ReadingError`; then a slow, greedy or dead child is gone and the next call starts
        a new one. Raises what `waiting_with` was given raises, too. Where a child breaks that had
        other files before this one, a fresh child is asked: they may have left it damaged.
        """
        others = self._served - {arguments.get("path", "")}
        try:
            return self._asked_once(operation, seconds=seconds, **arguments)
        except ReadingError as error:
            is_its_own = self.skill.is_heavy or not others or error.failure not in LEFT_BY_OTHERS
            if is_its_own:
                raise
        return self._asked_once(operation, seconds=seconds, **arguments)

    def _asked_once(self, operation: str, *, seconds: float, **arguments: Any) -> Reply:
        if self._process is not None and self._asked >= self.recycle_after:
            self.close()
        process = self._process or self._start()
        self._asked += 1
        self._served.add(arguments.get("path", ""))
        request = {"operation": operation, "seconds": seconds, **arguments}
        patience = _ProcessorTime if self.skill.is_heavy else _WallTime
        try:
            _send(process, request)
            reply = _receive(process, patience(process.pid, seconds))
        except BaseException:  # half an answer is of no use to the next one who asks
            self.close()
            raise
        failure = reply.values.get("failure")
        if failure is None:
            return reply
        if failure != Failure.REFUSED:
            self.close()
        raise ReadingError(Failure(failure), str(reply.values.get("detail", "")))

    def close(self) -> None:
        """End the child, whatever it is doing."""
        process, self._process, self._asked = self._process, None, 0
        self._served.clear()
        if process is None:
            return
        process.kill()
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
        process.wait()

    @property
    def alive(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def _start(self) -> subprocess.Popen[bytes]:
        environment = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        environment |= {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        module = "documents.isolated.reader_process"
        command = [sys.executable, "-m", module, self.skill, str(self.memory_mb)]
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
            env=environment,
            bufsize=0,
        )
        self._process = process
        try:
            _receive(process, _WallTime(process.pid, START_SECONDS))
        except BaseException:
            self.close()
            raise
        return process


def _send(process: subprocess.Popen[bytes], request: dict[str, Any]) -> None:
    body = json.dumps(request).encode()
    assert process.stdin is not None
    try:
        process.stdin.write(_LENGTH.pack(len(body)) + body)
    except (BrokenPipeError, OSError) as error:
        raise ReadingError(Failure.CRASHED) from error


def _receive(process: subprocess.Popen[bytes], patience: "_Patience") -> Reply:
    (size,) = _LENGTH.unpack(_read(process, _LENGTH.size, patience))
    if size > MAX_HEADER_BYTES:
        raise ReadingError(Failure.OUT_OF_MEMORY, "reply too large")
    values = json.loads(_read(process, size, patience))
    length = int(values.get("payload", 0))
    if not 0 <= length <= MAX_PAYLOAD_BYTES:
        raise ReadingError(Failure.OUT_OF_MEMORY, "reply too large")
    return Reply(values, _read(process, length, patience))


def _read(process: subprocess.Popen[bytes], size: int, patience: "_Patience") -> bytes:
    """Exactly `size` bytes, or `ReadingError` when patience is at its end or the child is gone."""
    assert process.stdout is not None
    descriptor = process.stdout.fileno()
    poll = select.poll()
    poll.register(descriptor, select.POLLIN | select.POLLHUP)
    received = bytearray()
    while len(received) < size:
        if not poll.poll(patience.next_look() * 1000):
            continue
        part = os.read(descriptor, min(size - len(received), 1 << 20))
        if not part:
            raise ReadingError(Failure.CRASHED)
        received += part
    return bytes(received)


_pulse: ContextVar[Callable[[], None] | None] = ContextVar("pulse", default=None)


@contextmanager
def waiting_with(pulse: Callable[[], None]) -> Iterator[None]:
    """Whoever waits for a child in this block calls `pulse` now and then; it may raise to stop."""
    token = _pulse.set(pulse)
    try:
        yield
    finally:
        _pulse.reset(token)


class _Patience:
    """How long a child is waited for."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.began = self.pulsed = time.monotonic()

    def next_look(self) -> float:
        """Seconds until this is to be asked again. Raises `ReadingError` if there is no time."""
        left = self._left()
        if left <= 0:
            raise ReadingError(Failure.TOO_SLOW)
        pulse = _pulse.get()
        if pulse is not None and time.monotonic() - self.pulsed >= PULSE_SECONDS:
            pulse()
            self.pulsed = time.monotonic()
        return min(left, PULSE_SECONDS)

    def _left(self) -> float:
        raise NotImplementedError


class _WallTime(_Patience):
    def __init__(self, _pid: int, seconds: float) -> None:
        super().__init__(seconds)

    def _left(self) -> float:
        return self.began + self.seconds - time.monotonic()


class _ProcessorTime(_Patience):
    """Of one child, from now on."""

    def __init__(self, pid: int, seconds: float) -> None:
        super().__init__(seconds)
        self._pid = pid
        self._start = self._seen = _processor_seconds(pid)
        self._moved = self.began

    def _left(self) -> float:
        used, now = _processor_seconds(self._pid), time.monotonic()
        if used > self._seen:
            self._seen, self._moved = used, now
        return min(self._start + self.seconds - used, self._moved + STILL_SECONDS - now)


def _processor_seconds(pid: int) -> float:
    """What the process has used so far, all threads, in user and system mode."""
    try:
        values = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except FileNotFoundError as error:
        raise ReadingError(Failure.CRASHED) from error
    return (int(values[11]) + int(values[12])) / _TICKS


_idle: list[Reader] = []
_idle_owner = os.getpid()
_idle_lock = threading.Lock()
MAX_IDLE = 2


@contextmanager
def borrowed_reader(*, memory_mb: int, skill: Skill = Skill.TEXT) -> Iterator[Reader]:
    """A reader for this block alone; a running child is kept for the next borrower."""
    reader = _take_idle(memory_mb, skill) or Reader(memory_mb=memory_mb, skill=skill)
    try:
        yield reader
    except GeneratorExit:
        _give_back(reader)
        raise
    except BaseException:
        reader.close()
        raise
    _give_back(reader)


def close_idle_readers() -> None:
    """End the children that wait for work."""
    with _idle_lock:
        waiting, _idle[:] = list(_idle), []
    if _idle_owner == os.getpid():
        for reader in waiting:
            reader.close()


def _take_idle(memory_mb: int, skill: Skill) -> Reader | None:
    _forget_readers_of_parent()
    with _idle_lock:
        for position, reader in enumerate(_idle):
            fits = reader.memory_mb == memory_mb and reader.skill == skill
            if fits and reader.alive:
                return _idle.pop(position)
    return None


def _give_back(reader: Reader) -> None:
    """Keep the child for the next borrower; of too many, the one that waited longest goes."""
    _forget_readers_of_parent()
    if not reader.alive:
        reader.close()
        return
    with _idle_lock:
        _idle.append(reader)
        surplus, _idle[:] = _idle[:-MAX_IDLE], _idle[-MAX_IDLE:]
    for old in surplus:
        old.close()


def _forget_readers_of_parent() -> None:
    """After a fork the list names children of another process: never talk to those."""
    global _idle_owner  # noqa: PLW0603 - which process the module's list belongs to
    if _idle_owner != os.getpid():
        _idle.clear()
        _idle_owner = os.getpid()


atexit.register(close_idle_readers)
