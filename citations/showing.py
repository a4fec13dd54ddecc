"""What a card and the reader say about one citation: where it stands, in words, with its marks."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from sys import maxsize
from typing import Any, Protocol

from django.urls import reverse

from citations.excerpts import Piece, Stretch, excerpt
from citations.models import Citation
from citations.normalizing import normalize
from citations.statuses import StatusWords, drift_words, reason_words, status_words
from documents.models import Page
from documents.pages.line_ends import flowing
from documents.pages.marks import Marks, marks_of


class Placed(Protocol):
    """A location as `citations.placing` gives it."""

    status: str
    places: Any
    nearest: Any
    reason: str


@dataclass(frozen=True, slots=True)
class ListedPlace:
    """One of several places that fit, to be looked at, not drawn."""

    page: int
    text: str
    url: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A citation as the reader sees it. `page` is physical; `label` is printed on the page.

    `passage` is the whole stored excerpt of a paper that has gone, else empty. `drifted` is a
    sentence if the paper was read anew and the excerpt stands in the old reading only, else empty.
    """

    citation: Citation
    status: str
    words: StatusWords
    pieces: Sequence[Piece]
    page: int | None
    label: str
    places: Sequence[ListedPlace]
    nearest: str
    reason: str
    marks: Marks
    quote: str
    passage: Sequence[Piece] = ()
    drifted: str = ""

    @property
    def is_pending(self) -> bool:
        return self.status == "locating"

    @property
    def can_try_again(self) -> bool:
        return self.status in ("busy", "failed")


def show(citation: Citation, location: Placed, *, slug: str) -> Shown:
    """Join a citation and its location into what a person sees. Marks only where confirmed."""
    confirmed = location.status in ("matched", "newer_version")
    places = list(location.places or ())
    page = _page(citation, places if confirmed else [])
    listed = _listed(citation, places, slug) if location.status == "ambiguous" else []
    kept = str(citation.anchor.get("excerpt", ""))
    is_removed = location.status == "removed"
    quoted = _quoted(citation.quote, kept) if is_removed else None
    matched = [part for place in places for part in _texts(place)] if confirmed else []
    return Shown(
        citation=citation,
        status=location.status,
        words=status_words(location.status, page=page, places=len(places)),
        pieces=excerpt(
            kept,
            _confirmed(citation.anchor, places) if confirmed else [],
            instead=matched,
            quoted=quoted,
        ),
        page=page,
        label=_label(citation, page),
        places=listed,
        nearest=_nearest(location.nearest),
        reason=reason_words(location.reason),
        marks=marks_of(places) if confirmed else Marks(),
        quote=citation.quote or " ".join(matched),
        passage=excerpt(kept, quoted=quoted, limit=maxsize) if is_removed else (),
        drifted="" if is_removed else drift_words(citation.drift),
    )


def _quoted(quote: str, kept: str) -> Stretch | None:
    """Where the quoted words stand in the kept excerpt. It shows them, it confirms nothing."""
    wanted, folded = normalize(quote).text, normalize(kept)
    at = folded.text.find(wanted) if wanted else -1
    return folded.source(at, at + len(wanted), kept) if at >= 0 else None


def _texts(place: Mapping[str, Any]) -> list[str]:
    """The texts of a place: one for each span if they are told apart, else its whole text."""
    spans = place.get("texts")
    return [str(text) for text in spans] if spans else [str(place["text"])]


def _confirmed(anchor: Mapping[str, Any], places: Sequence[Mapping[str, Any]]) -> list[Stretch]:
    """Where in the excerpt the confirmed spans stand; none that does not read the same there.

    The excerpt is the text of the anchor's spans, joined by line feeds.
    """
    passage, at = str(anchor.get("excerpt", "")), 0
    found: list[Stretch] = []
    for page, start, end in anchor.get("spans") or []:
        for span, text in (each for place in places for each in _spans(place)):
            first, last = max(start, span[1]), min(end, span[2])
            if span[0] == page and first < last:
                stretch = (at + first - start, at + last - start)
                words = " ".join(passage[slice(*stretch)].split())
                begins = first > span[1] or text.startswith(words)
                ends = last < span[2] or text.endswith(words)
                if begins and ends and words in text:
                    found.append(stretch)
        at += end - start + 1
    return found


def _spans(place: Mapping[str, Any]) -> Iterator[tuple[Sequence[int], str]]:
    """Each confirmed span `[page, start, end]` of a place with its text."""
    return zip(place.get("spans") or (), place.get("texts") or (), strict=False)


def _page(citation: Citation, places: Sequence[Mapping[str, Any]]) -> int | None:
    """The page to open: the confirmed one, else the cited one, else where the evidence begins."""
    for place in places:
        for region in place["regions"]:
            return int(region["page"])
    if citation.source.pdf_page:
        return citation.source.pdf_page
    spans = citation.anchor.get("spans") or []
    return int(spans[0][0]) if spans else None


def _listed(
    citation: Citation, places: Sequence[Mapping[str, Any]], slug: str
) -> list[ListedPlace]:
    base = reverse("open_citation", args=(slug, citation.public_id))
    return [
        ListedPlace(region["page"], str(place["text"]), f"{base}?page={region['page']}")
        for place in places
        for region in place["regions"][:1]
    ]


def _nearest(nearest: Any) -> str:
    return flowing(str(nearest.get("text", ""))) if isinstance(nearest, Mapping) else ""


def _label(citation: Citation, page: int | None) -> str:
    version = citation.source.version
    if page is None or version is None or version.parsed_id is None:
        return ""
    label = (
        Page.objects.filter(parsed_id=version.parsed_id, number=page)
        .values_list("label", flat=True)
        .first()
    )
    return label if label and label != str(page) else ""
