"""Headings: numbered, known by their words, or standing out; English and Chinese. Pure."""

import re

MOST_CHARACTERS = 160
MOST_LINES = 3

_NUMBERED = re.compile(
    r"^((?:\d{1,2}|[IVX]{1,5}|[A-H])(?:\.\d{1,2}){0,3})(?:[.)、．]\s*|\s+)(?=[^\W\d_])"
)
_CHINESE_NUMBERED = re.compile(
    r"^(?:(第[一二三四五六七八九十百\d]+[章编部])"
    r"|(第[一二三四五六七八九十百\d]+节|[一二三四五六七八九十]{1,3}\s*[、．.])"
    r"|([(（][一二三四五六七八九十]{1,3}[)）]))"
)
_KNOWN = re.compile(
    r"^(?:abstract|summary|introduction|background|(?:materials? and )?methods?(?: and materials?)?"
    r"|methodology|results?(?: and discussion)?|discussions?|conclusions?|concluding remarks"
    r"|related work|limitations?|acknowledge?ments?|appendi(?:x|ces)(?: [a-z\d])?"
    r"|data availability(?: statement)?|funding|keywords?|conflicts? of interest"
    r"|competing interests|author contributions|supplementary materials?"
    r"|摘\s*要|引\s*言|绪\s*论|前\s*言|关键词|致\s*谢|附\s*录|结\s*论|结\s*语|讨\s*论|目\s*录)"
    r"\s*[:：.]?$",
    re.IGNORECASE,
)
REFERENCES = re.compile(
    r"^(?:(?:\d{1,2}|[IVX]+)?[.\s]*(?:references?(?: and notes| cited)?|bibliography|works cited"
    r"|literature cited|literatur(?:verzeichnis)?|références|bibliographie|referencias)"
    r"|[\d.、\s]*参\s*考\s*(?:文\s*献|资\s*料))\s*[:：.]?$",
    re.IGNORECASE,
)
ABSTRACT = re.compile(r"^(?:abstract\b|summary\s*[:.]|摘\s*要|[【\[]摘要[】\]])", re.IGNORECASE)


def heading_level(text: str, *, lines: int, size: float, bold: bool) -> int:
    """1 for the highest, 0 for what is no heading. `size` is in sizes of the page's usual text."""
    plain = " ".join(text.split())
    if lines > MOST_LINES or not 2 <= len(plain) <= MOST_CHARACTERS:
        return 0
    if _KNOWN.match(plain) or REFERENCES.match(plain):
        return 1
    if chinese := _CHINESE_NUMBERED.match(plain):
        return _chinese_level(plain, chinese)
    if numbered := _NUMBERED.match(plain):
        return _numbered_level(plain, numbered[1], stands_out=bold or size > 1.08)
    letters = sum(c.isalpha() for c in plain)
    if letters < 3 or letters < 0.5 * len(plain) or plain[0].islower() or plain[-1] in ";,。；，":
        return 0
    return _level_by_look(plain, lines, size, bold=bold)


def _chinese_level(plain: str, found: re.Match[str]) -> int:
    if len(plain) > 45 or plain[-1] in "。；，":
        return 0
    return 1 + next(index for index, part in enumerate(found.groups()) if part)


def _numbered_level(plain: str, number: str, *, stands_out: bool) -> int:
    short = len(plain) <= 90 and plain[-1] not in ".;,。；，:："
    if stands_out or plain.isupper() or (short and "." in number):
        return number.count(".") + 1
    return 0


def _level_by_look(plain: str, lines: int, size: float, *, bold: bool) -> int:
    if size > 1.25:
        return 1
    if size > 1.15 or (size > 1.08 and bold):
        return 2
    return 3 if bold and lines <= 2 and len(plain) <= 110 else 0
