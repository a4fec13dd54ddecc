"""Carry the citations of earlier answers into a new run, and say what became of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from django.contrib.auth.models import AnonymousUser

from citations.anchoring import Anchor
from citations.citing import CitedEvidence
from citations.fates import Cited, Fate, Place, fates_of
from citations.models import Answer, Citation
from citations.segments import CiteSegment, Segment, segments_from_json
from documents.models import Version
from projects.models import User

Reason = Literal["removed", "no_access", "out_of_scope"]
LEFT_OUT = "left_out"
"""Why most citations are dropped: their statement is not in the new text."""


class ScopedFile(Protocol):
    """As much of a version in a scope as carrying over needs; ids are public ids."""

    @property
    def file_id(self) -> str: ...
    @property
    def document_id(self) -> str: ...


class ScopedFiles(Protocol):
    @property
    def versions(self) -> Sequence[ScopedFile]: ...


@dataclass(frozen=True, slots=True)
class LostCitation:
    """A citation place of an earlier answer that this run may not use, and why."""

    answer: Answer
    ordinal: int
    title: str
    reason: Reason


@dataclass(frozen=True, slots=True)
class CarriedAnswer:
    """An earlier answer whose cite segments hold this run's handles.

    `shown_numbers` are the numbers that its reader sees: what a person means by "drop [2]".
    """

    answer: Answer
    segments: tuple[Segment, ...]
    shown_numbers: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Carried:
    """What earlier answers bring into a run: `evidence` by handle, to be registered before it."""

    evidence: Mapping[int, CitedEvidence]
    answers: tuple[CarriedAnswer, ...]
    lost: tuple[LostCitation, ...]


def carried_sources(
    user: User | AnonymousUser,
    scope: ScopedFiles,
    answers: Sequence[Answer],
    *,
    first: int = 1,
) -> Carried:
    """Give every citation place of the earlier answers a handle of its own, from `first` on.

    Places are joined by true source, page and anchor, never by the number that was shown. A place
    enters only if its file is still in the project, readable by `user` and inside `scope`.
    """
    citations = _citations(answers)
    reasons = _why_not(user, scope, {c.source.file_id for found in citations for c in found})
    evidence: dict[int, CitedEvidence] = {}
    handles: dict[Place, int] = {}
    carried: list[CarriedAnswer] = []
    lost: list[LostCitation] = []
    for answer, found in zip(answers, citations, strict=True):
        of_ordinal: dict[int, int] = {}
        shown: dict[int, int] = {}
        for citation in found:
            if reason := reasons.get(citation.source.file_id):
                title = citation.source.title
                lost.append(LostCitation(answer, citation.ordinal, title, reason))
                continue
            handle = handles.setdefault(place_of(citation), first + len(handles))
            evidence.setdefault(handle, _evidence(citation))
            of_ordinal[citation.ordinal] = handle
            shown[handle] = citation.source.number
        segments = _with_handles(segments_from_json(answer.segments), of_ordinal)
        carried.append(CarriedAnswer(answer, tuple(segments), shown))
    return Carried(evidence, tuple(carried), tuple(lost))


def retention(
    before: Answer, after: Answer, *, lost: Mapping[int, str] | None = None
) -> list[dict[str, object]]:
    """What a rewrite did to each citation of `before`. JSON values, one for each.

    `lost` has the reasons of those that the rewrite was not allowed to use, by ordinal.
    """
    (old, new) = _citations([before, after])
    lost = lost or {}
    in_reach = [each for each in old if each.ordinal not in lost]
    found = fates_of([_cited(each) for each in in_reach], [_cited(each) for each in new])
    by_ordinal = {each.ordinal: fate for each, fate in zip(in_reach, found, strict=True)}
    fates = [by_ordinal.get(each.ordinal, Fate("dropped", None)) for each in old]
    return [
        {
            "fate": fate.fate,
            "citation": citation.public_id,
            "number": citation.source.number,
            "title": citation.source.title,
            "label": citation.source.label,
            "claim": citation.claim,
            "reason": lost.get(citation.ordinal, LEFT_OUT) if fate.fate == "dropped" else "",
            "now": new[fate.now].public_id if fate.now is not None else None,
            "now_number": new[fate.now].source.number if fate.now is not None else None,
        }
        for citation, fate in zip(old, fates, strict=True)
    ]


def place_of(citation: Citation) -> Place:
    """The true place of a citation: file, page source, anchor."""
    anchor = citation.anchor
    spans = tuple(tuple(span) for span in anchor.get("spans", []))
    return (citation.source.file_id, citation.source.pdf_page, anchor.get("parser", ""), spans)


def _cited(citation: Citation) -> Cited:
    return Cited(place_of(citation), citation.source.identity, citation.claim)


def _citations(answers: Sequence[Answer]) -> list[list[Citation]]:
    """The citations of each answer by ordinal, with their sources, in one query."""
    found: dict[int, list[Citation]] = {answer.pk: [] for answer in answers}
    rows = Citation.objects.filter(answer__in=answers).select_related("source")
    for citation in rows.order_by("answer", "ordinal"):
        found[citation.answer_id].append(citation)
    return [found[answer.pk] for answer in answers]


def _why_not(
    user: User | AnonymousUser, scope: ScopedFiles, file_ids: set[str]
) -> dict[str, Reason]:
    """For each file that may not be carried, the reason."""
    in_scope = {version.document_id for version in scope.versions}
    rows = (
        Version.objects.visible_to(user)
        .filter(public_id__in=file_ids)
        .values_list("public_id", "document__public_id", "removed_at", "document__removed_at")
    )
    readable = {file_id: (document, any(gone)) for file_id, document, *gone in rows}
    existing = set(
        Version.objects.filter(public_id__in=file_ids).values_list("public_id", flat=True)
    )
    reasons: dict[str, Reason] = {}
    for file_id in file_ids:
        if file_id not in existing:
            reasons[file_id] = "removed"
        elif file_id not in readable:
            reasons[file_id] = "no_access"
        elif readable[file_id][1]:
            reasons[file_id] = "removed"
        elif readable[file_id][0] not in in_scope:
            reasons[file_id] = "out_of_scope"
    return reasons


def _evidence(citation: Citation) -> CitedEvidence:
    source = citation.source
    return CitedEvidence(
        source.file_id, source.title, Anchor.from_json(citation.anchor), source.pdf_page
    )


def _with_handles(segments: Sequence[Segment], handles: Mapping[int, int]) -> list[Segment]:
    """The segments with cites by handle; a cite that is not carried disappears."""
    result: list[Segment] = []
    ordinal = 0
    for segment in segments:
        if isinstance(segment, CiteSegment):
            if ordinal in handles:
                result.append(CiteSegment(handles[ordinal]))
            ordinal += 1
        else:
            result.append(segment)
    return result
