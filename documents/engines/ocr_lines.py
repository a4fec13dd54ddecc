"""Recognised lines as the letters of a page, each with its box. Pure.

A recogniser says of each letter only about where its middle is. The edges between neighbours are
set by what the letters are (Chinese fills a square, an "i" a quarter of one), and the ends of words
by the width that the letter has in print.
"""

import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from documents.engines.ocr_columns import column_by_column
from documents.pages.raw_text import Floats, RawText

BOX_HEIGHT = 1.17
"""Height of a detected box in font sizes, measured on rendered papers."""
PADDING = 0.12
"""How far a detected box reaches beyond the first and the last letter, in font sizes."""
ALIKE = 0.2
"""Lines whose height differs less than this from the usual one are print of the usual size."""
MOST_ASKEW = 0.12
"""The rise of a crooked line, as a share of its length: about seven degrees."""
TURNS = np.array([[1, 0], [0, 1], [-1, 0], [0, -1]], np.float32)
"""Courses of lines that run right, down, left, up."""

_WIDTHS = {
    **dict.fromkeys("ijlI|!.,:;'`", 0.27),
    **dict.fromkeys('ftr()[]{}/\\-"°', 0.36),
    **dict.fromkeys("sczJ", 0.45),
    **dict.fromkeys("wABCDEFGHKLNOPQRSTUVXYZ&+=<>±×≤≥~", 0.66),
    **dict.fromkeys("mMW%@—", 0.86),
}
USUAL_WIDTH = 0.51
"""Widths of printed letters in font sizes: between Times and Helvetica."""


@dataclass(frozen=True, slots=True)
class SeenLine:
    """A line that was recognised on a picture.

    `corners` (4, 2) are pixels: where the line starts above, ends above, ends below, starts below,
    as its text runs. `centres` are shares of its length, one for each character of `text`, NaN
    where unknown. `score` is the recogniser's own confidence from 0 to 1.
    """

    text: str
    corners: Floats
    centres: Floats
    score: float

    @property
    def turn(self) -> int:
        """0, 1, 2, 3 for a line that runs right, down, left, up."""
        return int(np.argmax(TURNS @ (self.corners[1] - self.corners[0])))

    @property
    def length(self) -> float:
        return float(np.linalg.norm(self.corners[1] - self.corners[0]))

    @property
    def rect(self) -> tuple[float, float, float, float]:
        """The upright rectangle around it."""
        (x0, y0), (x1, y1) = self.corners.min(axis=0), self.corners.max(axis=0)
        return float(x0), float(y0), float(x1), float(y1)

    @property
    def height(self) -> float:
        return float(np.linalg.norm(self.corners[3] - self.corners[0]))


def as_raw_text(lines: list[SeenLine], *, width: float, height: float, scale: float) -> RawText:
    """The letters of a page of `width` x `height` points, whose picture has `scale` pixels a point.

    Lines come column by column, as an author's file would draw them.
    """
    lines = [_without_spaces_around(line) for line in lines if line.text.strip()]
    sizes = _font_sizes(lines)
    order = column_by_column([line.rect for line in lines], [line.turn for line in lines], sizes)
    lines, sizes = [lines[i] for i in order], [sizes[i] for i in order]
    counts = [len(line.text) for line in lines]
    boxes = [_letter_boxes(line, size) for line, size in zip(lines, sizes, strict=True)]
    text = "".join(line.text for line in lines)
    codes = np.frombuffer(text.encode("utf-32-le", "replace"), "<u4").astype(np.int32)
    turns = np.array([line.turn for line in lines], np.int32)
    return RawText(
        width=width,
        height=height,
        codes=codes,
        boxes=(np.concatenate(boxes) if boxes else np.zeros((0, 4), np.float32)) / scale,
        line=np.repeat(np.arange(len(lines), dtype=np.int32), counts),
        size=np.repeat(np.array(sizes, np.float32) / scale, counts),
        style=np.zeros(len(codes), np.int32),
        direction=np.where(_askew(lines)[:, None], _courses(lines), TURNS[turns].reshape(-1, 2)),
        vertical=np.zeros(len(lines), bool),
        group=np.arange(len(lines), dtype=np.int32),
        bold=np.zeros(1, bool),
        italic=np.zeros(1, bool),
        hidden=np.zeros(1, bool),
    )


def _courses(lines: list[SeenLine]) -> Floats:
    """Where lines run to, shape (n, 2), of length 1."""
    runs = [(line.corners[1] - line.corners[0]) / max(line.length, 1.0) for line in lines]
    return np.array(runs, np.float32).reshape(-1, 2)


def _askew(lines: list[SeenLine]) -> NDArray[np.bool_]:
    """Whether lines run at an angle for which upright boxes are no place to draw on.

    A short line is seen too roughly to tell.
    """
    across = np.abs(_courses(lines)).min(axis=1) if lines else np.zeros(0)
    long = np.array([line.length > 4 * line.height for line in lines], bool)
    askew: NDArray[np.bool_] = (across > MOST_ASKEW) & long
    return askew


def _without_spaces_around(line: SeenLine) -> SeenLine:
    start = len(line.text) - len(line.text.lstrip())
    end = len(line.text.rstrip())
    return SeenLine(line.text[start:end], line.corners, line.centres[start:end], line.score)


def _font_sizes(lines: list[SeenLine]) -> list[float]:
    """In pixels. A box is lower around letters without stems, so near the usual size is that."""
    if not lines:
        return []
    heights = np.array([line.height for line in lines])
    letters = np.array([len(line.text) for line in lines])
    order = np.argsort(heights)
    cumulated = np.cumsum(letters[order])
    usual = heights[order][int(np.searchsorted(cumulated, cumulated[-1] / 2))]
    alike = np.abs(heights - usual) < ALIKE * usual
    return [float(v) / BOX_HEIGHT for v in np.where(alike, usual, heights)]


# --- the letters of one line


def _letter_boxes(line: SeenLine, size: float) -> Floats:
    """Boxes (n, 4) in pixels of the picture, upright rectangles even where the line is askew."""
    edges = _edges(line, size) / max(line.length, 1.0)
    starts, ends = line.corners[[0, 3]], line.corners[[1, 2]]  # above and below
    courses = (ends - starts)[:, None, None]
    points = starts[:, None, None] + edges[None, :, :, None] * courses
    corners = points.transpose(1, 0, 2, 3).reshape(len(edges), 4, 2)
    return np.hstack((corners.min(axis=1), corners.max(axis=1))).astype(np.float32)


def _edges(line: SeenLine, size: float) -> Floats:
    """Where each letter starts and ends along the line, in pixels, shape (n, 2)."""
    widths = np.array([printed_width(letter) for letter in line.text], np.float32) * size
    middles = _middles(line, widths, size)
    edges = np.column_stack((middles - widths / 2, middles + widths / 2))
    spaces = np.array([letter.isspace() for letter in line.text], bool)
    for left, right in pairwise(np.flatnonzero(~spaces).tolist()):
        gap = middles[right] - middles[left]
        if right == left + 1 or edges[left, 1] > edges[right, 0]:
            share = widths[left] / (widths[left] + widths[right])
            edges[left, 1] = edges[right, 0] = middles[left] + share * gap
        edges[left + 1 : right, 0] = edges[left, 1]
        edges[left + 1 : right, 1] = edges[right, 0]
    low, high = 0.0, line.length
    return np.clip(edges, min(low + PADDING * size, high), max(high - PADDING * size, low))


def _middles(line: SeenLine, widths: Floats, size: float) -> Floats:
    """The middle of each letter along the line, in pixels; where not known, by the widths alone."""
    known = ~np.isnan(line.centres)
    by_width = np.cumsum(widths) - widths / 2
    room = max(line.length - 2 * PADDING * size, 1.0)
    by_width = PADDING * size + by_width * room / max(float(widths.sum()), 1.0)
    if not known.any():
        return by_width.astype(np.float32)
    places = np.arange(len(widths))
    middles = np.interp(places, places[known], line.centres[known] * line.length)
    return np.maximum.accumulate(middles).astype(np.float32)


@lru_cache(maxsize=4096)
def printed_width(letter: str) -> float:
    """Width of a letter in font sizes."""
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.0
    return _WIDTHS.get(letter, USUAL_WIDTH)
