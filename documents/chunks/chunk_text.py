"""The text of spans. Pure."""

from collections.abc import Iterable, Mapping

from documents.pages.page_text import Span


def text_of(spans: Iterable[Span], page_texts: Mapping[int, str]) -> str:
    """The page text of each span, joined by a line feed. `page_texts` is keyed by page number."""
    return "\n".join(page_texts[span.page][span.start : span.end] for span in spans)
