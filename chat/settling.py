"""Ending a run: what was written is stored with its sources, then the run gets its state."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.db import transaction
from django.utils import timezone

from chat.asking import is_dead
from chat.events import Noticed, RunEnded, event_to_json
from chat.evidence_book import EvidenceBook
from chat.fates import Rewritten, fates
from chat.models import Conversation, Run, Turn
from chat.sharing import keep_shared
from chat.streaming import StreamAwayError, forget, publish, read, request_stop
from chat.transcript import Transcript
from chat.turn_words import keep_words
from citations.citing import save_answer
from citations.models import Answer
from citations.segments import CiteSegment, Segment, TextSegment, segments_from_json

OPEN = (Run.State.RUNNING, Run.State.INTERRUPTED)
"""States that a worker may still end: it can only seem to be dead."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a run ended. `trace` and `usage` are JSON values.

    `rewrites` has the answer whose citations it had to keep: their fates are stored.
    """

    state: str
    outcome: str = ""
    error_code: str = ""
    error: str = ""
    trace: Mapping[str, Any] = field(default_factory=dict)
    usage: Mapping[str, Any] = field(default_factory=dict)
    rewrites: Rewritten | None = None


def settle(
    run: Run, segments: Sequence[Segment], book: EvidenceBook, ending: Ending
) -> Answer | None:
    """Store the answer, if a word of it was written, and the run's end, in one transaction.

    Everything is read afresh under locks, the turn's first. A run that has ended already stays as
    it is; one that was taken for dead and then ended after all writes its own answer anew. Returns
    the answer if it is the turn's now.
    """
    with transaction.atomic():
        turn = Turn.objects.select_for_update().filter(pk=run.turn_id).first()
        fresh = Run.objects.select_for_update().filter(pk=run.pk, state__in=OPEN).first()
        if turn is None or fresh is None:
            return None
        answer = _answer_in_place(fresh, turn, segments, book, ending)
        fresh.state, fresh.outcome, fresh.model = ending.state, ending.outcome, run.model
        fresh.error_code, fresh.error = ending.error_code, ending.error
        fresh.trace, fresh.usage = dict(ending.trace), dict(ending.usage)
        if answer is None and turn.answer_id is not None and ending.state != Run.State.DONE:
            told = event_to_json(Noticed("earlier_stands"))
            fresh.trace["notices"] = [*fresh.trace.get("notices", ()), told]
        if answer is not None and ending.rewrites is not None:
            finished = ending.state == Run.State.DONE
            fresh.retention = fates(ending.rewrites, answer, finished=finished)
        fresh.draft, fresh.finished_at = {}, timezone.now()
        fresh.save()
        transaction.on_commit(partial(keep_shared, turn.conversation_id))
    return answer


def _answer_in_place(
    run: Run, turn: Turn, segments: Sequence[Segment], book: EvidenceBook, ending: Ending
) -> Answer | None:
    """The answer made the turn's, or None if there is none or an earlier one is better."""
    earlier = turn.answer
    own = earlier is not None and earlier.key == run.public_id
    if not has_words(segments) or not (own or _is_better(run, earlier, segments, ending)):
        return None
    answer = save_answer(
        project=turn.conversation.project,
        segments=list(segments),
        evidence=book.cited(),
        key=run.public_id,
        owner=turn.conversation.user,
        removed_markers=ending.trace.get("removed_markers", ()),
    )
    if earlier != answer:
        turn.answer = answer
        turn.save(update_fields=["answer"])
        if earlier is not None:
            earlier.delete()
    keep_words(turn)
    return answer


def _is_better(
    run: Run, earlier: Answer | None, segments: Sequence[Segment], ending: Ending
) -> bool:
    """A newer run's answer stays, and so does a whole one against one that breaks off."""
    if earlier is None:
        return True
    if Run.objects.filter(turn=run.turn_id, pk__gt=run.pk).exists():
        return False
    if ending.state == Run.State.DONE:
        return True
    broken = Run.objects.filter(public_id=earlier.key or "").exclude(state=Run.State.DONE).exists()
    return broken and _length(segments) > _length(segments_from_json(earlier.segments))


def delete_conversation(conversation: Conversation) -> None:
    """Remove the conversation, its turns and their answers, and what Redis holds of its runs."""
    runs = Run.objects.filter(turn__conversation=conversation)
    run_ids = list(runs.values_list("public_id", flat=True))
    with transaction.atomic():
        # In the order in which asking and settling lock them.
        Conversation.objects.select_for_update().filter(pk=conversation.pk).first()
        list(conversation.turns.select_for_update().order_by("pk"))
        Answer.objects.filter(turn__conversation=conversation).delete()
        conversation.delete()
    for run_id in run_ids:
        request_stop(run_id)
        forget(run_id)


def interrupt_if_dead(run: Run) -> bool:
    """End a run whose worker died, keeping what it had written. Safe to call at any time."""
    if not is_dead(run):
        return False
    return end_for_worker(run, Run.State.INTERRUPTED, only_if=is_dead)


def end_for_worker(run: Run, state: str, *, only_if: Callable[[Run], bool]) -> bool:
    """End a running run from what its worker left, if `only_if` holds under the lock."""
    with transaction.atomic():
        Turn.objects.select_for_update().filter(pk=run.turn_id).first()
        running = Run.objects.select_for_update().filter(pk=run.pk, state=Run.State.RUNNING)
        locked = running.first()
        if locked is None or not only_if(locked):
            return False
        _settle_draft(locked, state)
    publish(run.public_id, RunEnded(state))
    run.refresh_from_db()
    return True


def _settle_draft(run: Run, state: str) -> None:
    draft = run.draft or {}
    book = EvidenceBook.from_json(draft.get("evidence", {}))
    segments = _streamed(run, book) or segments_from_json(draft.get("segments", []))
    rewrites = Rewritten.from_json(draft.get("rewrites") or {})
    trace = draft.get("trace", {})
    settle(run, segments, book, Ending(state, trace=trace, rewrites=rewrites))


def _streamed(run: Run, book: EvidenceBook) -> list[Segment]:
    """What readers have seen, later than the draft; nothing if that cites what the draft lacks."""
    try:
        seen = Transcript.of(entry.event for entry in read(run.public_id)).segments
    except StreamAwayError:
        return []
    cited = {part.evidence for part in seen if isinstance(part, CiteSegment)}
    return seen if cited <= set(book.cited()) else []


def has_words(segments: Sequence[Segment]) -> bool:
    return any(isinstance(part, TextSegment) and part.text.strip() for part in segments)


def _length(segments: Sequence[Segment]) -> int:
    return sum(len(part.text) for part in segments if isinstance(part, TextSegment))
