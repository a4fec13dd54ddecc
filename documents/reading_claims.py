"""Who makes a reading in the background, before any version has it.

Like `documents.claiming`, but the claim stands on the reading: the versions of its file go on being
searched meanwhile. Whoever is waited for goes first, and may even take the work over.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from django.utils import timezone

from documents.claiming import (
    MOST_ATTEMPTS,
    LostClaimError,
    Unclaimed,
    drop,
    is_abandoned,
    is_gone,
    new_worker,
    versions_at,
    was_dropped,
)
from documents.failures import WORKER_DIED
from documents.models import ParsedFile, Version

State = Version.State
FRESH = timedelta(minutes=10)
"""A version that nobody touched for so long is not being waited for by this machine."""
GLANCE_SECONDS = 0.5


def nobody_waits() -> bool:
    """Whether no file that somebody has just put in is still being made searchable."""
    working = Version.objects.present().filter(
        state__in=(State.QUEUED, State.PARSING, State.INDEXING),
        failure_code="",
        claimed_at__gt=timezone.now() - FRESH,
    )
    return not working.exists()


def always() -> bool:
    return True


@dataclass(frozen=True, slots=True)
class ReadingClaim:
    """The right to fill one reading until it is released or lost. A `reading_steps.Hold`."""

    parsed: ParsedFile
    worker: str
    may_go_on: Callable[[], bool] = nobody_waits
    is_wanted: Callable[[], bool] = always

    def beat(self, **fields: object) -> None:
        """Say that the work goes on, and store `fields` of the reading. Raises `LostClaimError`."""
        mine = ParsedFile.objects.filter(pk=self.parsed.pk, claimed_by=self.worker)
        if not mine.update(used_at=timezone.now(), **fields):
            raise LostClaimError
        for name, value in fields.items():
            setattr(self.parsed, name, value)

    def embedded(self, _done: int) -> None:
        self.beat()

    def pulse(self) -> None:
        """`beat`. Ends the claim if nobody wants the reading now. Raises `LostClaimError`."""
        if not self.is_wanted():
            self.release()
            raise LostClaimError
        self.beat()

    def pause(self) -> None:
        """Wait as long as others are waited for. Ends the claim if nobody wants the reading now.

        Raises `LostClaimError`.
        """
        self.pulse()
        while not self.may_go_on():
            time.sleep(GLANCE_SECONDS)
            self.pulse()

    def release(self) -> None:
        self.beat(claimed_by="", attempts=0)

    def drop(self) -> None:
        drop(self.worker)

    def fail(self, code: str) -> None:
        """Give the reading up: it is not tried again. Versions keep what they have."""
        self.beat(claimed_by="", failure_code=code)


def claim_reading(
    sha256: str,
    label: str,
    *,
    page_count: int,
    may_go_on: Callable[[], bool] = nobody_waits,
    is_wanted: Callable[[], bool] = always,
) -> ReadingClaim | Unclaimed:
    """Take the reading of this file with this label for work in the background; make its row first.

    `NOTHING_TO_DO` if it was given up before.
    """
    with new_worker() as worker:
        ParsedFile.objects.get_or_create(
            sha256=sha256, parser=label, defaults={"page_count": page_count}
        )
        found = ParsedFile.objects.select_for_update().filter(sha256=sha256, parser=label).first()
        if found is None or found.failure_code:
            return Unclaimed.NOTHING_TO_DO
        if found.claimed_by and not is_gone(found.claimed_by, found.used_at):
            return Unclaimed.BUSY
        if any(not is_abandoned(version) for version in versions_at(found)):
            return Unclaimed.BUSY
        found.attempts += bool(found.claimed_by) and not was_dropped(found.claimed_by)
        found.claimed_by, found.used_at = worker, timezone.now()
        found.save(update_fields=("attempts", "claimed_by", "used_at"))
        claim = ReadingClaim(found, found.claimed_by, may_go_on, is_wanted)
        if found.attempts >= MOST_ATTEMPTS:
            claim.fail(WORKER_DIED)
            return Unclaimed.NOTHING_TO_DO
    return claim
