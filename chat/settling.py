"""Ending a run: what was written is stored with its sources, then the run gets its state."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db import transaction
from django.utils import timezone

from chat.asking import is_dead
from chat.events import RunEnded
from chat.evidence_book import EvidenceBook
from chat.models import Conversation, Run
from chat.streaming import forget, publish, request_stop
from citations.citing import save_answer
from citations.models import Answer
from citations.segments import Segment, TextSegment, segments_from_json


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended. `trace` and `usage` are JSON values."""

    state: str
    outcome: str = ""
    error_code: str = ""
    error: str = ""
    trace: Mapping[str, Any] = field(default_factory=dict)
    usage: Mapping[str, Any] = field(default_factory=dict)
    retention: Sequence[Mapping[str, Any]] = ()


def settle(
    run: Run, segments: Sequence[Segment], book: EvidenceBook, ending: Ending
) -> Answer | None:
    """Store the answer, if a word of it was written, and the run's end, in one transaction.

    A run that was taken for dead and then ended after all writes its own answer anew.
    """
    with transaction.atomic():
        given_up = Run.objects.filter(pk=run.pk, state=Run.State.INTERRUPTED).exists()
        answer = None
        if _has_words(segments):
            answer = save_answer(
                project=run.turn.conversation.project,
                segments=list(segments),
                evidence=book.cited(),
                answer=run.turn.answer if given_up else None,
                key=run.public_id,
                removed_markers=ending.trace.get("removed_markers", ()),
            )
            _put_in_place(run, answer, ending)
        run.state, run.outcome = ending.state, ending.outcome
        run.error_code, run.error = ending.error_code, ending.error
        run.trace, run.usage = dict(ending.trace), dict(ending.usage)
        run.retention = [dict(fate) for fate in ending.retention]
        run.draft, run.finished_at = {}, timezone.now()
        run.save()
    return answer


def _put_in_place(run: Run, answer: Answer, ending: Ending) -> None:
    """Make it the turn's answer; an earlier whole answer is not replaced by a broken one."""
    earlier = run.turn.answer
    if earlier == answer:
        return
    if earlier is not None and ending.state in (Run.State.FAILED, Run.State.INTERRUPTED):
        return
    run.turn.answer = answer
    run.turn.save(update_fields=["answer"])
    if earlier is not None:
        earlier.delete()


def stop_if_queued(run: Run) -> None:
    """End a run that no worker has taken yet."""
    waiting = Run.objects.filter(pk=run.pk, state=Run.State.QUEUED)
    if waiting.update(state=Run.State.STOPPED, finished_at=timezone.now()):
        publish(run.public_id, RunEnded(Run.State.STOPPED))
        run.refresh_from_db()


def delete_conversation(conversation: Conversation) -> None:
    """Remove the conversation, its turns and their answers, and what Redis holds of its runs."""
    runs = Run.objects.filter(turn__conversation=conversation)
    run_ids = list(runs.values_list("public_id", flat=True))
    with transaction.atomic():
        Answer.objects.filter(turn__conversation=conversation).delete()
        conversation.delete()
    for run_id in run_ids:
        request_stop(run_id)
        forget(run_id)


def interrupt_if_dead(run: Run) -> bool:
    """End a run whose worker died, keeping what it had written. Safe to call at any time."""
    if not is_dead(run):
        return False
    with transaction.atomic():
        locked = Run.objects.select_for_update().select_related("turn__conversation").get(pk=run.pk)
        if not is_dead(locked):
            return False
        _interrupt(locked)
    publish(run.public_id, RunEnded(Run.State.INTERRUPTED))
    run.refresh_from_db()
    return True


def _interrupt(run: Run) -> None:
    draft = run.draft or {}
    segments = segments_from_json(draft.get("segments", []))
    book = EvidenceBook.from_json(draft.get("evidence", {}))
    settle(run, segments, book, Ending(Run.State.INTERRUPTED, trace=draft.get("trace", {})))


def _has_words(segments: Sequence[Segment]) -> bool:
    return any(isinstance(part, TextSegment) and part.text.strip() for part in segments)
