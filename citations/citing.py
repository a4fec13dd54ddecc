"""Store an answer with what it cites, in one transaction."""

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from django.db import transaction

from citations.anchoring import Anchor
from citations.claims import claims_of
from citations.drift import follow_anchors
from citations.labels import short_label
from citations.markers import merged
from citations.models import Answer, Citation, Source
from citations.segments import CiteSegment, Segment, segments_to_json
from documents.models import Version
from projects.ids import PUBLIC_ID_LENGTH
from projects.models import Project, User


@dataclass(frozen=True, slots=True)
class CitedEvidence:
    """What one number of a run stands for. `file_id` is the public id of the version.

    `pdf_page` is set where a whole page was handed out as a source of its own.
    """

    file_id: str
    title: str
    anchor: Anchor
    pdf_page: int | None = None

    @property
    def identity(self) -> str:
        return identity_of(self)


class CitedSource(Protocol):
    """As much of a source as numbering and tags need."""

    @property
    def file_id(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def pdf_page(self) -> int | None: ...


def identity_of(source: CitedSource) -> str:
    """`file_id`, or `file_id#pdf-page=4`: the one key by which sources are told apart."""
    if source.pdf_page is None:
        return source.file_id
    return f"{source.file_id}#pdf-page={source.pdf_page}"


def citation_id(key: str, ordinal: int) -> str:
    """The public id of a citation, known before it is stored: tags of a stream carry it already.

    `key` is the public id of the run; `ordinal` counts the cite segments of its answer from 0.
    """
    digest = hashlib.sha256(f"{key}/{ordinal}".encode()).digest()
    alphabet = "abcdefghijkmnpqrstuvwxyz23456789"
    return "".join(alphabet[byte % len(alphabet)] for byte in digest[:PUBLIC_ID_LENGTH])


def numbers_by_appearance(
    segments: Iterable[Segment], evidence: Mapping[int, CitedSource]
) -> dict[str, int]:
    """Identity of each cited source to the number that readers see: from 1, by first appearance."""
    numbers: dict[str, int] = {}
    for segment in segments:
        if isinstance(segment, CiteSegment) and segment.evidence in evidence:
            numbers.setdefault(identity_of(evidence[segment.evidence]), len(numbers) + 1)
    return numbers


def citable(segments: Iterable[Segment], evidence: Mapping[int, CitedSource]) -> list[Segment]:
    """The segments without cites of numbers that were never handed out, texts joined."""
    return merged(
        segment
        for segment in segments
        if not isinstance(segment, CiteSegment) or segment.evidence in evidence
    )


def save_answer(
    *,
    project: Project,
    segments: Sequence[Segment],
    evidence: Mapping[int, CitedEvidence],
    answer: Answer | None = None,
    key: str = "",
    owner: User | None = None,
    removed_markers: Sequence[int] = (),
) -> Answer:
    """Write the answer, its sources and its citations; an `answer` given is written anew.

    With `key` the citations get the ids that `citation_id` names, so tags of the stream stay good,
    and an answer that was stored under the key before is written anew. With `owner` nobody else
    may read it.
    """
    kept = citable(segments, evidence)
    dropped = [
        segment.evidence
        for segment in segments
        if isinstance(segment, CiteSegment) and segment.evidence not in evidence
    ]
    numbers = {segment.evidence for segment in kept if isinstance(segment, CiteSegment)}
    cited = {number: each for number, each in evidence.items() if number in numbers}
    with transaction.atomic():
        if answer is None and key:
            answer = Answer.objects.filter(project=project, key=key).first()
        answer = answer or Answer(project=project, key=key or None, owner=owner)
        answer.segments = segments_to_json(kept)
        answer.removed_markers = [*removed_markers, *dropped]
        answer.save()
        answer.citations.all().delete()
        answer.sources.all().delete()
        key = key or answer.public_id
        versions = _locked_versions(project, cited)
        sources = _store_sources(answer, kept, evidence, versions)
        _store_citations(answer, kept, evidence, sources, key)
        _follow_anchors(versions, cited)
    return answer


def _locked_versions(project: Project, evidence: Mapping[int, CitedEvidence]) -> dict[str, Version]:
    """The versions that evidence comes from, by public id.

    They stay locked until the answer is stored, so that a swap of readings comes wholly before or
    after it, and no anchor is missed.
    """
    file_ids = {each.file_id for each in evidence.values()}
    versions = Version.objects.select_for_update(no_key=True, of=("self",))
    found = versions.filter(project=project, public_id__in=file_ids).order_by("pk")
    return {version.public_id: version for version in found.select_related("parsed")}


def _follow_anchors(versions: Mapping[str, Version], evidence: Mapping[int, CitedEvidence]) -> None:
    """A file may have been read anew since a passage was handed out: its anchor goes along."""
    for file_id, version in versions.items():
        label = version.parsed.parser if version.parsed else ""
        used = {each.anchor.parser for each in evidence.values() if each.file_id == file_id}
        if label and used - {label}:
            follow_anchors(version)


def _store_sources(
    answer: Answer,
    segments: Sequence[Segment],
    evidence: Mapping[int, CitedEvidence],
    versions: Mapping[str, Version],
) -> dict[str, Source]:
    numbers = numbers_by_appearance(segments, evidence)
    cited = {identity_of(each): each for each in evidence.values() if identity_of(each) in numbers}
    sources = [
        Source(
            answer=answer,
            number=number,
            version=versions.get(cited[identity].file_id),
            file_id=cited[identity].file_id,
            pdf_page=cited[identity].pdf_page,
            title=cited[identity].title[:500],
            label=short_label(cited[identity].title)[:80],
        )
        for identity, number in numbers.items()
    ]
    Source.objects.bulk_create(sources)
    return dict(zip(numbers, sources, strict=True))


def _store_citations(
    answer: Answer,
    segments: Sequence[Segment],
    evidence: Mapping[int, CitedEvidence],
    sources: Mapping[str, Source],
    key: str,
) -> None:
    cites = [segment for segment in segments if isinstance(segment, CiteSegment)]
    Citation.objects.bulk_create(
        Citation(
            public_id=citation_id(key, ordinal),
            answer=answer,
            source=sources[identity_of(evidence[cite.evidence])],
            ordinal=ordinal,
            evidence=cite.evidence,
            claim=claimed.claim,
            quote=claimed.quote,
            anchor=evidence[cite.evidence].anchor.as_json(),
        )
        for ordinal, (cite, claimed) in enumerate(zip(cites, claims_of(segments), strict=True))
    )
