"""What PDFium, which Lito does not use, says stands under a rectangle of a page."""

import re
from collections.abc import Sequence
from pathlib import Path

import pypdfium2

Rect = tuple[float, float, float, float]
_IGNORED = re.compile(r"[\W_]+")


def letters(text: str) -> str:
    """Only letters and digits, folded: what two extractors must agree on."""
    return _IGNORED.sub("", text).casefold()


def letters_under(file: Path, number: int, rects: Sequence[Rect]) -> str:
    """Letters and digits whose centres lie under `rects` (fractions), in PDFium's own order."""
    document = pypdfium2.PdfDocument(file)
    page = document[number - 1]
    left, bottom, right, top = page.get_cropbox()
    width, height = right - left, top - bottom
    text = page.get_textpage()
    found = []
    for index in range(text.count_chars()):
        x0, y0, x1, y1 = text.get_charbox(index)
        x = ((x0 + x1) / 2 - left) / width
        y = 1 - ((y0 + y1) / 2 - bottom) / height
        if any(a <= x <= c and b <= y <= d for a, b, c, d in rects):
            found.append(text.get_text_range(index, 1))
    document.close()
    return letters("".join(found))
