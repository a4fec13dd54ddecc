"""A page's letters out of the PDF library, as `RawText`. Runs in the reader process only."""

from itertools import chain
from operator import itemgetter
from typing import Any

import numpy as np
import pymupdf
from pymupdf import mupdf

from documents.pages.page_text import Reason
from documents.pages.raw_text import Floats, RawText

_pymupdf: Any = pymupdf  # it carries no usable types

FLAGS = (
    pymupdf.TEXT_PRESERVE_LIGATURES | pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP
)
"""Not TEXT_CID_FOR_UNKNOWN_UNICODE: it would pass glyph numbers off as letters."""

INKED = mupdf.FZ_STEXT_FILLED | mupdf.FZ_STEXT_STROKED | mupdf.FZ_STEXT_CLIPPED
"""Letters that are none of these are hidden: searchable text under a scan."""
Style = tuple[str, int, bool]
"""Font, the library's flags, hidden."""

ASCENT = (0.72, 0.88)
DESCENT = (0.18, 0.26)
"""Bounds, in font sizes, of how far a box reaches above and below the base line."""
ABOVE_BASE_LINE = 0.88
"""Share of its square by which a Chinese letter stands above the base line."""

MOST_EMPTY_INK = 0.0002
"""Share of a page's picture that may differ from its ground though the page counts as blank."""
GLANCE_PIXELS = 400
"""Longer side of the picture on which ink is looked for."""


def raw_text(page: Any) -> RawText:
    """All letters of the page's own content; annotations and form fields are not its text."""
    bound = mupdf.fz_bound_page(page.this)
    styles: dict[Style, int] = {}
    chars: list[dict[str, Any]] = []
    spans: list[tuple[int, int, float, int, float, float]] = []
    lines: list[tuple[float, float, int, int]] = []
    for block in _blocks(page, bound):
        for line in block.get("lines", ()):
            for span in line["spans"]:
                look = (span["font"], span["flags"], not span["char_flags"] & INKED)
                style = styles.setdefault(look, len(styles))
                count = len(span["chars"])
                metrics = (span["size"], style, span["ascender"], span["descender"])
                spans.append((count, len(lines), *metrics))
                chars.extend(span["chars"])
            lines.append((*line["dir"], line["wmode"], block["number"]))
    return _as_arrays(bound, chars, spans, lines, list(styles))


def _blocks(page: Any, bound: Any) -> list[dict[str, Any]]:
    text_page = mupdf.FzStextPage(bound)
    device = mupdf.fz_new_stext_device(text_page, mupdf.FzStextOptions(FLAGS))
    plain = page.this if isinstance(page.this, mupdf.FzPage) else page.this.super()
    mupdf.fz_run_page_contents(plain, device, mupdf.FzMatrix(), mupdf.FzCookie())
    mupdf.fz_close_device(device)
    blocks: list[dict[str, Any]] = _pymupdf.TextPage(text_page).extractRAWDICT()["blocks"]
    return blocks


def _as_arrays(
    bound: Any,
    chars: list[dict[str, Any]],
    spans: list[tuple[int, int, float, int, float, float]],
    lines: list[tuple[float, float, int, int]],
    styles: list[Style],
) -> RawText:
    n = len(chars)
    codes = np.fromiter(map(ord, map(itemgetter("c"), chars)), np.int32, n)
    boxes = _floats(chars, "bbox", 4)
    origins = _floats(chars, "origin", 2)
    columns = np.array(spans, np.float64).reshape(-1, 6)
    line, size, style, ascent, descent = np.repeat(
        columns[:, 1:], columns[:, 0].astype(np.int64), axis=0
    ).T
    line_columns = np.array(lines, np.float32).reshape(-1, 4)
    direction = line_columns[:, :2]
    line_index = line.astype(np.int32)
    vertical = line_columns[:, 2] > 0
    upright = ~vertical[line_index]
    up = np.clip(ascent, *ASCENT) * size
    down = np.clip(-descent, *DESCENT) * size
    for axis in (0, 1):
        extent = boxes[:, axis + 2] - boxes[:, axis]
        sane = upright & (extent > 0.5 * size) & (extent < 3 * size)
        turn = direction[line_index, 1 - axis]
        _hug(boxes, origins, np.flatnonzero(sane & (np.abs(turn) > 0.999)), axis, (turn, up, down))
    _raise_vertical(boxes, direction[line_index], size, vertical[line_index])
    boxes -= np.array([bound.x0, bound.y0, bound.x0, bound.y0], np.float32)
    return RawText(
        width=bound.x1 - bound.x0,
        height=bound.y1 - bound.y0,
        codes=codes,
        boxes=boxes,
        line=line_index,
        size=size.astype(np.float32),
        style=style.astype(np.int32),
        direction=direction,
        vertical=vertical,
        group=line_columns[:, 3].astype(np.int32),
        bold=np.array([_is_bold(font, flags) for font, flags, _ in styles], bool),
        italic=np.array([bool(flags & pymupdf.TEXT_FONT_ITALIC) for _, flags, _ in styles], bool),
        hidden=np.array([hidden for _, _, hidden in styles], bool),
    )


def _raise_vertical(boxes: Floats, direction: Floats, size: Any, chosen: Any) -> None:
    """Put, in place, the boxes of top-down writing where its letters are drawn.

    The library begins a box at the letter's base line, where level writing has it, but the letter
    stands on that line: most of it comes before.
    """
    back = -ABOVE_BASE_LINE * direction[chosen] * size[chosen, None]
    boxes[chosen] += np.hstack((back, back)).astype(np.float32)


def _floats(chars: list[dict[str, Any]], key: str, width: int) -> Floats:
    flat = chain.from_iterable(map(itemgetter(key), chars))
    return np.fromiter(flat, np.float32, width * len(chars)).reshape(-1, width)


def _is_bold(font: str, flags: int) -> bool:
    name = font.lower()
    marks = ("bold", "black", "heavy", "semibold", "demi", "simhei", "heiti", "cmbx")
    return bool(flags & pymupdf.TEXT_FONT_BOLD) or any(mark in name for mark in marks)


def _hug(
    boxes: Floats, origins: Floats, chosen: Any, axis: int, reach: tuple[Any, Any, Any]
) -> None:
    """Replace, in place, the extent of the `chosen` boxes across their line.

    The library takes it from the font's own metrics, which in some fonts reach over the
    neighbouring lines. Text at an odd angle and vertical writing keep the library's boxes. `axis`
    is the one that lies across the line; `reach` are the line's course along the other axis and how
    far letters reach above and below the base line, in points.
    """
    turn, up, down = (values[chosen] for values in reach)
    # Downwards, seen along the line: +y for (1, 0); x falls for text that runs down (0, 1).
    sign = turn if axis == 1 else -turn
    base = origins[chosen, axis]
    ends = np.stack((base - sign * up, base + sign * down))
    boxes[chosen, axis] = ends.min(axis=0)
    boxes[chosen, axis + 2] = ends.max(axis=0)


def reason_without_text(page: Any) -> Reason:
    """Whether a page without text shows anything. No image of the page is unpacked for that."""
    if any(kind in ("fill-image", "fill-imgmask") for kind, _rect in page.get_bboxlog()):
        return Reason.PICTURE
    scale = GLANCE_PIXELS / max(page.rect.width, page.rect.height, 1)
    pixels = page.get_pixmap(
        matrix=_pymupdf.Matrix(scale, scale), colorspace=_pymupdf.csGRAY, alpha=False
    )
    grey = np.frombuffer(pixels.samples, np.uint8).astype(np.int32)
    ink = np.abs(grey - int(np.median(grey))) > 40
    return Reason.PICTURE if ink.mean() > MOST_EMPTY_INK else Reason.BLANK
