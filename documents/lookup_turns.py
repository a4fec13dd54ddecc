"""Whose turn it is to ask for DOIs, for which, and which service is left alone for a while."""

from datetime import timedelta

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils import timezone

from documents.models import Document
from documents.record_models import DoiRecord, LookupPause

RUNNER = "runner"
LEASE = timedelta(seconds=90)
FIRST_PAUSE, LONGEST_PAUSE = timedelta(minutes=5), timedelta(days=1)


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


def take_turn() -> bool:
    """Become the one runner, if there is none alive."""
    now = timezone.now()
    try:
        with transaction.atomic():
            LookupPause.objects.create(service=RUNNER, until=now + LEASE)
    except IntegrityError:
        free = LookupPause.objects.filter(service=RUNNER, until__lte=now)
        return bool(free.update(until=now + LEASE))
    return True


def keep_turn() -> None:
    """Stay the one runner for another while."""
    LookupPause.objects.filter(service=RUNNER).update(until=timezone.now() + LEASE)


def leave_turn() -> None:
    """Let another be the runner at once."""
    LookupPause.objects.filter(service=RUNNER).update(until=timezone.now())


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
