"""The sentences that call footnotes, so that a note is found with what it belongs to. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from documents.chunks.sentences import split_sentences
from documents.pages.note_calls import calls
from documents.pages.page_text import ParsedPage, Span
from documents.pages.paragraphs import Paragraph


@dataclass(frozen=True, slots=True)
class CallingSentence:
    """A sentence of the text and the headings above it."""

    span: Span
    section: tuple[str, ...]


def calling_sentences(
    pages: Sequence[ParsedPage], flow: Sequence[Paragraph]
) -> Mapping[Span, CallingSentence]:
    """By span of a footnote's paragraph, the sentence that calls it, where that is certain."""
    called: dict[tuple[int, int], int] = {}
    for page in pages:
        called |= {(page.number, note): at for note, at in calls(page).items()}
    if not called:
        return {}
    found: dict[Span, CallingSentence] = {}
    for note in flow:
        own = note.spans[0]
        at = called.get((own.page, own.start)) if note.kind == "footnote" else None
        if at is not None and (sentence := _sentence_at(flow, own.page, at)):
            found[own] = sentence
    return found


def _sentence_at(flow: Sequence[Paragraph], page: int, at: int) -> CallingSentence | None:
    for paragraph in flow:
        span = paragraph.spans[0]
        if span.page == page and span.start <= at < span.end:
            for start, end in split_sentences(paragraph.text):
                if start <= at - span.start < end:
                    place = Span(page, span.start + start, span.start + end)
                    return CallingSentence(place, paragraph.section)
    return None
