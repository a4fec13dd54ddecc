"""Page text as lines that a browser can lay over the page image. Pure data.

One line per run of characters along one baseline, so that selecting and copying gives page text.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from documents.pages.line_ends import joints
from documents.pages.page_text import Boxes

Points = NDArray[np.float64]
"""Boxes in points of the displayed page."""
DESCENT = 0.21
"""The part of a character's box that usually hangs under the baseline."""
_PIECE = re.compile(r"[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]{1,5}\s*|[^\s\u2e80-\u9fff]+\s*|\s+")
COLUMN_GAP = 2.5
"""A space wider than this many line heights starts a new run."""


@dataclass(frozen=True, slots=True)
class TextWord:
    """A word with the space behind it, from its own start to the start of the next."""

    text: str
    x: float
    length: float


@dataclass(frozen=True, slots=True)
class TextLine:
    """A run of text in points of the displayed page: baseline start, length along it, size.

    `turn` is the angle in degrees, clockwise, by which the run is turned around its start. `joint`
    stands between the run and the next one where both are read on: a space, nothing, or `-` where
    its last sign, a hyphen, goes too.
    """

    text: str
    x: float
    y: float
    length: float
    size: float
    words: tuple[TextWord, ...]
    turn: int = 0
    joint: str = " "


def text_lines(text: str, boxes: Boxes, *, width: float, height: float) -> list[TextLine]:
    """Lines of `text` placed by `boxes` (fractions of the page); the page's size is in points."""
    scaled = np.asarray(boxes, dtype=np.float64)[: len(text)] * (width, height, width, height)
    joined = joints(text)
    return [
        replace(line, joint=joined.get(end, " "))
        for start, end in _runs(text, scaled)
        if (line := _line(text[start:end], scaled[start:end])) is not None
    ]


def _runs(text: str, boxes: Points) -> Iterator[tuple[int, int]]:
    """Ranges of code points between line ends, cut where the text jumps to the left or far away."""
    start = 0
    for end in (*(i for i, sign in enumerate(text) if sign == "\n"), len(text)):
        cuts = [start, *_jumps(boxes, start, min(end, len(boxes))), end]
        yield from pairwise(cuts)
        start = end + 1


def _jumps(boxes: Points, start: int, end: int) -> Iterator[int]:
    inked = [i for i in range(start, end) if boxes[i, 2] > boxes[i, 0]]
    for before, after in pairwise(inked):
        a, b = boxes[before], boxes[after]
        size = max(a[3] - a[1], b[3] - b[1], 1e-6)
        beside = min(a[3], b[3]) - max(a[1], b[1]) > 0
        if beside and (b[0] - a[2] > COLUMN_GAP * size or b[2] < a[0]):
            yield after


def _line(text: str, boxes: Points) -> TextLine | None:
    inked = boxes[(boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1])]
    if not text.strip() or not len(inked):
        return None
    x0, y0, x1, y1 = (float(edge) for edge in (*inked[:, :2].min(0), *inked[:, 2:].max(0)))
    first, last = inked[0], inked[-1]
    if len(inked) > 1 and (y1 - y0) > 1.6 * (x1 - x0):
        size, length = x1 - x0, y1 - y0
        down = last[1] >= first[1]
        x, y = (x0 + size * DESCENT, y0) if down else (x1 - size * DESCENT, y1)
        return TextLine(text, x, y, length, size, (TextWord(text, x, length),), 90 if down else -90)
    size = float(np.median(inked[:, 3] - inked[:, 1]))
    y = float(np.median(inked[:, 3])) - size * DESCENT
    return TextLine(text, x0, y, x1 - x0, size, tuple(_words(text, boxes, x1)))


def _words(text: str, boxes: Points, end: float) -> Iterator[TextWord]:
    """Pieces that cover the run without gap or overlap: words, and a few Han characters each."""
    pieces = [found.span() for found in _PIECE.finditer(text)]
    starts = [_start(boxes[start:stop]) for start, stop in pieces]
    placed = [(piece, x) for piece, x in zip(pieces, starts, strict=True) if x is not None]
    for ((start, _), x), (following, next_x) in pairwise([*placed, ((len(text), 0), end)]):
        yield TextWord(text[start : following[0]], x, max(next_x - x, 0.01))


def _start(boxes: Points) -> float | None:
    inked = boxes[boxes[:, 2] > boxes[:, 0]]
    return float(inked[0, 0]) if len(inked) else None
