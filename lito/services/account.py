"""The account that the embedded services run under, and folders that only it can read."""

import os
import pwd
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lito.services.errors import ServiceError


@dataclass(frozen=True, slots=True)
class Account:
    """Who runs the services: this user, or `nobody` where this user is root."""

    uid: int
    gid: int
    changes_user: bool

    def popen_options(self) -> dict[str, Any]:
        """Arguments for `subprocess.Popen`. The working folder is one that every user may enter."""
        if not self.changes_user:
            return {"cwd": "/"}
        return {"cwd": "/", "user": self.uid, "group": self.gid, "extra_groups": []}


def service_account() -> Account:
    """PostgreSQL refuses to run as root; root's services therefore run as `nobody`."""
    if os.geteuid() != 0:
        return Account(os.geteuid(), os.getegid(), changes_user=False)
    try:
        entry = pwd.getpwnam("nobody")
    except KeyError:
        raise ServiceError(
            "PostgreSQL can't run as root and there is no user “nobody”: "
            "run this as an ordinary user."
        ) from None
    return Account(entry.pw_uid, entry.pw_gid, changes_user=True)


def private_directory(path: Path, account: Account) -> Path:
    """`path` as a folder that only `account` (and root) can enter; made if it is missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        path.mkdir(mode=0o700)
        os.chown(path, account.uid, account.gid)
    except FileExistsError:
        pass
    found = path.lstat()
    if not path.is_dir() or path.is_symlink() or found.st_uid != account.uid:
        raise ServiceError(
            f"{path} belongs to another user: start Lito as the user who started it first, "
            "or choose another data folder with LITO_HOME."
        )
    if found.st_mode & 0o777 != 0o700:
        path.chmod(0o700)
    return path
