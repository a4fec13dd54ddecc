"""Starts a server that outlives the function, and perhaps the process, that started it."""

import subprocess
from pathlib import Path

from lito.services.account import Account

_launched: list[subprocess.Popen[bytes]] = []
"""Kept so that a server which ended is reaped; it may also outlive this process."""


def launch(command: list[str], *, log: Path, account: Account) -> subprocess.Popen[bytes]:
    """The process of `command` in a session of its own, its words in `log`."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as words:
        server = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=words,
            stderr=words,
            start_new_session=True,
            **account.popen_options(),  # type: ignore[call-overload]
        )
    reap()
    _launched.append(server)
    return server


def reap() -> None:
    """Forgets the servers that have ended."""
    _launched[:] = [server for server in _launched if server.poll() is None]
