"""Where a quote stands: all places, as spans, rectangles and text. Pure; exact or not at all.

`matched` means exactly one place. Several are `ambiguous` and all are given. A near miss is offered
as text and never as a place.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, takewhile
from typing import Any

from rapidfuzz import fuzz

from citations.matching import (
    MOST_PLACES,
    Needle,
    Place,
    places_on_page,
    places_over_break,
)
from citations.normalizing import NORMALIZER, normalize
from citations.searchable_page import SearchablePage
from citations.segments import LocationStatus
from citations.signs import MINUS, plain_form
from documents.pages.geometry import line_rects
from documents.pages.page_text import PageState, Rect, Span

LOCATOR = f"6.{NORMALIZER}"
"""Part of the cache key: another version looks again."""

LEAST_CHARACTERS = 2
MOST_PARTS = 3
MORE_PLACES = "more_places"
"""The reason beside `ambiguous` when there are more places than are given."""
TOO_MANY_PARTS = "too_many_parts"
"""The reason beside `not_found` for a quote with more ellipses than a place can join."""
MOST_BOXED = 10
"""Of many places only the first ones get rectangles: none of them is drawn, all are listed."""
NEAREST_SCORE = 75
NEAREST_PAGES = 3
NEAREST_LENGTH = 300
ELLIPSIS = re.compile(
    r"\s*[\[(（【]?\s*"
    r"(?:(?<!\.)\.{3,6}(?!\.)|(?<!\. )(?<!\.)\. ?\. \.(?! ?\.)|…{1,2}|⋯{1,2})"
    r"\s*[\])）】]?\s*"
)
"""Three to six dots, spaced or not, bracketed or not; longer runs lead to a page number."""
EDITORIAL = re.compile(
    r"[\[(（]\s*(?:sic\s*[!.]?|(?:my |our )?(?:emphasis|italics)"
    r"(?: (?:added|mine|ours|in (?:the )?original))?"
    r"|原文如此|着重号[^\])）\n]{0,16})\s*[\])）]",
    re.IGNORECASE,
)
"""What a quoting writer puts into a quotation; it stands on no page."""
WITHOUT_SOUND_TEXT = frozenset(
    {PageState.GARBLED, PageState.NO_TEXT, PageState.FAILED, PageState.PENDING}
)
ARROWS = frozenset(map(chr, (*range(0x2190, 0x2200), *range(0x27F0, 0x2800))))
"""Formulas write over and under them: under the pen they would take other letters along."""


@dataclass(frozen=True, slots=True)
class Region:
    """The rectangles of one place on one page, as fractions of the displayed page."""

    page: int
    rects: tuple[Rect, ...]


@dataclass(frozen=True, slots=True)
class FoundPlace:
    text: str
    texts: tuple[str, ...]
    spans: tuple[Span, ...]
    regions: tuple[Region, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "texts": list(self.texts),
            "regions": [
                {
                    "page": region.page,
                    "rects": [[round(edge, 5) for edge in rect] for rect in region.rects],
                }
                for region in self.regions
            ],
            "spans": [span.as_json() for span in self.spans],
        }


@dataclass(frozen=True, slots=True)
class Nearest:
    """The passage most like a quote that was not found: text to read, never a place to draw."""

    page: int
    text: str
    score: float

    def as_json(self) -> dict[str, Any]:
        return {"page": self.page, "text": self.text, "score": round(self.score, 1)}


@dataclass(frozen=True, slots=True)
class Located:
    """`places` has one entry if `status` is `matched`, several if `ambiguous`, else none."""

    status: LocationStatus
    places: tuple[FoundPlace, ...] = ()
    nearest: Nearest | None = None
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "status": self.status,
            "places": [place.as_json() for place in self.places],
            "nearest": self.nearest.as_json() if self.nearest else None,
            **({"reason": self.reason} if self.reason else {}),
        }


def locate_quote(
    quote: str, pages: Sequence[SearchablePage], *, page: int | None = None
) -> Located:
    """Find `quote` on page number `page`, or in all `pages`. Never looks on another page.

    `pages` are neighbours in order; with `page` given, its neighbours serve for page breaks.
    """
    quote = EDITORIAL.sub("", quote)
    needle = Needle(quote)
    if not _is_usable(needle.folded):
        return Located("missing_quote")
    wanted = [p for p in pages if page is None or p.number == page]
    if forbidden := forbidden_on(wanted):
        return forbidden
    places = list(islice(_places(needle, pages, page), MOST_PLACES + 1))
    if not places:
        parts = [part for part in ELLIPSIS.split(quote) if part.strip()]
        if len(parts) > MOST_PARTS:
            return _not_found(quote, wanted, reason=TOO_MANY_PARTS)
        places = _places_of_parts(parts, pages, page) if parts != [quote] else []
    if not places:
        return _not_found(quote, wanted)
    by_number = {p.number: p for p in pages}
    turned = [
        by_number[span.page]
        for span in places[0]
        if by_number[span.page].state == PageState.UNSUPPORTED_ROTATION
    ]
    if len(places) == 1 and turned:
        return Located("unsupported_rotation", reason=turned[0].reason)
    found = tuple(
        _found(place, by_number, quote, boxed=index < MOST_BOXED)
        for index, place in enumerate(places)
    )
    if len(found) > MOST_PLACES:
        return Located("ambiguous", found[:MOST_PLACES], reason=MORE_PLACES)
    return Located("matched" if len(found) == 1 else "ambiguous", found)


def _is_usable(folded: str) -> bool:
    counted = "".join(islice(filter(str.isalnum, folded), LEAST_CHARACTERS))
    return len(counted) >= LEAST_CHARACTERS or counted >= "\u2e80"


def forbidden_on(pages: Sequence[SearchablePage]) -> Located | None:
    """Why none of these pages can carry a highlight; None if one can. For quotes and claims alike.

    A garbled page can: its text layer is searched as it is, and what stands there verbatim is
    drawn. Only a miss on it is put down to the page (`missed_on`).
    """
    if not pages:
        return Located("not_found", reason="no_such_page")
    if all(p.state == PageState.UNSUPPORTED_ROTATION for p in pages):
        return Located("unsupported_rotation", reason=pages[0].reason)
    if not any(p.folded for p in pages):
        return _no_text(pages)
    return None


def missed_on(pages: Sequence[SearchablePage]) -> Located | None:
    """`no_text` if a miss on these pages says nothing of the paper: none has sound text."""
    return _no_text(pages) if all(p.state in WITHOUT_SOUND_TEXT for p in pages) else None


def _no_text(pages: Sequence[SearchablePage]) -> Located:
    reason = next((p.reason for p in pages if p.reason), "")
    return Located("no_text", reason=reason or str(pages[0].state))


def _not_found(quote: str, wanted: Sequence[SearchablePage], *, reason: str = "") -> Located:
    nearest = _nearest(quote, wanted)
    return missed_on(wanted) or Located("not_found", nearest=nearest, reason=reason)


def _places_of_parts(
    parts: Sequence[str], pages: Sequence[SearchablePage], page: int | None
) -> list[Place]:
    """The one place of parts that stand in this order, with anything between them.

    Where a part stands more than once, its places instead; of more than `MOST_PLACES` one more.
    """
    needles = [Needle(part) for part in parts]
    if not (needles and all(_is_usable(needle.folded) for needle in needles)):
        return []
    found = [list(islice(_places(needle, pages, page), MOST_PLACES + 1)) for needle in needles]
    if not all(found):
        return []
    if repeated := next((places for places in found if len(places) > 1), None):
        return repeated
    spans = [span for (place,) in found for span in place]
    is_in_order = all(_follows(before, after) for before, after in pairwise(spans))
    return [tuple(spans)] if is_in_order else []


def _follows(before: Span, after: Span) -> bool:
    if before.page == after.page:
        return before.end <= after.start
    return after.page == before.page + 1


def _places(needle: Needle, pages: Sequence[SearchablePage], page: int | None) -> Iterator[Place]:
    firsts, seconds = needle.pages_with_halves(pages)
    for index in sorted(firsts | seconds):
        if page is None or pages[index].number == page:
            yield from dict.fromkeys(places_on_page(needle, pages[index]))
    for index in sorted(firsts | {index - 1 for index in seconds}):
        if 0 <= index < len(pages) - 1:
            before, after = pages[index], pages[index + 1]
            is_wanted = page in {None, before.number, after.number}
            if after.number == before.number + 1 and is_wanted:
                yield from dict.fromkeys(places_over_break(needle, before, after, pages))


def _found(
    place: Place, pages: dict[int, SearchablePage], quote: str, *, boxed: bool
) -> FoundPlace:
    spans = (*place[:-1], _with_closing(place[-1], pages, quote))
    spans = (_with_opening(spans[0], pages, quote), *spans[1:])
    texts = _texts(spans, pages)
    return FoundPlace(" ".join(texts), texts, spans, tuple(_regions(spans, pages, boxed=boxed)))


def joined_place(places: Sequence[FoundPlace], pages: Sequence[SearchablePage]) -> FoundPlace:
    """Several confirmed places as one, in the order of the pages; what overlaps is joined."""
    spans: list[Span] = []
    for span in sorted((span for place in places for span in place.spans), key=_in_page_order):
        last = spans[-1] if spans else None
        if last is not None and last.page == span.page and span.start < last.end:
            spans[-1] = Span(last.page, last.start, max(last.end, span.end))
        else:
            spans.append(span)
    by_number = {page.number: page for page in pages}
    texts = _texts(spans, by_number)
    regions = tuple(_regions(spans, by_number, boxed=True))
    return FoundPlace(" … ".join(texts), texts, tuple(spans), regions)


def _in_page_order(span: Span) -> tuple[int, int]:
    return span.page, span.start


def _texts(spans: Iterable[Span], pages: dict[int, SearchablePage]) -> tuple[str, ...]:
    return tuple(
        " ".join(pages[span.page].detail.text[span.start : span.end].split()) for span in spans
    )


def _with_opening(span: Span, pages: dict[int, SearchablePage], quote: str) -> Span:
    """The span together with the signs that open the quote and stand there on the page too.

    The first letter or digit is what is looked for; a bracket, a minus or a `≤` goes before it.
    """
    page = pages[span.page]
    text = page.detail.text
    opening = "".join(takewhile(lambda sign: not sign.isalnum(), quote))
    start = span.start
    for sign in reversed("".join(opening.split())):
        before = len(text[:start].rstrip(" ")) - 1
        if before < 0 or sign in ARROWS or not _is_same_sign(text[before], sign):
            break
        if not page.stands_beside(before, start):
            break  # an accent of a formula comes first in the text, but stands over its letter
        start = before
    return Span(span.page, start, span.end)


def _with_closing(span: Span, pages: dict[int, SearchablePage], quote: str) -> Span:
    """The span together with the signs that close the quote and stand there on the page too."""
    text = pages[span.page].detail.text
    closing = takewhile(lambda sign: not sign.isalnum(), reversed(quote.rstrip()))
    at = end = span.end
    for sign in reversed("".join(closing)):
        if at < len(text) and sign not in ARROWS and _is_same_sign(text[at], sign):
            at += 1
            end = end if sign.isspace() else at
    return Span(span.page, span.start, end)


def _is_same_sign(found: str, quoted: str) -> bool:
    """Whether two signs are ways of writing one; whether a dash is a minus is settled before."""
    return plain_form(found).replace(MINUS, "-") == plain_form(quoted).replace(MINUS, "-")


def _regions(
    spans: Iterable[Span], pages: dict[int, SearchablePage], *, boxed: bool
) -> Iterator[Region]:
    by_page: dict[int, list[Rect]] = {}
    for span in spans:
        rects = by_page.setdefault(span.page, [])
        if boxed and pages[span.page].state != PageState.UNSUPPORTED_ROTATION:
            rects.extend(line_rects(pages[span.page].boxes[span.start : span.end]))
    return (Region(number, tuple(rects)) for number, rects in by_page.items())


def _nearest(quote: str, wanted: Sequence[SearchablePage]) -> Nearest | None:
    """The most similar passage of the pages that share the most pieces with the quote."""
    folded = normalize(quote).text
    size = max(4, len(folded) // 8)
    pieces = [folded[at : at + size] for at in range(0, len(folded) - size + 1, size)]
    ranked = sorted(
        ((sum(piece in p.folded for piece in pieces), p) for p in wanted if p.folded),
        key=lambda scored: (-scored[0], scored[1].number),
    )
    best: Nearest | None = None
    for shared, candidate in ranked[:NEAREST_PAGES]:
        if not shared:
            break
        aligned = fuzz.partial_ratio_alignment(
            folded, candidate.folded, score_cutoff=best.score if best else NEAREST_SCORE
        )
        if aligned is None or aligned.dest_end <= aligned.dest_start:
            continue
        starts, text = candidate.detail.starts, candidate.detail.text
        start, end = (
            int(starts[aligned.dest_start]),
            int(starts[aligned.dest_end - 1]) + 1,
        )
        passage = " ".join(text[start:end].split())[:NEAREST_LENGTH]
        if best is None or aligned.score > best.score:
            best = Nearest(candidate.number, passage, aligned.score)
    return best
