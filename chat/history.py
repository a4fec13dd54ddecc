"""What a run knows of the conversation before it: earlier turns with the sources they may carry."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import F

from chat.events import Noticed
from chat.evidence_book import EvidenceBook
from chat.models import Turn
from chat.prompts import system_prompt
from citations.models import Answer
from citations.restoring import carried_sources, retention
from citations.segments import CiteSegment, Segment
from documents.token_estimate import estimate_tokens
from llm.port import Message
from retrieval.evidence import Scope

MOST_TOKENS = 24_000
"""Of earlier turns; the oldest are left out first, and that is said."""


@dataclass(frozen=True, slots=True)
class EarlierTurn:
    """A turn before this one. Its segments cite by this run's numbers.

    `shown_numbers` are those that its reader sees: what a person means by "drop [2]".
    """

    question: str
    answer: Answer
    segments: tuple[Segment, ...]
    shown_numbers: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class History:
    """`messages` end with the question; `latest` is what a rewrite would be about."""

    messages: Sequence[Message]
    latest: EarlierTurn | None = None
    notices: Sequence[Noticed] = field(default_factory=tuple)


def prepare_history(turn: Turn, scope: Scope, book: EvidenceBook) -> History:
    """Register what may be carried over in `book`, and tell the model of the turns before."""
    earlier = list(
        turn.conversation.turns.filter(number__lt=turn.number, answer__isnull=False)
        .select_related("answer")
        .order_by("number")
    )
    told, notices = ([], []) if not earlier else _carried(turn, earlier, scope, book)
    kept = _newest_that_fit(told)
    if len(kept) < len(told):
        notices = [*notices, Noticed("history_cut", {"turns": len(told) - len(kept)})]
    messages = [Message("system", system_prompt(turn.question))]
    for each in kept:
        messages.append(Message("user", each.question))
        messages.append(Message("assistant", as_model_text(each.segments)))
    messages.append(Message("user", turn.question))
    return History(messages, _latest(told), notices)


def _latest(told: Sequence[EarlierTurn]) -> EarlierTurn | None:
    """The answer that a rewrite is about: the last one that cites, not a notice after it."""
    citing = [each for each in told if each.answer.citations.exists()]
    return citing[-1] if citing else None


def as_model_text(segments: Sequence[Segment]) -> str:
    """An answer as a model would have written it, with this run's numbers."""
    return "".join(
        f"[{part.evidence}]" if isinstance(part, CiteSegment) else part.text for part in segments
    )


def _newest_that_fit(told: Sequence[EarlierTurn]) -> list[EarlierTurn]:
    kept: list[EarlierTurn] = []
    left = MOST_TOKENS
    for each in reversed(told):
        left -= estimate_tokens(each.question) + estimate_tokens(as_model_text(each.segments))
        if left < 0 and kept:
            break
        kept.insert(0, each)
    return kept


def _carried(
    turn: Turn, earlier: Sequence[Turn], scope: Scope, book: EvidenceBook
) -> tuple[list[EarlierTurn], list[Noticed]]:
    """The earlier turns with this run's numbers, and what could not be brought along."""
    answers = [each.answer for each in earlier if each.answer is not None]
    carried = carried_sources(turn.conversation.user, scope, answers)
    for number, cited in carried.evidence.items():
        book.carry(number, cited)
    told = [
        EarlierTurn(each.question, found.answer, found.segments, found.shown_numbers)
        for each, found in zip(earlier, carried.answers, strict=True)
    ]
    lost = sorted({each.title for each in carried.lost})
    notices = [Noticed("not_carried", {"count": len(lost), "titles": lost})] if lost else []
    return told, notices


def fates(earlier: EarlierTurn, answer: Answer) -> list[dict[str, Any]]:
    """What a rewrite did to each citation of the answer before it."""
    verbatim = set(
        earlier.answer.citations.filter(quote=F("claim")).values_list("public_id", flat=True)
    )
    claims = set(answer.citations.values_list("claim", flat=True))
    found = list(retention(earlier.answer, answer))
    for fate in found:
        # A sentence that was quoted whole and is gone was dropped, whatever else its paper says.
        gone = fate["citation"] in verbatim and fate["claim"] not in claims
        if fate["fate"] == "merged" and gone:
            fate.update(fate="dropped", now=None, now_number=None)
    return found
