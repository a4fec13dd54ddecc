"""Versions that nobody works on though somebody should: the worker died or the task was lost."""

from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from documents import storage
from documents.claiming import is_abandoned
from documents.models import Version

State = Version.State
WORKING = (State.QUEUED, State.PARSING, State.INDEXING)
SILENCE = timedelta(minutes=10)
"""An unclaimed version waits so long before its task counts as lost. One too many is harmless."""
SHORT_SILENCE = timedelta(seconds=60)
MOST_RESENT = 20
"""The few that waited longest are sent again sooner: more would flood a queue that is just long."""


def take_unfinished(*, all_lost: bool = False) -> list[tuple[int, str]]:
    """Return `(version id, state)` of what has to be sent again, and note that it was.

    A dead worker's claim ends here; that a worker died over the file is counted.
    """
    storage.sweep_incoming()
    now = timezone.now()
    with transaction.atomic():
        candidates = (
            Version.objects.select_for_update(skip_locked=True)
            .present()
            .filter(state__in=WORKING)
            .order_by("pk")
        )
        unclaimed = Q(claimed_by="")
        if not all_lost:
            unclaimed &= Q(claimed_at=None) | Q(claimed_at__lt=now - SILENCE)
        lost = list(candidates.filter(unclaimed))
        if not all_lost:
            waiting = Q(claimed_by="", failure_code="", claimed_at__lt=now - SHORT_SILENCE)
            seen = [version.pk for version in lost]
            longest = candidates.filter(waiting).exclude(pk__in=seen).order_by("claimed_at")
            lost += longest[:MOST_RESENT]
        dead = [version for version in candidates.exclude(claimed_by="") if is_abandoned(version)]
        for version in lost + dead:
            version.attempts += bool(version.claimed_by)
            version.claimed_by = ""
            version.claimed_at = now
        Version.objects.bulk_update(lost + dead, ("attempts", "claimed_by", "claimed_at"))
    return [(version.pk, version.state) for version in lost + dead]
