"""Writes down what the processes say, and says aloud what somebody should know now."""

import json
import logging
import threading
from collections import deque
from collections.abc import Callable
from logging.handlers import RotatingFileHandler
from pathlib import Path
from typing import IO

LARGEST = 5 * 1024 * 1024
"""Bytes of one log file; three older ones are kept."""
LOUD = ("warning", "error", "critical")
LAST_WORDS = 5.0
"""Seconds that an ended process's last lines may take to be written down."""

Report = Callable[[str], None]


class ProcessLog:
    """Follows the output of one process into `folder`/NAME.log, over all its restarts."""

    def __init__(self, name: str, *, folder: Path, report: Report) -> None:
        self.path = folder / f"{name}.log"
        self._name = name
        self._report = report
        self._last: deque[str] = deque(maxlen=20)
        self._file = RotatingFileHandler(
            self.path, maxBytes=LARGEST, backupCount=3, encoding="utf-8", delay=True
        )
        self._readers: list[threading.Thread] = []
        self._lock = threading.Lock()
        self._closed = False

    def follow(self, output: IO[bytes]) -> None:
        """Reads until the process closes its output, in a thread of its own."""
        reader = threading.Thread(target=self._read, args=(output,), daemon=True)
        self._readers = [*filter(threading.Thread.is_alive, self._readers), reader]
        reader.start()

    def last_words(self) -> str:
        """The last line, which for a Python error is the error."""
        return self._last[-1] if self._last else "it said nothing"

    def close(self) -> None:
        """Once what the ended processes said last is written; nothing is written afterwards.

        Whoever left the process's group may hold its output open for ever, so the wait is bounded.
        """
        for reader in self._readers:
            reader.join(LAST_WORDS)
        with self._lock:
            self._closed = True
            self._file.close()

    def _read(self, output: IO[bytes]) -> None:
        with output:
            for line in output:
                self._write(line.decode("utf-8", errors="replace").rstrip())

    def _write(self, line: str) -> None:
        if not line:
            return
        with self._lock:
            if not self._closed:
                self._file.emit(logging.makeLogRecord({"msg": line}))
        level, event = understood(line)
        self._last.append(event)
        if level in LOUD:
            self._report(f"{self._name}: {event}")


def understood(line: str) -> tuple[str, str]:
    """The level and the event of one line of output; a line that is not ours has no level."""
    try:
        entry = json.loads(line)
        return str(entry["level"]), _told(entry)
    except (ValueError, KeyError, TypeError):
        return "", line


def _told(entry: dict[str, object]) -> str:
    event = " ".join(str(entry["event"]).split())
    error = entry.get("error")
    match entry.get("exception"):
        case [*_, {"exc_type": kind, "exc_value": value}]:
            error = f"{kind}: {value}"
    return f"{event} ({error})" if error else event
