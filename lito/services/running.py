"""Starts the embedded services for as long as somebody uses them.

Everyone who uses them holds a shared lock; whoever lets go last stops them. The kernel drops the
locks of a killed process, so a count that is wrong for ever can't arise.
"""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO

from lito.paths import home
from lito.services.postgres import embedded_postgres
from lito.services.redis_server import embedded_redis


@contextmanager
def running_services(*, migrate: bool = True) -> Iterator[None]:
    """PostgreSQL and Redis are there inside this block, with the tables up to date.

    Embedded ones are started only where DATABASE_URL or REDIS_URL names no outside one.
    """
    with embedded(
        postgres=not os.environ.get("DATABASE_URL"), redis=not os.environ.get("REDIS_URL")
    ):
        if migrate:
            bring_tables_up_to_date()
        yield


@contextmanager
def embedded(*, postgres: bool = True, redis: bool = True, settings: tuple[str, ...] = ()) -> Iterator[None]:
    """The chosen embedded services run inside this block. Safe in many processes at once."""
    if not (postgres or redis):
        yield
        return
    home().mkdir(parents=True, exist_ok=True)
    users = FileIO(home() / "services.users", "a")
    try:
        fcntl.flock(users, fcntl.LOCK_SH)
        with _alone():
            if postgres:
                server = embedded_postgres(*settings)
                server.start()
                server.create_database()
            if redis:
                embedded_redis().start()
        yield
    finally:
        _leave(users, postgres=postgres, redis=redis)
        users.close()


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


MIGRATION_LOCK = 0x6C69746F
"""“lito” in ASCII."""


@contextmanager
def _alone() -> Iterator[None]:
    with FileIO(home() / "services.starting", "a") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        yield


def _leave(users: FileIO, *, postgres: bool, redis: bool) -> None:
    """The last one out stops the services, before anybody new can come in."""
    with suppress(BlockingIOError):
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if redis:
            embedded_redis().stop()
        if postgres:
            embedded_postgres().stop()
