"""Papers put into the context whole: every page with text is a source of its own, with a number."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from chat.events import Noticed
from chat.evidence_book import EvidenceBook
from chat.prompts import not_whole, papers_in_full
from chat.tools import as_attribute, fenced, titles_fenced
from documents.chunks.token_estimate import estimate_tokens
from documents.models import Page
from documents.pages.page_text import Span
from llm.port import Message
from retrieval.evidence import Evidence, Scope, ScopedVersion

MOST_PAPERS = 20
"""More are not even looked at: so many never fit."""
PAGE_HEAD_TOKENS = 40
"""What stands around a page: its number, its paper's title, its fence."""


@dataclass(frozen=True, slots=True)
class WholePapers:
    """What fits, as it is told to the model, and what does not. `tokens` is an estimate."""

    text: str = ""
    tokens: int = 0
    trace: Mapping[str, Any] = field(default_factory=dict)
    notices: Sequence[Noticed] = ()


@dataclass(frozen=True, slots=True)
class _Paper:
    version: ScopedVersion
    pages: Sequence[tuple[int, str]]
    without_text: Sequence[int]
    tokens: int


def read_whole(question: str, scope: Scope, book: EvidenceBook, *, most_tokens: int) -> WholePapers:
    """The papers of `scope` that fit into `most_tokens`, in its order; their pages get numbers.

    Of a paper that does not fit nothing is put in: half a paper would pass for a whole one.
    """
    if len(scope.versions) > MOST_PAPERS:
        told = {"papers": len(scope.versions), "most": MOST_PAPERS}
        return WholePapers(notices=[Noticed("whole_too_many", told)])
    fitting: list[_Paper] = []
    too_long: list[_Paper] = []
    left = most_tokens
    for version in scope.versions:
        paper = _paper(version)
        fits = bool(paper.pages) and paper.tokens <= left
        (fitting if fits else too_long).append(paper)
        left -= paper.tokens if fits else 0
    return _told(question, fitting, too_long, book, most_tokens)


def with_papers(messages: Sequence[Message], papers: WholePapers) -> list[Message]:
    """The messages with the papers before the words of the last one, which asks."""
    *before, last = messages
    if not papers.text:
        return list(messages)
    return [*before, replace(last, content=f"{papers.text}\n\n{last.content}")]


def _paper(version: ScopedVersion) -> _Paper:
    rows = Page.objects.filter(parsed_id=version.parsed_id).order_by("number")
    texts = list(rows.values_list("number", "text"))
    pages = [(number, text) for number, text in texts if text.strip()]
    return _Paper(
        version,
        pages,
        [number for number, text in texts if not text.strip()],
        sum(PAGE_HEAD_TOKENS + estimate_tokens(text) for _, text in pages),
    )


def _told(
    question: str,
    fitting: Sequence[_Paper],
    too_long: Sequence[_Paper],
    book: EvidenceBook,
    most_tokens: int,
) -> WholePapers:
    numbered = [(book.add_page(page), page) for paper in fitting for page in _evidence(paper)]
    parts = [papers_in_full(question), *fenced(numbered)] if numbered else []
    if too_long:
        titles = "\n".join(as_attribute(paper.version.title) for paper in too_long)
        parts += [not_whole(question), titles_fenced(titles)]
    return WholePapers(
        "\n\n".join(parts),
        sum(paper.tokens for paper in fitting),
        {
            "whole": [
                {
                    "document": paper.version.document_id,
                    "pages": len(paper.pages),
                    "pages_without_text": list(paper.without_text),
                    "tokens": paper.tokens,
                    "fits": paper in fitting,
                }
                for paper in (*fitting, *too_long)
            ],
            "most_tokens": most_tokens,
            "numbers": [number for number, _ in numbered],
        },
        list(_notices(fitting, too_long, most_tokens)),
    )


def _evidence(paper: _Paper) -> Iterable[Evidence]:
    for number, text in paper.pages:
        spans = (Span(number, 0, len(text)),)
        yield Evidence(number, paper.version, spans, (), "page", text, 0.0)


def _notices(
    fitting: Sequence[_Paper], too_long: Sequence[_Paper], most_tokens: int
) -> Iterable[Noticed]:
    if fitting:
        pages = sum(len(paper.pages) for paper in fitting)
        yield Noticed("whole", {"papers": len(fitting), "pages": pages})
    for paper in fitting:
        if paper.without_text:
            pages_missing = list(paper.without_text)
            yield Noticed("whole_gaps", {"title": paper.version.title, "pages": pages_missing})
    for paper in too_long:
        told = {"title": paper.version.title, "tokens": paper.tokens, "most": most_tokens}
        yield Noticed("whole_too_long" if paper.pages else "whole_no_text", told)
