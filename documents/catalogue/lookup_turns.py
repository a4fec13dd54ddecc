"""Whose turn it is to ask for DOIs, for which, and which service is left alone for a while."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from documents.models import Document
from documents.record_models import DoiRecord, LookupPause

RUNNER = "runner"
LEASE = timedelta(minutes=5)
"""Longer than asking all services for one DOI can take."""
FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=5), timedelta(days=1)


@dataclass(slots=True)
class Turn:
    """The right to ask. It is known by when it ends: nobody else's ends in the same microsecond."""

    until: datetime

    def keep(self) -> bool:
        """Stay the one runner for another while. False if another has taken over meanwhile."""
        return self._move(timezone.now() + LEASE)

    def leave(self) -> None:
        """Let another be the runner at once."""
        self._move(timezone.now())

    def _move(self, until: datetime) -> bool:
        mine = LookupPause.objects.filter(service=RUNNER, until=self.until)
        self.until = until
        return bool(mine.update(until=until))


def due() -> QuerySet[DoiRecord]:
    """The records that may be asked for now."""
    return DoiRecord.objects.filter(next_at__lte=timezone.now())


def claim() -> DoiRecord | None:
    """The record that waits longest, put off for as long as asking may take.

    Those that no paper has any more are deleted on the way.
    """
    while record := due().order_by("next_at", "pk").first():
        if Document.objects.live().filter(doi=record.doi).exists():
            record.next_at = timezone.now() + LEASE
            record.save(update_fields=("next_at",))
            return record
        record.delete()
    return None


def take_turn() -> Turn | None:
    """Become the one runner, if there is none alive."""
    now = timezone.now()
    turn = Turn(now + LEASE)
    try:
        with transaction.atomic():
            LookupPause.objects.create(service=RUNNER, until=turn.until)
    except IntegrityError:
        free = LookupPause.objects.filter(service=RUNNER, until__lte=now)
        return turn if free.update(until=turn.until) else None
    return turn


def is_paused(service: str) -> bool:
    """Whether a service is to be left alone for now."""
    return LookupPause.objects.filter(service=service, until__gt=timezone.now()).exists()


def pause(service: str, seconds: int | None) -> None:
    """Leave a service alone for as long as it asked for, else longer with every failure."""
    row, _made = LookupPause.objects.get_or_create(
        service=service, defaults={"until": timezone.now()}
    )
    row.failures = min(row.failures + 1, 12)
    wait = timedelta(seconds=seconds) if seconds else FIRST_PAUSE * 2 ** (row.failures - 1)
    row.until = timezone.now() + min(wait, LONGEST_PAUSE)
    row.save()
