"""Runs that nobody works on though somebody should: the message was lost or the worker died."""

from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from chat.asking import send_to_worker
from chat.models import Run
from chat.settling import interrupt_if_dead

SILENCE = timedelta(seconds=45)
"""A queued run waits so long before its message counts as lost. One too many is harmless."""


def take_up_lost(*, all_lost: bool = False) -> int:
    """Send queued runs again, end those of dead workers; return how many of both.

    `all_lost`: the whole queue may be gone (a fresh start), so do not wait for silence.
    """
    lost = _take_queued(all_lost=all_lost)
    for run_id in lost:
        send_to_worker(run_id)
    return len(lost) + sum(map(interrupt_if_dead, Run.objects.filter(state=Run.State.RUNNING)))


def _take_queued(*, all_lost: bool) -> list[int]:
    """Queued runs that wait for too long. Their heartbeat says when they were sent again."""
    now = timezone.now()
    silent = Q(created_at__lt=now - SILENCE) & (
        Q(heartbeat_at=None) | Q(heartbeat_at__lt=now - SILENCE)
    )
    with transaction.atomic():
        waiting = (
            Run.objects.select_for_update(skip_locked=True)
            .filter(Q() if all_lost else silent, state=Run.State.QUEUED)
            .order_by("pk")
        )
        run_ids = list(waiting.values_list("pk", flat=True))
        Run.objects.filter(pk__in=run_ids).update(heartbeat_at=now)
    return run_ids
