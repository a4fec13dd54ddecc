"""What the reader process can do with a file. Runs in the child only: the PDF library is here."""

from collections.abc import Callable
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pymupdf
from PIL import Image

from documents.isolated.pdf_drawings import drawn_rules
from documents.pages.page_reading import read_page
from documents.pages.page_text import PageState
from documents.pages.pdf_text import raw_text, reason_without_text
from documents.pages.raw_text import RawText
from documents.pages.type_sizes import usual_size
from documents.tables.reading import may_have_tables, tables_on
from documents.tables.table_blocks import with_table_blocks

Answer = tuple[dict[str, Any], bytes]

_pymupdf: Any = pymupdf  # it carries no usable types
_pymupdf.TOOLS.mupdf_display_errors(on=False)
_pymupdf.TOOLS.mupdf_display_warnings(on=False)

_open: dict[tuple[str, int, int], Any] = {}
"""The file that the last request was about, by path, size and time of change: at most one."""
_surveyed: dict[int, RawText] = {}
"""Pages of that file that a survey read and nobody asked for since, by number."""
SURVEYED_PAGES = 8


def open_document(path: str) -> Any:
    """The document at `path`, kept open for the following requests."""
    stat = Path(path).stat()
    key = (path, stat.st_size, stat.st_mtime_ns)
    if key not in _open:
        forget_document()
        _open[key] = _pymupdf.open(path, filetype="pdf")
    return _open[key]


def forget_document() -> None:
    """Close the file that was open."""
    for document in _open.values():
        document.close()
    _open.clear()
    _surveyed.clear()


def inspect(path: str) -> Answer:
    """`locked`, and if not locked `pages` and whether the library took it for a PDF."""
    document = open_document(path)
    if document.needs_pass:
        return {"locked": True}, b""
    return {"locked": False, "is_pdf": bool(document.is_pdf), "pages": document.page_count}, b""


def describe(path: str) -> Answer:
    """What the file says about itself: page count, page labels, PDF info."""
    document = open_document(path)
    info = {key: str(value) for key, value in (document.metadata or {}).items() if value}
    return {"pages": document.page_count, "info": info}, b""


def survey(path: str) -> Answer:
    """`size`: the type size in points of most of the text, judged from a few pages."""
    document = open_document(path)
    _surveyed.clear()
    count = min(SURVEYED_PAGES, document.page_count)
    numbers = {round((place + 0.5) * document.page_count / count + 0.5) for place in range(count)}
    for number in sorted(numbers):
        _surveyed[number] = raw_text(document[number - 1])
    return {"size": usual_size(_surveyed.values())}, b""


def page_text(path: str, number: int, usual: float = 0.0) -> Answer:
    """Text, blocks and tables of page `number` (from 1); the payload holds the boxes as float32.

    `usual` is what `survey` says; without it the page is judged by itself.
    """
    page = open_document(path)[number - 1]
    raw = _surveyed.pop(number) if number in _surveyed else raw_text(page)
    read = read_page(raw, number=number, usual=usual)
    bound = page.rect
    if read.state is PageState.NO_TEXT:
        read = replace(read, reason=reason_without_text(page))
    elif may_have_tables(read):
        tables = tables_on(read, drawn_rules(page), width=bound.width, height=bound.height)
        read = replace(
            read, tables=tables, blocks=with_table_blocks(read.boxes, read.blocks, tables)
        )
    values = {
        "label": page.get_label(),
        "width": bound.width,
        "height": bound.height,
        "rotation": page.rotation,
        **read.as_json(),
    }
    return values, np.ascontiguousarray(read.boxes, dtype="<f4").tobytes()


def page_size(path: str, number: int) -> Answer:
    """Width and height of the displayed page in points."""
    bound = open_document(path)[number - 1].rect
    return {"width": bound.width, "height": bound.height}, b""


def render(path: str, number: int, width: int, max_height: int) -> Answer:
    """The page as WebP, `width` pixels wide, but at most `max_height` high."""
    page = open_document(path)[number - 1]
    _hide_text_markup(page)
    bound = page.rect
    scale = min(width / bound.width, max_height / bound.height)
    pixels = page.get_pixmap(matrix=_pymupdf.Matrix(scale, scale), alpha=False)
    image = Image.frombytes("RGB", (pixels.width, pixels.height), pixels.samples)
    encoded = BytesIO()
    image.save(encoded, "WEBP", quality=82, method=1)
    return {"width": pixels.width, "height": pixels.height}, encoded.getvalue()


def _hide_text_markup(page: Any) -> None:
    """Leave out what readers of the file marked: it would look like the marks of a cited place."""
    kinds = (
        _pymupdf.PDF_ANNOT_HIGHLIGHT,
        _pymupdf.PDF_ANNOT_UNDERLINE,
        _pymupdf.PDF_ANNOT_SQUIGGLY,
        _pymupdf.PDF_ANNOT_STRIKE_OUT,
    )
    for mark in page.annots(types=kinds):
        mark.set_flags(mark.flags | _pymupdf.PDF_ANNOT_IS_HIDDEN)


OPERATIONS: dict[str, Callable[..., Answer]] = {
    "inspect": inspect,
    "describe": describe,
    "survey": survey,
    "page_text": page_text,
    "page_size": page_size,
    "render": render,
}
