"""Character boxes by PDFium, the other reader that ours is compared with."""

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pypdfium2
from numpy.typing import NDArray
from pypdfium2 import raw

Boxes = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PdfiumPage:
    """Text and boxes, one for each character, as fractions of the displayed page."""

    text: str
    boxes: Boxes

    def stretches(self, *, of: int, every: int) -> Iterator[tuple[str, Boxes]]:
        """Runs of letters and single spaces of length `of`, each `every` characters."""
        for start in range(0, len(self.text) - of, every):
            quote = self.text[start : start + of]
            if quote.isprintable() and quote == quote.strip() and "  " not in quote:
                inked = np.array([not c.isspace() for c in quote])
                yield quote, self.boxes[start : start + of][inked]


def pdfium_page(path: Path, number: int) -> PdfiumPage:
    with pypdfium2.PdfDocument(path) as document:
        page = document[number - 1]
        text_page = page.get_textpage()
        count = raw.FPDFText_CountChars(text_page)
        text = "".join(chr(raw.FPDFText_GetUnicode(text_page, i)) for i in range(count))
        corners = np.array([_corners(text_page, i) for i in range(count)]).reshape(-1, 4)
        boxes = _displayed(corners, page.get_bbox(), page.get_rotation())
        text_page.close()
        page.close()
    return PdfiumPage(text, boxes)


def boxes_of(path: Path, number: int, quote: str) -> Boxes:
    """The boxes of the letters of `quote`, which stands once on the page."""
    page = pdfium_page(path, number)
    start = page.text.index(quote)
    inked = np.array([not c.isspace() for c in quote])
    found: Boxes = page.boxes[start : start + len(quote)][inked]
    return found


def _corners(text_page: pypdfium2.PdfTextPage, index: int) -> tuple[float, float, float, float]:
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    raw.FPDFText_GetCharBox(text_page, index, left, right, bottom, top)
    return left.value, bottom.value, right.value, top.value


def _displayed(corners: Boxes, page_box: tuple[float, float, float, float], rotation: int) -> Boxes:
    """From PDF points, y upwards, to fractions of the page as it is shown, y downwards."""
    left, bottom, right, top = page_box
    x0, x1 = ((corners[:, i] - left) / (right - left) for i in (0, 2))
    y0, y1 = ((corners[:, i] - bottom) / (top - bottom) for i in (1, 3))
    sides = {
        0: (x0, 1 - y1, x1, 1 - y0),
        90: (y0, x0, y1, x1),
        180: (1 - x1, y0, 1 - x0, y1),
        270: (1 - y1, 1 - x1, 1 - y0, 1 - x0),
    }
    return np.column_stack(sides[rotation])
