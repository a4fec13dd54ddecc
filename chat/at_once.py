"""Several jobs at once that read the database, each in a thread with a connection of its own."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from django.db import connection, connections

MOST_THREADS = 4

Result = TypeVar("Result")


def at_once(jobs: Sequence[Callable[[], Result]]) -> list[Result]:
    """What the jobs return, in their order. A job that raises raises here, the first one first.

    A single job stays in this thread. While others work, this thread gives its own connection
    back: threads that each hold one and wait for more would use up a pool.
    """
    if len(jobs) < 2:
        return [job() for job in jobs]
    if not connection.in_atomic_block:
        connections.close_all()
    with ThreadPoolExecutor(min(len(jobs), MOST_THREADS), thread_name_prefix="tool") as pool:
        return list(pool.map(_with_own_connection, jobs))


def _with_own_connection(job: Callable[[], Result]) -> Result:
    try:
        return job()
    finally:
        connections.close_all()
