"""The text of spans. Pure."""

from collections.abc import Iterable, Iterator, Mapping

from documents.pages.page_text import Span


def text_of(spans: Iterable[Span], page_texts: Mapping[int, str]) -> str:
    """The page text of each span, joined by a line feed. `page_texts` is keyed by page number."""
    return "\n".join(page_texts[span.page][span.start : span.end] for span in spans)


def spans_within(spans: Iterable[Span], start: int, end: int) -> Iterator[Span]:
    """The spans of the part `[start, end)` of their text, as `text_of` joins it."""
    offset = 0
    for span in spans:
        length = span.end - span.start
        first, last = max(start - offset, 0), min(end - offset, length)
        if first < last:
            yield Span(span.page, span.start + first, span.start + last)
        offset += length + 1
