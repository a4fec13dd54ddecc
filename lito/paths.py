"""Where this installation keeps what it must keep. The one place that knows the folder names."""

import hashlib
import os
import stat
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LONGEST_SOCKET_DIRECTORY = 93
"""PostgreSQL refuses longer paths: a socket's whole path has at most 107 bytes."""


def home() -> Path:
    """The data folder: `LITO_HOME`, else `var` beside manage.py."""
    return Path(os.environ.get("LITO_HOME") or ROOT / "var").resolve()


def open_to_others(path: Path) -> bool:
    """Whether another user can walk to `path`. Only root asks: its services run as nobody."""
    existing = (folder for folder in (path, *path.parents) if folder.is_dir())
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in existing if folder != path)


def _digest() -> str:
    return hashlib.sha256(os.fsencode(home())).hexdigest()[:12]


def services_directory() -> Path:
    """The parent of PostgreSQL's and Redis's data.

    The data folder itself, except where root keeps it under a folder that nobody can enter
    (/root): PostgreSQL refuses to run as root, so its data has to lie where another user can go.
    """
    if os.geteuid() != 0 or open_to_others(home()):
        return home()
    return Path("/var/lib/lito") / _digest()


def socket_directory() -> Path:
    """A folder for sockets whose path is short enough, the same one at every call."""
    wanted = services_directory() / "run"
    if len(os.fsencode(wanted)) <= LONGEST_SOCKET_DIRECTORY:
        return wanted
    own = os.environ.get("XDG_RUNTIME_DIR") if os.geteuid() else None
    short = Path(own or tempfile.gettempdir()) / f"lito-{_digest()}"
    fits = len(os.fsencode(short)) <= LONGEST_SOCKET_DIRECTORY
    return short if fits else Path("/tmp") / short.name  # noqa: S108  (made 0700, owner checked)


def broker_url(redis_url: str) -> str:
    """The address of a Redis, over a socket or not, in the words of Celery's transport."""
    if not redis_url.startswith("unix://"):
        return redis_url
    return redis_url.replace("unix://", "redis+socket://", 1).replace("?db=", "?virtual_host=")
