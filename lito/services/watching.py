"""Brings an embedded service back when it dies while Lito runs."""

import time
from collections.abc import Callable

from lito.services.errors import ServiceError
from lito.services.postgres import embedded_postgres
from lito.services.redis_server import embedded_redis
from lito.services.running import uses_embedded_postgres, uses_embedded_redis

PAUSE = 2.0
"""Seconds between two looks."""


class ServiceWatch:
    """Looks every two seconds; what it found and did goes to `report`, one line each."""

    def __init__(self, report: Callable[[str], None]) -> None:
        self._report = report
        self._next = 0.0
        self._postgres = embedded_postgres() if uses_embedded_postgres() else None
        self._redis = embedded_redis() if uses_embedded_redis() else None

    def check(self) -> None:
        now = time.monotonic()
        if now < self._next:
            return
        self._next = now + PAUSE
        if self._postgres is not None and not self._postgres.runs():
            self._revive("PostgreSQL", self._postgres.start)
        if self._redis is not None and not self._redis.alive():
            self._revive("Redis", self._redis.start)

    def _revive(self, name: str, start: Callable[[], None]) -> None:
        self._report(f"{name} ended, starting it again")
        try:
            start()
        except ServiceError as error:
            self._report(str(error))
            self._next = time.monotonic() + 15 * PAUSE
