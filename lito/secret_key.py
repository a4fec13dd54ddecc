"""The key that signs sessions, made once for each installation."""

import os
import secrets
from contextlib import suppress
from pathlib import Path


def kept_secret(file: Path) -> str:
    """The secret in `file`; made if there is none, also by many processes at once."""
    with suppress(FileNotFoundError):
        if kept := file.read_text():
            return kept
    file.parent.mkdir(parents=True, exist_ok=True)
    made = file.with_name(f"{file.name}.{os.getpid()}")
    made.touch(mode=0o600)
    made.write_text(secrets.token_urlsafe(48))
    with suppress(FileExistsError):
        file.hardlink_to(made)  # never overwrites what another process made first
    made.unlink()
    return file.read_text()
