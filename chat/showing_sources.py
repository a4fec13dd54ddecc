"""The source list and the blocks of an answer, stored or still being written."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.urls import reverse

from chat.draft_rendering import GrowingAnswer
from chat.models import Run
from chat.transcript import Transcript
from citations import rendering, source_list
from citations.citing import CitedEvidence
from citations.models import Answer
from citations.segments import CiteSegment
from citations.source_list import ListedPaper
from documents.models import Page, Version

Labels = Mapping[tuple[str, int], str]
"""Printed page labels by file id and physical page."""


@dataclass(frozen=True, slots=True)
class ShownPaper:
    """A paper in the source list. `pages` are (physical number, printed label, address)."""

    file_id: str
    title: str
    read_url: str
    removed: bool
    numbers: Sequence[int]
    pages: Sequence[tuple[int, str, str]]
    places: int = 1
    """Citations that lead to it."""


@dataclass(frozen=True, slots=True)
class StreamedSource:
    """A source as the stream knows it. `page` is where its passage begins."""

    file_id: str
    title: str
    pdf_page: int | None
    page: int | None


def streamed_source(cited: CitedEvidence) -> dict[str, Any]:
    """What the stream must know of a source, as JSON; `DraftRenderer` reads it."""
    return {
        "file_id": cited.file_id,
        "title": cited.title,
        "pdf_page": cited.pdf_page,
        "page": cited.pdf_page or next((span.page for span in cited.anchor.spans), None),
    }


@dataclass(slots=True)
class DraftRenderer:
    """Renders what a stream says so far, again and again. Needs no database."""

    slug: str
    run_id: str
    _answer: GrowingAnswer = field(init=False)
    _sources: dict[int, StreamedSource] = field(default_factory=dict)
    _papers: list[ShownPaper] = field(default_factory=list)
    _listed: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        self._answer = GrowingAnswer(self.slug, self.run_id)

    def render(self, transcript: Transcript) -> tuple[list[str], list[ShownPaper]]:
        """The blocks and the sources."""
        for number in transcript.sources.keys() - self._sources.keys():
            self._sources[number] = StreamedSource(**transcript.sources[number])
        blocks = self._answer.render(transcript.segments, self._sources)
        cited = tuple(p.evidence for p in transcript.segments if isinstance(p, CiteSegment))
        if cited != self._listed:
            self._papers, self._listed = self._listed_papers(transcript), cited
        return blocks, self._papers

    def _listed_papers(self, transcript: Transcript) -> list[ShownPaper]:
        pages = {number: source.page for number, source in self._sources.items() if source.page}
        papers = source_list.papers_of_draft(
            transcript.segments, self._sources, slug=self.slug, key=self.run_id, pages=pages
        )
        return [_shown(paper, self.slug) for paper in papers]


def render_draft(run: Run, transcript: Transcript) -> tuple[list[str], list[ShownPaper]]:
    """The blocks and sources of a run that goes on."""
    slug = run.turn.conversation.project.slug
    return DraftRenderer(slug=slug, run_id=run.public_id).render(transcript)


def render_answer(run: Run, answer: Answer) -> list[str]:
    return rendering.render_answer(answer, slug=run.turn.conversation.project.slug)


def papers_of_answer(run: Run, answer: Answer) -> list[ShownPaper]:
    """The sources of a stored answer, merged by paper, with the pages of its citations."""
    project = run.turn.conversation.project
    papers = source_list.papers_of_answer(answer, slug=project.slug)
    versions = Version.objects.filter(
        project=project, public_id__in=[paper.file_id for paper in papers]
    ).select_related("document")
    labels = _page_labels(papers, versions)
    live = {each.public_id for each in versions if each.gone_since is None}
    return [
        _shown(paper, project.slug, labels, removed=paper.file_id not in live) for paper in papers
    ]


def _shown(
    paper: ListedPaper, slug: str, labels: Labels | None = None, *, removed: bool = False
) -> ShownPaper:
    first: dict[int, str] = {}
    for place in paper.places:
        if place.page is not None:
            first.setdefault(place.page, place.url)
    return ShownPaper(
        file_id=paper.file_id,
        title=paper.title,
        read_url=reverse("read", args=(slug, paper.file_id)),
        removed=removed,
        numbers=[paper.number],
        pages=[
            (page, (labels or {}).get((paper.file_id, page), ""), url)
            for page, url in sorted(first.items())
        ],
        places=len(paper.places),
    )


def _page_labels(papers: Sequence[ListedPaper], versions: Sequence[Version] | Any) -> Labels:
    readings = {each.parsed_id: each.public_id for each in versions if each.parsed_id}
    return page_labels(readings, {page for paper in papers for page in paper.pages})


def page_labels(readings: Mapping[int, str], pages: Collection[int]) -> Labels:
    """The printed labels of these pages, as far as they have some; `readings` give file ids."""
    rows = Page.objects.filter(parsed_id__in=readings, number__in=pages).exclude(label="")
    return {
        (readings[reading], number): label
        for reading, number, label in rows.values_list("parsed_id", "number", "label")
    }
