"""Starts a process that outlives the function, and perhaps the process, that started it."""

import atexit
import subprocess
import sys
from pathlib import Path

from lito.paths import ROOT
from lito.services.account import Account

_launched: list[subprocess.Popen[bytes]] = []
"""Kept so that a process which ended is reaped; it may also outlive this one."""


def launch(command: list[str], *, log: Path, account: Account) -> subprocess.Popen[bytes]:
    """A server in a session of its own, run by `account`, its words in `log`."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as words:
        server = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=words,
            stderr=words,
            start_new_session=True,
            **account.popen_options(),
        )
    return _kept(server)


def launch_module(module: str, *, lock: int) -> subprocess.Popen[bytes]:
    """A Python module in a session of its own that inherits the descriptor `lock`, its argument."""
    return _kept(
        subprocess.Popen(
            [sys.executable, "-m", module, str(lock)],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            pass_fds=(lock,),
        )
    )


def reap() -> None:
    """Forgets the processes that have ended."""
    _launched[:] = [process for process in _launched if process.poll() is None]


@atexit.register
def _leave_running() -> None:
    """What outlives this process does so on purpose: it is no child that was forgotten."""
    reap()
    for process in _launched:
        process.returncode = 0  # else Popen warns of it when it is thrown away


def _kept(process: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
    reap()
    _launched.append(process)
    return process
