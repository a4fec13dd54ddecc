"""An anchor: where cited text stands, in terms that no re-indexing can touch. Pure data."""

from dataclasses import dataclass
from typing import Any, Self

from documents.pages.page_text import Span


@dataclass(frozen=True, slots=True)
class Anchor:
    """Ordered spans of one version's page text, and the excerpt that stood there."""

    document: str
    sha256: str
    parser: str
    spans: tuple[Span, ...]
    excerpt: str

    def as_json(self) -> dict[str, Any]:
        return {
            "document": self.document,
            "sha256": self.sha256,
            "parser": self.parser,
            "spans": [span.as_json() for span in self.spans],
            "excerpt": self.excerpt,
        }

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Self:
        spans = tuple(Span(*span) for span in value["spans"])
        return cls(value["document"], value["sha256"], value["parser"], spans, value["excerpt"])
