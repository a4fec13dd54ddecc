"""The list under an answer: cited papers by first appearance, each with the places cited in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from citations.citing import CitedSource, citable, citation_id, identity_of, numbers_by_appearance
from citations.labels import clean_title, short_label
from citations.models import Answer
from citations.rendering import tag_urls
from citations.segments import CiteSegment, Segment


@dataclass(frozen=True, slots=True)
class ListedPlace:
    """One cited place. `page` is the first physical page of its evidence, None if unknown."""

    ordinal: int
    page: int | None
    url: str


@dataclass(frozen=True, slots=True)
class ListedPaper:
    """A paper and its cited places. `number` is that of its first source in the answer."""

    number: int
    file_id: str
    title: str
    label: str
    places: tuple[ListedPlace, ...]

    @property
    def pages(self) -> tuple[int, ...]:
        """Physical pages, each once, in order."""
        return tuple(sorted({place.page for place in self.places if place.page is not None}))


@dataclass(frozen=True, slots=True)
class _Cited:
    ordinal: int
    number: int
    file_id: str
    title: str
    label: str
    page: int | None
    citation: str


def papers_of_draft(
    segments: Sequence[Segment],
    evidence: Mapping[int, CitedSource],
    *,
    slug: str,
    key: str,
    pages: Mapping[int, int] | None = None,
) -> list[ListedPaper]:
    """The papers of an answer that is being written. `pages`: first page of each run number."""
    known = citable(segments, evidence)
    numbers = numbers_by_appearance(known, evidence)
    cites = [part.evidence for part in known if isinstance(part, CiteSegment)]
    cited = []
    for ordinal, run_number in enumerate(cites):
        source = evidence[run_number]
        title = source.title[:500]
        cited.append(
            _Cited(
                ordinal,
                numbers[identity_of(source)],
                source.file_id,
                title,
                short_label(title)[:80],
                source.pdf_page or _page_of(source) or (pages or {}).get(run_number),
                citation_id(key, ordinal),
            )
        )
    return _merged(cited, slug)


def papers_of_answer(answer: Answer, *, slug: str) -> list[ListedPaper]:
    """The papers of a stored answer, from its rows alone."""
    citations = answer.citations.select_related("source").order_by("ordinal")
    return _merged(
        [
            _Cited(
                citation.ordinal,
                citation.source.number,
                citation.source.file_id,
                citation.source.title,
                citation.source.label,
                citation.source.pdf_page or first_page(citation.anchor.get("spans", [])),
                citation.public_id,
            )
            for citation in citations
        ],
        slug,
    )


def first_page(spans: Sequence[Sequence[int]]) -> int | None:
    return spans[0][0] if spans else None


def _page_of(source: CitedSource) -> int | None:
    anchor = getattr(source, "anchor", None)
    return anchor.spans[0].page if anchor is not None and anchor.spans else None


def _merged(cited: Sequence[_Cited], slug: str) -> list[ListedPaper]:
    papers: dict[str, list[_Cited]] = {}
    for each in cited:
        papers.setdefault(each.file_id, []).append(each)
    return [
        ListedPaper(
            places[0].number,
            file_id,
            clean_title(places[0].title),
            places[0].label,
            tuple(_place(each, slug) for each in places),
        )
        for file_id, places in papers.items()
    ]


def _place(cited: _Cited, slug: str) -> ListedPlace:
    return ListedPlace(cited.ordinal, cited.page, tag_urls(slug, cited.citation).page)
