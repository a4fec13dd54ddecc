"""Starts the embedded services for as long as somebody uses them.

Everyone who uses them holds a shared lock; whoever lets go last stops them. The kernel drops the
locks of a killed process, so a count that is wrong for ever can't arise.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO

from lito.environment import read_environment_file
from lito.paths import home
from lito.services.errors import ServiceError
from lito.services.launching import launch_module
from lito.services.postgres import embedded_postgres
from lito.services.redis_server import embedded_redis

MIGRATION_LOCK = 0x6C69746F
"""“lito” in ASCII."""


@contextmanager
def running_services(*, migrate: bool = True) -> Iterator[None]:
    """PostgreSQL and Redis are there inside this block, with the tables up to date.

    Embedded ones are started only where DATABASE_URL or REDIS_URL names no outside one.
    """
    read_environment_file()
    postgres, redis = uses_embedded_postgres(), uses_embedded_redis()
    with embedded(postgres=postgres, redis=redis):
        if migrate:
            bring_tables_up_to_date()
        yield


def uses_embedded_postgres() -> bool:
    return not os.environ.get("DATABASE_URL")


def uses_embedded_redis() -> bool:
    return not os.environ.get("REDIS_URL")


@contextmanager
def embedded(
    *, postgres: bool = True, redis: bool = True, settings: tuple[str, ...] = ()
) -> Iterator[None]:
    """The chosen embedded services run inside this block. Safe in many processes at once.

    `settings` are for PostgreSQL, `name=value`; they count for whoever starts it.
    """
    if not (postgres or redis):
        yield
        return
    with _open(home() / "services.users") as users:
        fcntl.flock(users, fcntl.LOCK_SH)
        try:
            with _open(home() / "services.starting") as turn:
                fcntl.flock(turn, fcntl.LOCK_EX)
                _start(postgres=postgres, redis=redis, settings=settings)
            yield
        finally:
            with suppress(BlockingIOError):  # others still use them
                fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
                stop_all()


def stop_all() -> None:
    """Stops what runs, Redis first, since nothing in PostgreSQL waits for it."""
    with suppress(ServiceError):  # a service that was never installed has nothing to stop
        embedded_redis().stop()
    with suppress(ServiceError):
        embedded_postgres().stop()


def bring_tables_up_to_date() -> None:
    """Applies what is missing. One process at a time, however many start together."""
    import django
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_lock(%s)", [MIGRATION_LOCK])
        try:
            call_command("migrate", verbosity=0, interactive=False)
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [MIGRATION_LOCK])
    connection.close()


def _start(*, postgres: bool, redis: bool, settings: tuple[str, ...]) -> None:
    if postgres:
        server = embedded_postgres(*settings)
        server.start()
        server.create_database()
    if redis:
        embedded_redis().start()
    with _open(home() / "services.keeper") as keeping, suppress(BlockingIOError):
        fcntl.flock(keeping, fcntl.LOCK_EX | fcntl.LOCK_NB)
        launch_module("lito.keeper", lock=keeping.fileno())


def _open(lock: os.PathLike[str]) -> FileIO:
    try:
        home().mkdir(parents=True, exist_ok=True)
        return FileIO(lock, "a")
    except OSError as error:
        raise ServiceError(
            f"the data folder {home()} can't be written ({error.strerror}): "
            "choose another one with LITO_HOME."
        ) from None
