"""The address of a passage: spans of a file's page text, and a digest of what stood there.

A file may be read anew, and then offsets mean something else. So an address says what it points at;
whoever opens it compares, and draws nothing where the text is another one.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse

from documents.pages.page_text import Span
from projects.requests import whole_number

MOST_SPANS = 12
DIGEST_LENGTH = 16


@dataclass(frozen=True, slots=True)
class PassageAddress:
    """`words` are those of the search that led there; they are marked where they stand."""

    spans: tuple[Span, ...]
    digest: str
    words: str = ""

    @classmethod
    def from_query(cls, given: Mapping[str, str]) -> "PassageAddress | None":
        """What `url` wrote; None if it can't be read."""
        spans = [_span(part) for part in given.get("at", "").split("_")[: MOST_SPANS + 1]]
        known = tuple(span for span in spans if span is not None)
        if not known or len(known) < len(spans) or len(spans) > MOST_SPANS:
            return None
        return cls(known, given.get("of", ""), given.get("q", ""))

    def url(self, slug: str, file_id: str) -> str:
        at = "_".join(f"{span.page}.{span.start}.{span.end}" for span in self.spans)
        parts = {"at": at, "of": self.digest, "q": self.words}
        said = urlencode({name: value for name, value in parts.items() if value})
        return f"{reverse('open_passage', args=(slug, file_id))}?{said}"

    def names(self, text: str) -> bool:
        """Whether `text` is the one that the address was made for."""
        return self.digest == digest_of(text)


def address_of(spans: Sequence[Span], text: str, words: str) -> PassageAddress:
    """The address of the passage at `spans`, whose text is `text`."""
    return PassageAddress(tuple(spans), digest_of(text), words)


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:DIGEST_LENGTH]


def _span(part: str) -> Span | None:
    numbers = [whole_number(number) for number in part.split(".")]
    match numbers:
        case [int(page), int(start), int(end)] if page >= 1 and start < end:
            return Span(page, start, end)
    return None
