"""The role of a block, told from its words, its size and its place. Pure."""

import re
from dataclasses import dataclass

from documents.page_text import BlockKind

MARGIN_ZONE = 0.085
_NUMBER = r"(?:\d{1,2}|[IVX]{1,5}|[A-H])"
_NUMBERED = re.compile(rf"^({_NUMBER}(?:\.\d{{1,2}}){{0,3}})(?:[.)、．]\s*|\s+)(?=[^\W\d_])")
_CHINESE_NUMBERED = re.compile(
    r"^(?:(第[一二三四五六七八九十百\d]+[章编部])|(第[一二三四五六七八九十百\d]+节|[一二三四五六七八九十]{1,3}\s*[、．.])"
    r"|([(（][一二三四五六七八九十]{1,3}[)）]))"
)
_KNOWN = re.compile(
    r"^(?:abstract|summary|introduction|background|(?:materials? and )?methods?(?: and materials?)?"
    r"|methodology|results?(?: and discussion)?|discussions?|conclusions?|concluding remarks"
    r"|related work|limitations?|acknowledge?ments?|references|bibliography|works cited|literature cited"
    r"|appendi(?:x|ces)(?: [a-z\d])?|data availability(?: statement)?|funding|keywords?"
    r"|conflicts? of interest|competing interests|author contributions|supplementary materials?"
    r"|摘\s*要|引\s*言|绪\s*论|前\s*言|关键词|参\s*考\s*文\s*献|致\s*谢|附\s*录|结\s*论|结\s*语|讨\s*论|目\s*录)"
    r"\s*[:：.]?$",
    re.IGNORECASE,
)
REFERENCES = re.compile(
    r"^(?:(?:\d{1,2}|[IVX]+)?[.\s]*(?:references?(?: and notes| cited)?|bibliography|works cited|literature cited"
    r"|literatur(?:verzeichnis)?|références|bibliographie|referencias)|[\d.、\s]*参\s*考\s*(?:文\s*献|资\s*料))\s*[:：.]?$",
    re.IGNORECASE,
)
ABSTRACT = re.compile(r"^(?:abstract\b|summary\s*[:.]|摘\s*要|【摘要】|\[摘要\])", re.IGNORECASE)
_CAPTION = re.compile(
    r"^(?:supplementary |extended data )?(?:fig(?:ure|\.)?|table|scheme|box|chart|plate|algorithm|图|表|圖)"
    r"\s*(?:[A-Z]?\d+(?:[-.–]\d+)?|[IVX]+\b|[一二三四五六七八九十])(?P<rest>.*)",
    re.IGNORECASE | re.DOTALL,
)
_SAYS = re.compile(
    r"[a-z]?\s*(?:(?:shows?|presents?|reports?|lists?|summari[sz]es?|gives?|displays?|illustrates?"
    r"|depicts?|provides?|contains?|compares?|plots?|describes?|and|is|are|also|which|we|in|for|to)\b"
    r"|报告|显示|列出|给出|展示|描述|总结|呈现|说明|反映|表明|为|是|所示|可知|中|和|可以|可见|的)",
    re.IGNORECASE,
)
"""What follows the number in a sentence about a figure, not in its caption."""
_LIST = re.compile(r"^(?:[•●▪■◦‣·∙○□➢✓*–—-]\s|[(（]?(?:\d{1,2}|[a-z]|[ivx]{1,4})[)）]\s?)")
_FOOTNOTE = re.compile(r"^(?:\d{1,3}|[*†‡§¶∗#]|[①-⑳])\s*\S")
_REFERENCE = re.compile(r"^(?:\[\d{1,3}\]|\d{1,3}\.\s)\s*\S.*(?:19|20)\d\d", re.DOTALL)
_MATHEMATICAL = re.compile(r"[=+<>≤≥≈∑∏∫√∂∞±×÷∈∀∃→←↔∝∇α-ωΑ-Ω\U0001D400-\U0001D7FF^_|/(){}\[\]]")
_PAGE_NUMBER = re.compile(r"^[-–—\s]*(?:page\s*)?\d{1,4}(?:\s*(?:/|of)\s*\d{1,4})?[-–—\s]*$", re.IGNORECASE)


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


def role(text: str, look: Look) -> tuple[BlockKind, int]:
    """What a block is by itself, and the level of a heading."""
    first = text.strip()
    if _is_margin(first, look):
        return BlockKind.MARGIN, 0
    caption = _CAPTION.match(first)
    if caption and look.size < 1.15 and not _SAYS.match(caption["rest"]):
        return BlockKind.CAPTION, 0
    if look.turn == 0 and look.cells < 2 and (level := heading_level(first, look)):
        return BlockKind.HEADING, level
    if ABSTRACT.match(first):
        return BlockKind.ABSTRACT, 0
    if _is_formula(first, look):
        return BlockKind.FORMULA, 0
    if look.size < 0.93 and look.y0 > 0.55 and _FOOTNOTE.match(first):
        return BlockKind.FOOTNOTE, 0
    if _REFERENCE.match(first) and look.size < 0.97:
        return BlockKind.REFERENCE, 0
    if _LIST.match(first):
        return BlockKind.LIST, 0
    return BlockKind.PARAGRAPH, 0


def heading_level(text: str, look: Look) -> int:
    """1 for the highest, 0 for what is no heading."""
    plain = " ".join(text.split())
    if look.lines > 3 or not 2 <= len(plain) <= 160:
        return 0
    if _KNOWN.match(plain) or REFERENCES.match(plain):
        return 1
    if chinese := _CHINESE_NUMBERED.match(plain):
        if len(plain) > 45 or plain[-1] in "。；，":
            return 0
        return 1 + next(i for i, part in enumerate(chinese.groups()) if part)
    stands_out = look.bold or look.size > 1.08 or plain.isupper()
    if numbered := _NUMBERED.match(plain):
        short = len(plain) <= 90 and plain[-1] not in ".;,。；，:："
        if stands_out or (short and "." in numbered[1]):
            return numbered[1].count(".") + 1
        return 0
    letters = sum(c.isalpha() for c in plain)
    if letters < 3 or letters < 0.5 * len(plain) or plain[-1] in ";,。；，":
        return 0
    if look.size > 1.25:
        return 1
    if look.size > 1.08 and (look.bold or look.size > 1.15):
        return 2
    return 3 if look.bold and look.lines <= 2 and len(plain) <= 110 else 0


def _is_margin(text: str, look: Look) -> bool:
    if look.turn != 0 and (look.x1 < MARGIN_ZONE or look.x0 > 1 - MARGIN_ZONE):
        return True
    outside = look.y1 < MARGIN_ZONE or look.y0 > 1 - MARGIN_ZONE
    if outside and look.lines <= 2:
        return True
    at_edge = look.y1 < 0.12 or look.y0 > 0.88
    return at_edge and bool(_PAGE_NUMBER.match(text))


def _is_formula(text: str, look: Look) -> bool:
    if look.lines > 6 or len(text) > 250:
        return False
    visible = [c for c in text if not c.isspace()]
    words = re.findall(r"[^\W\d_]{4,}", text)
    signs = len(_MATHEMATICAL.findall(text))
    return signs >= 2 and signs >= 0.15 * len(visible) and len(words) <= 2 and "=" in text
