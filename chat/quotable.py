"""Sentences of evidence that may stand alone in an answer, word for word. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from chat.front_matter import is_front_matter, is_front_matter_block, names_title
from documents.chunks.chunk_text import spans_within
from documents.chunks.sentences import CJK, ends_sentence, split_sentences
from documents.pages.page_text import Block, BlockKind, Span
from retrieval.evidence import Evidence

LEAST_WORDS, MOST_WORDS = 6, 90
LEAST_CHINESE, MOST_CHINESE = 10, 260
LEAST_LETTERS = 0.62
"""Share of letters among the signs that are not white space."""

STATING = frozenset({BlockKind.ABSTRACT, BlockKind.PARAGRAPH, BlockKind.LIST})
"""Blocks whose sentences state something. Headings, captions and references don't."""

_CJK = re.compile(f"[{CJK}]")
_OPENING = re.compile(rf"^[\"'“‘「『(（\[【《]*(?:[A-Z0-9]|[{CJK}]|[^\W\d_a-z])")
_CAPTION = re.compile(
    r"^(?:fig(?:ure|\.)?|table|scheme|box|chart|panel|notes?:|source:|图|表|圖)\s*(?:[A-Z]?\d|[IVX]+\b|[一二三四五六七八九十])",
    re.IGNORECASE,
)
_REFERENCE = re.compile(
    r"^\[?\d{1,3}\]?[.\s]+[A-Z][\w'’-]+,?\s+(?:[A-Z]\.?\s?)+[,.]"
    r"|\b(?:pp?\.|vol\.)\s*\d+|\(\d{4}\)[.,]\s+[A-Z].*\b\d+\s*\(\d+\)|\[[JMCDR](?:/OL)?\]"
)
_HYPHENED = re.compile(r"(\w+)[-\u2010\u00ad\u0002]\n\s*(\w+)")


@dataclass(frozen=True, slots=True)
class Quotable:
    """One sentence: `text` as it is shown, and where it stands in the evidence of that number."""

    number: int
    text: str
    spans: tuple[Span, ...]
    order: int


@dataclass(frozen=True, slots=True)
class PageText:
    """What is known of one page: its text and the roles of its parts."""

    text: str
    blocks: tuple[Block, ...]


def quotable_sentences(
    number: int, evidence: Evidence, pages: Mapping[int, PageText]
) -> list[Quotable]:
    """The whole sentences of a passage that state something, in reading order."""
    found: list[Quotable] = []
    for start, end in split_sentences(evidence.text):
        spans = tuple(spans_within(evidence.spans, start, end))
        text = shown(evidence.text[start:end], pages[spans[0].page].text if spans else "")
        if (
            spans
            and may_stand_alone(text)
            and not names_title(text, evidence.version.title)
            and all(_states(span, pages) for span in spans)
        ):
            found.append(Quotable(number, text, spans, len(found)))
    return found


def may_stand_alone(text: str) -> bool:
    """Whether `text` is a whole sentence of body text, by its looks.

    >>> may_stand_alone("Buyers pay a premium for sellers with a good record.")
    True
    >>> may_stand_alone("Figure 3 shows the premium that buyers pay to good sellers.")
    False
    """
    if not ends_sentence(text) or not _OPENING.match(text):
        return False
    if _CAPTION.match(text) or _REFERENCE.search(text) or is_front_matter(text):
        return False
    chinese, words = len(_CJK.findall(text)), len(text.split())
    if chinese >= LEAST_CHINESE:
        fits = chinese <= MOST_CHINESE
    else:
        fits = LEAST_WORDS <= words <= MOST_WORDS
    inked = [sign for sign in text if not sign.isspace()]
    return fits and sum(map(str.isalpha, inked)) >= LEAST_LETTERS * len(inked)


def shown(raw: str, page_text: str) -> str:
    """A sentence of page text as running text: lines joined, hyphens of line ends resolved.

    >>> shown("a dynamic com-\\npiler of the\\nwell-\\nknown kind", "a well-known kind")
    'a dynamic compiler of the well-known kind'
    """

    def joined(hyphened: re.Match[str]) -> str:
        compound = f"{hyphened[1]}-{hyphened[2]}"
        return compound if compound in page_text else hyphened[1] + hyphened[2]

    text = _HYPHENED.sub(joined, raw).replace("\u00ad", "")
    text = re.sub(rf"(?<=[{CJK}，。、；：])\s*\n\s*(?=[{CJK}，。、；：])", "", text)
    return " ".join(text.split())


def _states(span: Span, pages: Mapping[int, PageText]) -> bool:
    """Whether the span stands in body text. A page without blocks is not judged."""
    page = pages[span.page]
    touched = [each for each in page.blocks if each.start < span.end and span.start < each.end]
    stating = touched and all(
        block.kind in STATING and not is_front_matter_block(page.text[block.start : block.end])
        for block in touched
    )
    return not page.blocks or bool(stating)
