"""A conversation, or one answer of it, to take along: its values, read from stored rows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.urls import reverse

from chat.branches import shown_turns
from chat.models import Conversation, Turn
from chat.showing_sources import Labels, page_labels
from citations.labels import clean_title
from citations.models import Citation
from citations.segments import Segment, segments_from_json
from citations.source_list import first_page
from documents.catalogue.exporting import references_of
from documents.catalogue.references import Reference
from documents.models import Document, Version


@dataclass(frozen=True, slots=True)
class ExportedSource:
    """A cited paper. `number` counts papers over the whole export, from 1."""

    number: int
    title: str
    reference: Reference
    is_removed: bool


@dataclass(frozen=True, slots=True)
class ExportedCitation:
    """One cite segment: whose it is, the physical and the printed page, where Lito shows it."""

    number: int
    page: int | None
    label: str
    url: str
    excerpt: str


@dataclass(frozen=True, slots=True)
class ExportedTurn:
    """A question and its answer. `citations` are in the order of the answer's cite segments."""

    question: str
    segments: Sequence[Segment]
    citations: Sequence[ExportedCitation]


@dataclass(frozen=True, slots=True)
class Export:
    """Everything that an exported file shows."""

    title: str
    url: str
    turns: Sequence[ExportedTurn]
    sources: Sequence[ExportedSource]

    def cited(self, number: int) -> list[ExportedCitation]:
        """The places of one source, in order of appearance, each passage once."""
        places = {
            (one.page, one.excerpt): one
            for turn in reversed(self.turns)
            for one in reversed(turn.citations)
            if one.number == number
        }
        return list(reversed(places.values()))


def export_of(
    conversation: Conversation, *, origin: str, turns: Iterable[Turn] | None = None
) -> Export:
    """The answered turns that are shown, or only `turns`; addresses begin with `origin`."""
    chosen = shown_turns(conversation).select_related("answer") if turns is None else turns
    answered = [turn for turn in chosen if turn.answer is not None]
    answers = [turn.answer for turn in answered]
    citations = list(
        Citation.objects.filter(answer__in=answers)
        .select_related("source", "answer")
        .order_by("answer__turn__number", "ordinal")
    )
    sources = _sources(conversation, citations)
    labels = _labels(citations)
    slug = conversation.project.slug
    places: dict[int, list[ExportedCitation]] = {}
    for one in citations:
        page = _page(one)
        places.setdefault(one.answer_id, []).append(
            ExportedCitation(
                number=sources[one.source.file_id].number,
                page=page,
                label=labels.get((one.source.file_id, page or 0), ""),
                url=origin + reverse("open_citation", args=(slug, one.public_id)),
                excerpt=str(one.anchor.get("excerpt", "")),
            )
        )
    return Export(
        title=conversation.title,
        url=origin + reverse("conversation", args=(slug, conversation.public_id)),
        turns=[
            ExportedTurn(
                turn.question,
                segments_from_json(turn.answer.segments),
                places.get(turn.answer.pk, []),
            )
            for turn in answered
            if turn.answer is not None
        ],
        sources=list(sources.values()),
    )


def _sources(
    conversation: Conversation, citations: Sequence[Citation]
) -> dict[str, ExportedSource]:
    """By file id, numbered by first appearance. A removed paper keeps the title it was cited by."""
    titles: dict[str, str] = {}
    for one in citations:
        titles.setdefault(one.source.file_id, clean_title(one.source.title))
    live = Version.objects.filter(
        project=conversation.project,
        public_id__in=titles,
        document__in=Document.objects.live(),
    ).select_related("document__project")
    documents = {each.public_id: each.document for each in live if each.gone_since is None}
    references = dict(
        zip(documents, references_of(conversation.project, list(documents.values())), strict=True)
    )
    return {
        file_id: ExportedSource(
            number,
            title,
            references.get(file_id) or Reference(title=title, key=f"removed-{number}"),
            is_removed=file_id not in references,
        )
        for number, (file_id, title) in enumerate(titles.items(), start=1)
    }


def _labels(citations: Sequence[Citation]) -> Labels:
    """Printed page labels of the cited pages where they differ from the physical number."""
    file_ids = {one.source.file_id for one in citations}
    versions = Version.objects.filter(public_id__in=file_ids, parsed__isnull=False)
    pages = {page for one in citations if (page := _page(one)) is not None}
    found = page_labels(dict(versions.values_list("parsed_id", "public_id")), pages)
    return {place: label for place, label in found.items() if label != str(place[1])}


def _page(citation: Citation) -> int | None:
    return citation.source.pdf_page or first_page(citation.anchor.get("spans", []))
