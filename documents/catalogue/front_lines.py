"""The lines of a first page with their type sizes and places, grouped as a reader sees them. Pure.

Only what a page shows is used: the text and the boxes of its characters. So titles and authors are
found in the same way whatever order or roles the blocks of the page were given.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from documents.chunks.chinese_words import simplified
from documents.pages.page_text import BlockKind, ParsedPage, Rect

RAISED = "\x1f"
"""Stands in `FrontLine.marked` where raised signs were: a reader takes them for footnote marks."""
SAME_SIZE = 0.04
_SPELLINGS: dict[int, str | None] = {
    **{code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)},
    **dict.fromkeys([*range(0x20), *range(0x7F, 0xA0), 0xAD, 0x200B, 0xFEFF]),
    0xA0: " ",
}
_ACCENTS = {
    "´": "\u0301",
    "¨": "\u0308",
    "ˆ": "\u0302",
    "˜": "\u0303",
    "ˇ": "\u030c",
    "¸": "\u0327",
}
_APART = re.compile(f"([{''.join(_ACCENTS)}]) ?([A-Za-zıȷ])")


@dataclass(frozen=True, slots=True)
class FrontLine:
    """A line of page text. `size` in points, `rect` in fractions of the displayed page.

    `marked` is the text with runs of raised characters replaced by one `RAISED`.
    """

    text: str
    marked: str
    size: float
    rect: Rect
    is_margin: bool = False

    @property
    def width(self) -> float:
        return self.rect[2] - self.rect[0]


def front_lines(page: ParsedPage) -> list[FrontLine]:
    """The lines of a page that have letters or digits on them, in the order of the page text."""
    margins = [(b.start, b.end) for b in page.blocks if b.kind is BlockKind.MARGIN]
    lines: list[FrontLine] = []
    start = 0
    for text in page.text.split("\n"):
        end = start + len(text)
        if any(c.isalnum() for c in text):
            is_margin = any(a <= start < b for a, b in margins)
            lines.append(_line(page, start, end, is_margin=is_margin))
        start = end + 1
    return lines


def body_size(lines: Sequence[FrontLine]) -> float:
    """The size in which most characters are set."""
    if not lines:
        return 0.0
    sizes = sorted((line.size, len(line.text)) for line in lines)
    half, seen = sum(length for _, length in sizes) / 2, 0
    for size, length in sizes:
        seen += length
        if seen >= half:
            return size
    return sizes[-1][0]


def edge_texts(lines: Sequence[FrontLine]) -> list[str]:
    """Lines at the head and the foot of a page, and its margins, as read and joined in pairs."""
    return [line.text for line in lines if line.is_margin or is_at_edge(line)]


def is_at_edge(line: FrontLine) -> bool:
    return line.rect[3] < 0.17 or line.rect[1] > 0.86


def groups(lines: Sequence[FrontLine]) -> list[list[FrontLine]]:
    """Lines that follow each other in one size, one under the other."""
    found: list[list[FrontLine]] = []
    for line in lines:
        if found and _goes_on(found[-1][-1], line):
            found[-1].append(line)
        else:
            found.append([line])
    return found


def rows(lines: Sequence[FrontLine]) -> list[list[FrontLine]]:
    """Lines side by side belong to one row; rows from top to bottom, each from left to right."""
    found: list[list[FrontLine]] = []
    for line in sorted(lines, key=lambda one: (one.rect[1], one.rect[0])):
        height = line.rect[3] - line.rect[1]
        if found and line.rect[1] - found[-1][0].rect[1] < 0.5 * height:
            found[-1].append(line)
        else:
            found.append([line])
    return [sorted(row, key=lambda one: one.rect[0]) for row in found]


HYPHENS = "-\u00ad\u2010"


def joined(lines: Sequence[str], *, seen: str = "") -> str:
    """Lines as one text. A hyphen at a line end stays only if `seen` knows the word with it."""
    text = ""
    for line in lines:
        part = spelt_out(line).strip()
        if not text:
            text = part
        elif text[-1] in HYPHENS and (broken := re.search(r"(\w+).$", text)):
            rest = re.match(r"\w*", part)
            word = f"{broken[1]}-{rest[0] if rest else ''}"
            keeps = not part[:1].islower() or word.lower() in seen.lower()
            text = text + part if keeps else text[:-1] + part
        else:
            text += part if is_wide(text[-1]) and is_wide(part[:1]) else f" {part}"
    return " ".join(text.split())


def spelt_out(text: str) -> str:
    """Letters as one types them: no ligatures, soft hyphens, control or zero-width characters.

    Accents that TeX set as signs of their own ("Rachubi´nska") go back onto their letters.
    """
    return _APART.sub(_with_accent, text.translate(_SPELLINGS))


def _with_accent(found: re.Match[str]) -> str:
    letter = {"ı": "i", "ȷ": "j"}.get(found[2], found[2])
    composed = unicodedata.normalize("NFC", letter + _ACCENTS[found[1]])
    return composed if len(composed) == 1 else found[0]


def folded(text: str) -> str:
    """Letters and digits alone, without case, accents and width, in simplified characters: for
    comparing."""
    plain = unicodedata.normalize("NFKD", spelt_out(text)).casefold()
    plain = "".join(c for c in plain if c.isalnum())
    return plain if plain.isascii() else simplified(plain)


def is_wide(text: str) -> bool:
    return bool(text) and unicodedata.east_asian_width(text[0]) in "WF"


def _line(page: ParsedPage, start: int, end: int, *, is_margin: bool) -> FrontLine:
    text, boxes = page.text[start:end], page.boxes[start:end]
    inked = (boxes[:, 2] > boxes[:, 0]) if len(boxes) == len(text) else np.zeros(0, bool)
    if not inked.any():
        return FrontLine(text, text, 0.0, (0.0, 0.0, 0.0, 0.0), is_margin)
    drawn = boxes[inked]
    heights = boxes[:, 3] - boxes[:, 1]
    height, bottom = float(np.median(heights[inked])), float(np.median(drawn[:, 3]))
    raised = inked & (heights < 0.86 * height) & (boxes[:, 3] < bottom - 0.1 * height)
    (x0, y0), (x1, y1) = drawn[:, :2].min(axis=0).tolist(), drawn[:, 2:].max(axis=0).tolist()
    marked = "".join(
        RAISED if above else character for character, above in zip(text, raised, strict=True)
    )
    marked = re.sub(f"{RAISED}[{RAISED}\\s,]*{RAISED}", RAISED, marked)
    rect = (x0, y0, x1, y1)
    return FrontLine(text, marked, height * page.height, rect, is_margin)


def _goes_on(above: FrontLine, below: FrontLine) -> bool:
    size = max(above.size, below.size)
    if not size or abs(above.size - below.size) > SAME_SIZE * size:
        return False
    height = above.rect[3] - above.rect[1]
    gap = below.rect[1] - above.rect[1]
    overlap = min(above.rect[2], below.rect[2]) - max(above.rect[0], below.rect[0])
    return 0.5 * height < gap < 2.7 * height and overlap > 0
