"""What the OCR process can do with a page. Runs in that child only: both libraries are here."""

from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import pymupdf

from documents.engines.ocr_engine import Picture, read_lines
from documents.engines.ocr_lines import as_raw_text
from documents.isolated.pdf_operations import open_document
from documents.pages.page_reading import read_page
from documents.pages.page_text import PageState, Reason

Answer = tuple[dict[str, Any], bytes]

_pymupdf: Any = pymupdf  # it carries no usable types

DPI = 200
MOST_PIXELS = 12_000_000
"""Bounds of the picture that is read: printed at 200 dots an inch, a letter is sharp enough."""


def ocr_text(path: str, number: int) -> Answer:
    """What `page_text` gives, read off the picture of page `number`. The state is `ocr`.

    `no_text` if no letter was found, `unsupported_rotation` if most lines run at an angle.
    """
    page = open_document(path)[number - 1]
    bound = page.rect
    values = {
        "label": page.get_label(),
        "width": bound.width,
        "height": bound.height,
        "rotation": page.rotation,
    }
    picture, scale = _picture(page)
    raw = as_raw_text(read_lines(picture), width=bound.width, height=bound.height, scale=scale)
    read = read_page(raw, number=number)
    found = any(letter.isalnum() for letter in read.text)
    state, reason = (PageState.OCR, "") if found else (PageState.NO_TEXT, Reason.NOTHING_FOUND)
    if read.state is PageState.UNSUPPORTED_ROTATION:
        state, reason = read.state, read.reason
    values |= {**read.as_json(), "state": str(state), "reason": str(reason)}
    return values, np.ascontiguousarray(read.boxes, dtype="<f4").tobytes()


def _picture(page: Any) -> tuple[Picture, float]:
    """The displayed page in blue, green and red, and how many pixels are a point."""
    width, height = page.rect.width, page.rect.height
    scale = min(DPI / 72, (MOST_PIXELS / (width * height)) ** 0.5)
    pixels = page.get_pixmap(matrix=_pymupdf.Matrix(scale, scale), alpha=False, annots=False)
    red_first = np.frombuffer(pixels.samples, np.uint8).reshape(pixels.height, pixels.width, 3)
    picture: Picture = cv2.cvtColor(red_first, cv2.COLOR_RGB2BGR).astype(np.uint8)
    return picture, scale


OPERATIONS: dict[str, Callable[..., Answer]] = {"ocr_text": ocr_text}
