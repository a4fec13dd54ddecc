"""A run's events in Redis: written by its worker, followed by any number of browsers.

Each run has one stream, kept for `RETENTION` after its last event. What is in PostgreSQL when a run
has ended never depends on it.
"""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Any
from weakref import WeakKeyDictionary

import structlog
from django.conf import settings
from redis import Redis, RedisError
from redis.asyncio import BlockingConnectionPool
from redis.asyncio import Redis as AsyncRedis

from chat.events import RunEnded, StreamEvent, TextAdded, event_from_json, event_to_json
from citations.segments import Segment, TextSegment

RETENTION = 24 * 3600
"""Seconds for which a stream can be followed again after its last event."""
COALESCE = 0.07
"""Seconds for which text is gathered before it is sent: smooth to read, cheap to follow."""
PAUSE = 1.0
"""Seconds until Redis is tried again after it did not answer."""
BLOCK_MS = 5_000
MOST_FOLLOWERS = 2_000
FROM_START = "0-0"
log = structlog.get_logger(__name__)
_ID = re.compile(r"[0-9]{1,19}-[0-9]{1,19}\Z")


class StreamAwayError(Exception):
    """Redis does not answer, so that events can't be read now. They are there when it is back."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An event with its place in the stream."""

    id: str
    event: StreamEvent


class Publisher:
    """Writes one run's events. Text is gathered for `COALESCE` seconds; `flush_if_due` sends it.

    Without Redis the run goes on: what could not be sent is sent in order once Redis answers.
    """

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._pending: list[Segment] = []
        self._since = 0.0
        self._unsent: list[StreamEvent] = []
        self._not_before = 0.0

    def publish(self, event: StreamEvent) -> None:
        if isinstance(event, TextAdded):
            self._since = self._since if self._pending else time.monotonic()
            self._pending.extend(event.segments)
            self.flush_if_due()
        else:
            self._gather()
            self._unsent.append(event)
            self._send(at_once=isinstance(event, RunEnded))

    def flush_if_due(self) -> None:
        if self._pending and time.monotonic() - self._since >= COALESCE:
            self.flush()

    def flush(self) -> None:
        self._gather()
        self._send()

    def _gather(self) -> None:
        if self._pending:
            self._unsent.append(TextAdded(tuple(joined(self._pending))))
            self._pending = []

    def _send(self, *, at_once: bool = False) -> None:
        if not self._unsent or (time.monotonic() < self._not_before and not at_once):
            return
        try:
            _append(self._run_id, self._unsent)
        except RedisError:
            self._not_before = time.monotonic() + PAUSE
            log.warning("events_wait_for_redis", run=self._run_id, events=len(self._unsent))
        else:
            self._unsent = []


def joined(segments: list[Segment]) -> list[Segment]:
    """The same segments with neighbouring plain text made one."""
    result: list[Segment] = []
    for segment in segments:
        last = result[-1] if result else None
        if (
            isinstance(segment, TextSegment)
            and isinstance(last, TextSegment)
            and not (segment.verbatim or last.verbatim)
        ):
            result[-1] = TextSegment(last.text + segment.text)
        else:
            result.append(segment)
    return result


def publish(run_id: str, event: StreamEvent) -> None:
    """Append to the run's stream, if Redis answers: rows never depend on it."""
    try:
        _append(run_id, [event])
    except RedisError:
        log.warning("event_lost_without_redis", run=run_id, event_kind=type(event).__name__)


def _append(run_id: str, events: Sequence[StreamEvent]) -> None:
    """All of them in one transaction, or none."""
    pipe = _redis().pipeline()
    for event in events:
        body = json.dumps(event_to_json(event), ensure_ascii=False, separators=(",", ":"))
        pipe.xadd(_stream(run_id), {"e": body})
    pipe.expire(_stream(run_id), RETENTION)
    pipe.execute()


def read(run_id: str) -> list[Entry]:
    """Everything in the run's stream so far. Raises `StreamAwayError`."""
    try:
        found: Any = _redis().xrange(_stream(run_id))
    except RedisError as error:
        raise StreamAwayError from error
    return [_entry(raw) for raw in found]


async def follow(run_id: str, last_id: str = FROM_START) -> AsyncIterator[list[Entry]]:
    """Yield what comes after `last_id`, all that has gathered at once; an empty list when nothing
    came for a while. Never ends by itself. Raises `StreamAwayError`.
    """
    last_id = valid_id(last_id)
    while True:
        try:
            found: Any = await _async_redis().xread({_stream(run_id): last_id}, block=BLOCK_MS)
        except RedisError as error:
            raise StreamAwayError from error
        entries = [_entry(raw) for _, raws in _streams(found) for raw in raws]
        if entries:
            last_id = entries[-1].id
        yield entries


def request_stop(run_id: str) -> bool:
    """Tell the run's worker to stop; whether Redis took the message."""
    try:
        _redis().set(_stop_key(run_id), 1, ex=3600)
    except RedisError:
        return False
    return True


def stop_requested(run_id: str) -> bool | None:
    """Whether the reader pressed Stop; None if Redis can't be asked."""
    try:
        return bool(_redis().exists(_stop_key(run_id)))
    except RedisError:
        return None


def forget(run_id: str) -> None:
    """Remove what Redis holds of a run. Without Redis it goes away by itself after a day."""
    with suppress(RedisError):
        _redis().delete(_stream(run_id), _stop_key(run_id))


def valid_id(given: str) -> str:
    """`given` if it is the id of an event, else the start: a browser may send anything."""
    return given if _ID.match(given) else FROM_START


def is_after(one: str, other: str) -> bool:
    """Whether the event id `one` is later than `other`."""
    return _pair(one) > _pair(other)


def _pair(event_id: str) -> tuple[int, int]:
    milliseconds, _, number = event_id.partition("-")
    return int(milliseconds), int(number)


def _streams(found: Any) -> list[tuple[Any, list[Any]]]:
    return list(found.items()) if isinstance(found, dict) else list(found or ())


def _entry(raw: Any) -> Entry:
    event_id, fields = raw
    return Entry(str(event_id, "ascii"), event_from_json(json.loads(fields[b"e"])))


def _stream(run_id: str) -> str:
    return f"lito:run:{run_id}"


def _stop_key(run_id: str) -> str:
    return f"lito:run:{run_id}:stop"


@lru_cache(maxsize=1)
def _redis() -> Redis:
    return Redis.from_url(settings.REDIS_URL)


async def let_go() -> None:
    """Close what this event loop holds of Redis, where a loop ends before its process."""
    client = _clients.pop(asyncio.get_running_loop(), None)
    if client is not None:
        await client.aclose()
        await client.connection_pool.aclose()


_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncRedis] = WeakKeyDictionary()


def _async_redis() -> AsyncRedis:
    """One pool for each event loop; each follower holds one connection while it waits."""
    loop = asyncio.get_running_loop()
    if loop not in _clients:
        # redis-py gives a socket 5 s by default, but a quiet run lets a reader wait for BLOCK_MS.
        pool = BlockingConnectionPool.from_url(
            settings.REDIS_URL, max_connections=MOST_FOLLOWERS, timeout=5, socket_timeout=None
        )
        _clients[loop] = AsyncRedis(connection_pool=pool)
    return _clients[loop]
