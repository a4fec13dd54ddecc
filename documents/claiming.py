"""Who works on a version. A claim is a row in PostgreSQL with a heartbeat, so that a task that is
delivered twice does its work once, and a worker that died leaves nothing locked."""

import os
import secrets
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum

from django.db import Error, transaction
from django.db.models import QuerySet
from django.utils import timezone

from documents.failures import WORKER_DIED
from documents.models import ParsedFile, Version
from documents.versions import hold_document, step_down

LEASE = timedelta(seconds=120)
"""A claim without a heartbeat for so long is abandoned: longer than any single step takes."""
MOST_ATTEMPTS = 3
"""After so many workers died over one file, the file is at fault."""

State = Version.State


_dropped: set[str] = set()
"""Claims of this process that could not be given back, because the database was gone."""

Watcher = Callable[[Version], None]
"""Called after each heartbeat by whoever runs a recipe and wants to show how far it is."""


def ignore(_version: Version) -> None:
    """The watcher of a worker: people ask the database."""


class Unclaimed(Enum):
    """Why there is no claim: nothing is left to do, or somebody else is at this file."""

    NOTHING_TO_DO = "nothing to do"
    BUSY = "busy"


class LostClaimError(Exception):
    """The version was cancelled, removed, or given to somebody else. Stop, and touch nothing."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The right to work on one version until it is released or lost."""

    version: Version
    parsed: ParsedFile
    worker: str
    watcher: Watcher = ignore

    def beat(self, **fields: object) -> None:
        """Say that the work goes on, and store `fields` of the version with it.

        Raises `LostClaimError` if the claim is gone. Inside a transaction the row stays locked, so
        what is stored beside it is stored only while the claim holds.
        """
        mine = Version.objects.filter(
            pk=self.version.pk, claimed_by=self.worker, state=self.version.state
        )
        if not mine.update(claimed_at=timezone.now(), **fields):
            raise LostClaimError
        for name, value in fields.items():
            setattr(self.version, name, value)
        self.watcher(self.version)

    def embedded(self, done: int) -> None:
        """Note how many chunks have their vectors. Raises `LostClaimError`."""
        self.beat(embedded_chunks=done)

    def pulse(self) -> None:
        self.beat()

    def pause(self) -> None:
        """Somebody waits for this version: nobody goes first."""

    def release(self, **fields: object) -> None:
        """Give the version back and store `fields` with it. Raises `LostClaimError`."""
        self.beat(claimed_by="", **fields)

    def drop(self) -> None:
        """Let this process take the version again at once: the database is gone, not the worker."""
        drop(self.worker)

    def fail(self, code: str, sentence: str = "") -> None:
        """End the work: `documents.failures` knows what the code means, or the sentence says it.

        Raises `LostClaimError`.
        """
        with transaction.atomic():
            hold_document(self.version.document_id)
            searchable = self.version.state == State.INDEXING
            self.release(state=State.FAILED, failure_code=code, failure=sentence)
            if searchable:
                step_down(self.version)


def claim(
    version_id: int, state: Version.State, *, parser: str, watcher: Watcher = ignore
) -> Claim | Unclaimed:
    """Take the version for work in `state` (parsing or indexing).

    Versions of one file in several projects are worked on one after the other: the second finds
    the first one's work done.
    """
    entering = (State.QUEUED, State.PARSING) if state == State.PARSING else (State.INDEXING,)
    with new_worker() as worker:
        version = (
            Version.objects.select_for_update(of=("self",))
            .select_related("document", "project")
            .present()
            .filter(pk=version_id, state__in=entering)
            .first()
        )
        if version is None:
            return Unclaimed.NOTHING_TO_DO
        if version.claimed_by and not is_abandoned(version):
            return Unclaimed.BUSY
        parsed = _locked_reading(version, parser)
        if any(not is_abandoned(other) for other in versions_at(parsed).exclude(pk=version.pk)):
            return Unclaimed.BUSY
        if parsed.claimed_by:  # the background gives way, and finds this work done
            parsed.claimed_by = ""
            parsed.save(update_fields=("claimed_by",))
        return _taken(version, parsed, state, worker, watcher)


def is_abandoned(version: Version) -> bool:
    """Whether the worker that holds the version is known to be gone or silent for too long."""
    return is_gone(version.claimed_by, version.claimed_at)


def is_gone(worker: str, beaten_at: datetime | None) -> bool:
    """Whether this worker, whose last heartbeat was at that time, is dead or silent too long."""
    if worker in _dropped:
        return True
    host, _colon, rest = worker.partition(":")
    if host == _host() and not _is_running(rest.partition(":")[0]):
        return True
    return beaten_at is None or timezone.now() - beaten_at > LEASE


@contextmanager
def new_worker() -> Iterator[str]:
    """A transaction that may claim something under the name that it gives.

    The name tells the machine and the process, and no other claim has it. A database that goes away
    at the commit may have stored the claim all the same: it is dropped, so nobody waits for it.
    """
    name = f"{_host()}:{os.getpid()}:{secrets.token_hex(4)}"
    try:
        with transaction.atomic():
            yield name
    except Error:
        drop(name)
        raise


def drop(worker: str) -> None:
    """Let this process take up again what `worker` held: the database is gone, not the worker."""
    _dropped.add(worker)


def was_dropped(worker: str) -> bool:
    """Whether the claim ended without its worker having died."""
    return worker in _dropped


def _locked_reading(version: Version, parser: str) -> ParsedFile:
    """The reading that this version's work goes into, locked: claims on one file queue here."""
    if version.parsed_id is not None and version.state == State.INDEXING:
        return ParsedFile.objects.select_for_update().get(pk=version.parsed_id)
    parsed, _created = ParsedFile.objects.get_or_create(
        sha256=version.sha256, parser=parser, defaults={"page_count": version.page_count}
    )
    return ParsedFile.objects.select_for_update().get(pk=parsed.pk)


def versions_at(parsed: ParsedFile) -> QuerySet[Version]:
    """The versions whose workers are filling this reading now."""
    working = Version.objects.filter(parsed=parsed, state__in=(State.PARSING, State.INDEXING))
    return working.exclude(claimed_by="")


def _taken(
    version: Version, parsed: ParsedFile, state: Version.State, worker: str, watcher: Watcher
) -> Claim | Unclaimed:
    version.attempts += bool(version.claimed_by) and not was_dropped(version.claimed_by)
    version.parsed = parsed
    version.state = state
    version.claimed_by = worker
    version.claimed_at = timezone.now()
    version.failure_code = version.failure = ""
    version.save(
        update_fields=(
            "attempts", "parsed", "state", "claimed_by", "claimed_at", "failure_code", "failure",
        )
    )  # fmt: skip
    taken = Claim(version, parsed, version.claimed_by, watcher)
    if version.attempts >= MOST_ATTEMPTS:
        taken.fail(WORKER_DIED)
        return Unclaimed.NOTHING_TO_DO
    return taken


def _host() -> str:
    return socket.gethostname().replace(":", "-")[:40]


def _is_running(pid: str) -> bool:
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except (PermissionError, ValueError):
        return True
    return True
