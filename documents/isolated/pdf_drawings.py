"""The lines drawn on a page, out of the PDF library. Runs in the reader process only."""

from collections.abc import Iterator
from typing import Any

import pymupdf
from pymupdf import mupdf

from documents.tables.drawn_rules import Rules, Stroke, joined_rules

_pymupdf: Any = pymupdf  # it carries no usable types

FLAGS = pymupdf.TEXT_MEDIABOX_CLIP | pymupdf.TEXT_COLLECT_VECTORS
MOST_CONTENT_BYTES = 3_000_000
"""Compressed page contents above this are maps or bombs: their lines are not asked for."""
WHITE = 0xFFFFFF


def drawn_rules(page: Any) -> Rules:
    """The straight lines that the page's own content draws; none for a page of excessive size."""
    if _content_bytes(page) > MOST_CONTENT_BYTES:
        return Rules()
    return joined_rules(_strokes(page))


def _strokes(page: Any) -> Iterator[Stroke]:
    bound = mupdf.fz_bound_page(page.this)
    text_page = mupdf.FzStextPage(bound)
    device = mupdf.fz_new_stext_device(text_page, mupdf.FzStextOptions(FLAGS))
    plain = page.this if isinstance(page.this, mupdf.FzPage) else page.this.super()
    mupdf.fz_run_page_contents(plain, device, mupdf.FzMatrix(), mupdf.FzCookie())
    mupdf.fz_close_device(device)
    for block in _pymupdf.TextPage(text_page).extractDICT()["blocks"]:
        if block["type"] == 3 and block["isrect"] and block["color"] != WHITE:
            x0, y0, x1, y1 = block["bbox"]
            box = (x0 - bound.x0, y0 - bound.y0, x1 - bound.x0, y1 - bound.y0)
            yield Stroke(box, outlined=block["stroked"])


def _content_bytes(page: Any) -> int:
    document = page.parent
    lengths = (document.xref_get_key(xref, "Length") for xref in page.get_contents())
    return sum(int(value) for kind, value in lengths if kind == "int")
