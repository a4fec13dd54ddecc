"""Where a found passage stands: confirmed against the present reading, or not drawn at all."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from citations.locating import forbidden_on
from citations.pages import searchable_pages
from citations.searchable_page import SearchablePage
from citations.statuses import reason_words
from documents.chunks.chunk_text import text_of
from documents.models import Version
from documents.pages.geometry import line_rects
from documents.pages.marks import Marks, marks_of
from documents.pages.page_text import PageState, Rect, Span
from lito.passage_address import PassageAddress
from retrieval.recall import terms_of
from retrieval.word_marks import Stretch, marked_words, query_tokens

Status = Literal["confirmed", "no_highlight", "moved", "unreadable"]
"""`no_highlight`: its text stands there, but the page can't carry a highlight. `moved`: the text at
this place is another one. `unreadable`: the address names no place.
"""


@dataclass(frozen=True, slots=True)
class PassagePlace:
    """A passage in the reader. Marks only where `status` is `confirmed`."""

    status: Status
    page: int | None = None
    words: str = ""
    passage: Marks = field(default_factory=Marks)
    marked_words: Marks = field(default_factory=Marks)
    count: int = 0
    """Marked words."""
    reason: str = ""


def place_passage(address: PassageAddress | None, version: Version) -> PassagePlace:
    """Compare what stands at `address` with what stood there when it was made."""
    if address is None or version.parsed_id is None:
        return PassagePlace("unreadable")
    page, words = address.spans[0].page, address.words
    pages = searchable_pages(version, {span.page for span in address.spans})
    by_number = {each.number: each for each in pages}
    if not _stand(address, by_number):
        return PassagePlace("moved", page, words)
    forbidden = forbidden_on(pages)
    drawable = [span for span in address.spans if _can_be_drawn(by_number[span.page])]
    if forbidden or not drawable:
        reason = reason_words(forbidden.reason if forbidden else pages[0].reason)
        return PassagePlace("no_highlight", page, words, reason=reason)
    wanted = query_tokens(words, terms_of(version.project_id))
    stretches = [(span, _words_in(span, by_number, wanted)) for span in drawable]
    passage = [(span.page, _rects(span, by_number)) for span in drawable]
    marked = [(span.page, _rects(part, by_number)) for span, parts in stretches for part in parts]
    count = sum(len(parts) for _, parts in stretches)
    return PassagePlace("confirmed", page, words, _marks(passage), _marks(marked), count)


def _stand(address: PassageAddress, pages: Mapping[int, SearchablePage]) -> bool:
    """Whether the text at the spans is the one that the address was made for."""
    texts: dict[int, str] = {}
    for span in address.spans:
        if span.page not in pages:
            return False
        texts[span.page] = pages[span.page].detail.text
        if span.end > len(texts[span.page]):
            return False
    return address.names(text_of(address.spans, texts))


def _can_be_drawn(page: SearchablePage) -> bool:
    return page.state != PageState.UNSUPPORTED_ROTATION


def _words_in(
    span: Span, pages: Mapping[int, SearchablePage], wanted: frozenset[str]
) -> list[Span]:
    text = pages[span.page].detail.text[span.start : span.end]
    found: Sequence[Stretch] = marked_words(text, wanted)
    return [Span(span.page, span.start + start, span.start + end) for start, end in found]


def _rects(span: Span, pages: Mapping[int, SearchablePage]) -> list[Rect]:
    return line_rects(pages[span.page].boxes[span.start : span.end])


def _marks(regions: Sequence[tuple[int, list[Rect]]]) -> Marks:
    return marks_of(
        [{"regions": [{"page": page, "rects": rects} for page, rects in regions if rects]}]
    )
