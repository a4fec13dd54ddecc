"""The role of a block, told from its words, its size and its place. Pure."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from documents.pages.headings import ABSTRACT, HeadingLike, heading_like, is_numbered
from documents.pages.page_text import BlockKind

MARGIN_ZONE = 0.085
EDGE_ZONE = 0.12
"""Shares of the page within which running heads, and lone page numbers, are expected."""

_CAPTION = re.compile(
    r"^(?:supplementary |extended data )?"
    r"(?:fig(?:ure|\.)?|table|scheme|box|chart|plate|algorithm|图|表|圖)"
    r"\s*(?:[A-Z]?\d+(?:[-.–]\d+)?|[IVX]+\b|[一二三四五六七八九十])(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_SAYS = re.compile(
    r"[a-z]?\s*(?:(?:shows?|presents?|reports?|lists?|summari[sz]es?|gives?|displays?|depicts?"
    r"|illustrates?|provides?|contains?|compares?|plots?|describes?|and|is|are|also|which|we|in"
    r"|for|to)\b"
    r"|报告|显示|列出|给出|展示|描述|总结|呈现|说明|反映|表明|为|是|所示|可知|中[，,的可所给]|和[图表]|可以|可见|的)",
    re.IGNORECASE,
)
"""What follows the number in a sentence about a figure, not in its caption."""
_LABEL_END = re.compile(r"[a-z]?\s*[:：.．|—–]")
LARGEST_MARGIN = 1.3
LARGEST_CAPTION = 1.4
"""In sizes of the usual text."""
LONG_CAPTION = 30
"""Chinese signs from which on what ends like a sentence speaks of a figure, and is not below it."""
_LIST = re.compile(r"^(?:[•●▪■◦‣·∙○□➢✓*–—-]\s|[(（]?(?:\d{1,2}|[a-z]|[ivx]{1,4})[)）]\s?)")
SMALL_NOTE = 0.93
"""Footnotes are set smaller than this share of the usual size."""
_FOOTNOTE = re.compile(r"^(?:\d{1,3}|[*†‡§¶∗#]|[①-⑳])\s*[^\s\d.,)\]=+−–-]")
_REFERENCE = re.compile(r"^(?:[\[［]\d{1,3}[\]］]|\d{1,3}\.\s)\s*\S.*(?:19|20)\d\d", re.DOTALL)
_MATHEMATICAL = re.compile(r"[=+<>≤≥≈∑∏∫√∂∞±×÷∈∀∃→←↔∝∇α-ωΑ-Ω\U0001D400-\U0001D7FF^_|/(){}\[\]]")
_PAGE_NUMBER = re.compile(
    r"^[-–—\s]*(?:page\s*)?\d{1,4}(?:\s*(?:/|of)\s*\d{1,4})?[-–—\s]*$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Look:
    """How a block looks beside the page's usual text. Positions are fractions of the page."""

    lines: int
    size: float
    """In sizes of the page's usual text."""
    bold: bool
    x0: float
    y0: float
    x1: float
    y1: float
    turn: int = 0
    cells: float = 1
    """Mean number of stretches per line that wide gaps part."""
    italic: bool = False


def role(text: str, look: Look, *, in_body: bool) -> tuple[BlockKind, HeadingLike | None]:
    """What a block is by itself, and what kind of heading it may be if it is one.

    What stands `in_body`, as high or low as paragraphs do, is no running head for its place alone.
    """
    words = text.strip()
    like = None
    # A wide gap behind the number does not make a heading a row of cells.
    behind_number = look.cells == 2 and look.bold and not words[-1:].isdigit()
    apart = look.cells < 2 or (behind_number and is_numbered(words))
    if look.turn == 0 and apart and not _is_caption(words, look):
        like = heading_like(
            words, lines=look.lines, size=look.size, bold=look.bold, italic=look.italic
        )
    if like and like.certain:
        # In the margin only its coming back tells a running head from a heading.
        return BlockKind.HEADING, like
    possible = (kind for kind in _TESTS if not (in_body and kind is BlockKind.MARGIN))
    found = next((kind for kind in possible if _TESTS[kind](words, look)), BlockKind.PARAGRAPH)
    return found, None if found in (BlockKind.MARGIN, BlockKind.CAPTION) else like


def _is_margin(text: str, look: Look) -> bool:
    if look.turn != 0 and (look.x1 < MARGIN_ZONE or look.x0 > 1 - MARGIN_ZONE):
        return True
    outside = look.y1 < MARGIN_ZONE or look.y0 > 1 - MARGIN_ZONE
    if outside and look.lines <= 2 and look.size < LARGEST_MARGIN:
        return True
    at_edge = look.y1 < EDGE_ZONE or look.y0 > 1 - EDGE_ZONE
    return at_edge and bool(_PAGE_NUMBER.match(text))


def _is_caption(text: str, look: Look) -> bool:
    caption = _CAPTION.match(text)
    if caption is None or look.size > LARGEST_CAPTION:
        return False
    rest = caption["rest"]
    if _LABEL_END.match(rest):
        return True
    if _SAYS.match(rest):
        return False
    says_in_chinese = len(rest) > LONG_CAPTION and rest.rstrip()[-1:] == "。"
    return look.bold or not (rest.lstrip()[:1].islower() or says_in_chinese)


def _is_abstract(text: str, _look: Look) -> bool:
    return bool(ABSTRACT.match(text))


def _is_formula(text: str, look: Look) -> bool:
    if look.lines > 6 or len(text) > 250 or "=" not in text:
        return False
    visible = sum(not c.isspace() for c in text)
    signs = len(_MATHEMATICAL.findall(text))
    words = re.findall(r"[^\W\d_]{4,}", text)
    return signs >= max(2, 0.15 * visible) and len(words) <= 2


def _is_footnote(text: str, look: Look) -> bool:
    return look.size < SMALL_NOTE and look.y0 > 0.55 and bool(_FOOTNOTE.match(text))


def _is_reference(text: str, look: Look) -> bool:
    return bool(_REFERENCE.match(text)) and (look.size < 0.97 or text[0] in "[［")


def _is_list(text: str, _look: Look) -> bool:
    return bool(_LIST.match(text))


_TESTS: dict[BlockKind, Callable[[str, Look], bool]] = {
    BlockKind.MARGIN: _is_margin,
    BlockKind.CAPTION: _is_caption,
    BlockKind.ABSTRACT: _is_abstract,
    BlockKind.FORMULA: _is_formula,
    BlockKind.FOOTNOTE: _is_footnote,
    BlockKind.REFERENCE: _is_reference,
    BlockKind.LIST: _is_list,
}
"""In this order: the first one that holds."""
