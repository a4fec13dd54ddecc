"""The values that retrieval takes and returns. Pure data."""

from dataclasses import dataclass, field

from documents.pages.page_text import Span
from retrieval.named_papers import Names
from retrieval.tracing import SearchTrace


@dataclass(frozen=True, slots=True)
class ScopedVersion:
    """A live version that one search may use. `file_id` is the version's public id."""

    file_id: str
    document_id: str
    parsed_id: int
    sha256: str
    parser: str
    title: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Scope:
    """What one search may see: a project's live versions, already checked against the user."""

    project_id: int
    versions: tuple[ScopedVersion, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage for reading: spans of one version's page text, best first in a result.

    `number` counts from 1 inside one search result; the chat run gives its own numbers.
    `text` is the page text of the spans, spans joined by a line feed.
    """

    number: int
    version: ScopedVersion
    spans: tuple[Span, ...]
    section: tuple[str, ...]
    kind: str
    text: str
    score: float


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Evidence in order, the record of what was recalled, cut and chosen, and what was named."""

    evidence: tuple[Evidence, ...]
    trace: SearchTrace
    names: Names = field(default_factory=Names)
