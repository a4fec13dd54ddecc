"""What a run knows of the conversation before it: earlier turns with the sources they may carry."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from chat.branches import turns_before
from chat.events import Noticed
from chat.evidence_book import EvidenceBook
from chat.models import Turn
from chat.one_part import Part, part_meant
from chat.prompts import one_part_only, passages_behind, system_prompt
from chat.rewriting import BeyondWords, read_request, source_numbers
from chat.skills.reading import Skill
from chat.tools import fenced_text
from citations.marker_forms import ESCAPED_CLOSE, ESCAPED_OPEN, escape_brackets
from citations.models import Answer
from citations.restoring import carried_sources
from citations.segments import CiteSegment, Segment, TextSegment
from documents.chunks.token_estimate import estimate_tokens
from llm.port import Message
from retrieval.evidence import Scope

MOST_PASSAGE_TOKENS = 6_000
"""Of the passages behind the latest answer, where a rewrite needs them."""
MOST_TOKENS = 24_000
"""Of earlier turns; the oldest are left out first, and that is said."""


@dataclass(frozen=True, slots=True)
class EarlierTurn:
    """A turn before this one. Its segments cite by this run's numbers.

    `shown_numbers` are those that its reader sees: what a person means by "drop [2]". `lost` says
    by ordinal why citations of it could not be carried.
    """

    question: str
    answer: Answer
    segments: tuple[Segment, ...]
    shown_numbers: Mapping[int, int]
    lost: Mapping[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class History:
    """`messages` end with the question; `latest` is what a rewrite would be about."""

    messages: Sequence[Message]
    latest: EarlierTurn | None = None
    notices: Sequence[Noticed] = field(default_factory=tuple)
    part: Part | None = None
    """What the question wants changed, if it is one part of the latest answer."""


def prepare_history(
    turn: Turn, scope: Scope, book: EvidenceBook, skill: Skill | None = None
) -> History:
    """Register what may be carried over in `book`, and tell the model of the turns before."""
    earlier = list(turns_before(turn).filter(answer__isnull=False).select_related("answer"))
    told, notices = ([], []) if not earlier else _carried(turn, earlier, scope, book)
    kept = _newest_that_fit(told)
    if len(kept) < len(told):
        notices = [*notices, Noticed("history_cut", {"turns": len(told) - len(kept)})]
    messages = [Message("system", system_prompt(turn.question, skill))]
    for each in kept:
        messages.append(Message("user", escape_brackets(each.question)))
        messages.append(Message("assistant", as_model_text(each.segments)))
    latest = _latest(told)
    part = part_meant(turn.question, latest.segments) if latest else None
    told_question = as_told_question(turn.question, latest)
    if latest and wants_passages(turn.question):
        told_question += "\n\n" + _passages(turn.question, part, latest, book)
    if part:
        told_question += "\n\n" + one_part_only(turn.question, as_model_text(part.segments))
    messages.append(Message("user", told_question))
    return History(messages, latest, notices, part)


def wants_passages(question: str) -> bool:
    """Whether a rewrite needs more of the papers than the answer says: their own words."""
    return read_request(question) == BeyondWords("quote")


def _passages(question: str, part: Part | None, latest: EarlierTurn, book: EvidenceBook) -> str:
    """The passages behind what is to be changed, as many as fit."""
    segments = part.segments if part else latest.segments
    handles = dict.fromkeys(each.evidence for each in segments if isinstance(each, CiteSegment))
    told: list[str] = []
    left = MOST_PASSAGE_TOKENS
    for handle in handles:
        cited = book.cited()[handle]
        passage = fenced_text(handle, cited.title, cited.anchor.excerpt)
        left -= estimate_tokens(passage)
        if left < 0 and told:
            break
        told.append(passage)
    return "\n\n".join([passages_behind(question), *told])


def _latest(told: Sequence[EarlierTurn]) -> EarlierTurn | None:
    """The answer that a rewrite is about: the last one that cites, not a notice after it."""
    citing = [each for each in told if each.answer.citations.exists()]
    return citing[-1] if citing else None


def as_model_text(segments: Sequence[Segment]) -> str:
    """An answer as a model would have written it, with this run's numbers.

    Other bracketed numbers in it, such as a quoted paper's own, are spelled apart.
    """
    written: list[str] = []
    for is_cite, parts in groupby(segments, key=lambda part: isinstance(part, CiteSegment)):
        if is_cite:
            written += [f"[{part.evidence}]" for part in parts if isinstance(part, CiteSegment)]
        else:
            text = "".join(part.text for part in parts if isinstance(part, TextSegment))
            written.append(escape_brackets(text))
    return "".join(written)


def as_told_question(question: str, latest: EarlierTurn | None) -> str:
    """The question with its bracketed numbers spelled apart: they are not this run's.

    A number that the latest answer shows is explained by the passages that it stands for there.
    """
    told = escape_brackets(question)
    named = source_numbers(question)
    if latest is None or not named:
        return told
    lines = []
    for number in sorted(named):
        handles = [own for own, shown in latest.shown_numbers.items() if shown == number]
        if handles:
            passages = "".join(f"[{handle}]" for handle in handles)
            lines.append(f"{ESCAPED_OPEN}{number}{ESCAPED_CLOSE} = {passages}")
    if not lines:
        return told
    head = "Source numbers as the latest answer shows them / 最近一次回答所示的来源编号:"
    return "\n".join([told, "", head, *lines])


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
    reasons: dict[int, dict[int, str]] = {}
    for gone in carried.lost:
        reasons.setdefault(gone.answer.pk, {})[gone.ordinal] = gone.reason
    told = [
        EarlierTurn(
            each.question,
            found.answer,
            found.segments,
            found.shown_numbers,
            reasons.get(found.answer.pk, {}),
        )
        for each, found in zip(earlier, carried.answers, strict=True)
    ]
    lost = sorted({each.title for each in carried.lost})
    notices = [Noticed("not_carried", {"count": len(lost), "titles": lost})] if lost else []
    return told, notices
