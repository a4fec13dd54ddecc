"""Where this installation keeps what it must keep. The one place that knows the folder names."""

import hashlib
import os
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LONGEST_SOCKET_DIRECTORY = 93
"""PostgreSQL refuses longer paths: a socket's whole path has at most 107 bytes."""


def home() -> Path:
    """The data folder: `LITO_HOME`, else `var` beside manage.py."""
    return Path(os.environ.get("LITO_HOME") or ROOT / "var").resolve()


def socket_directory() -> Path:
    """A folder for sockets whose path is short enough, the same one at every call."""
    wanted = home() / "run"
    if len(os.fsencode(wanted)) <= LONGEST_SOCKET_DIRECTORY:
        return wanted
    digest = hashlib.sha256(os.fsencode(home())).hexdigest()[:12]
    return Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()) / f"lito-{digest}"
