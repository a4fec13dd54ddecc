"""Boxes of characters: stored compactly, joined into the rectangles of a marker pen."""

import zlib
from collections.abc import Iterable
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from zlib_ng import zlib_ng

from documents.pages.page_text import Boxes, Rect

QUANTUM = 1 / 10_000
"""A stored coordinate is a multiple of this fraction of the page: .08 points on A4."""

_QUANTUM = np.float32(QUANTUM)

CLIMB = 0.6
"""A line whose end stands so much of its height above or below its start is drawn in steps."""
WIDEST_GAP = 0.05
"""A wider gap in a line, as a fraction of the page, parts two rectangles: it is no word gap."""
NEAR = 0.012
"""Pieces of one line, parted by raised and lowered signs, stand no farther apart than this."""
LEAST_LIKE, TALLEST_JOINED = 0.4, 1.6
"""Such pieces are at least so high, and together at most so high, measured by the higher one."""
TALL = 2.0
"""A sign so many times as high as its line, such as a bracket around a fraction, does not lift it.
"""
ENDS = 4
"""Letters at either end of a line that tell whether it climbs; one alone may be raised."""


def pack_boxes(boxes: Boxes) -> bytes:
    """Store boxes of shape (n, 4), fractions of the page, within half a `QUANTUM`.

    In a line of text the gap to the letter before, the height and the upper edge hardly change and
    widths repeat: so these four are stored, as zigzag 16-bit numbers, low bytes first.
    """
    x0, y0, x1, y1 = np.rint(np.asarray(boxes, dtype=np.float64).T / QUANTUM).astype(np.int32)
    height = y1 - y0
    gaps = x0 - np.concatenate(([0], x1[:-1]))
    plain = np.concatenate((gaps, x1 - x0, _steps(y0), _steps(height)))
    zigzag = ((plain << 1) ^ (plain >> 31)).astype("<u2")
    return zlib.compress(zigzag.view(np.uint8).reshape(-1, 2).T.tobytes(), 6)


def unpack_boxes(packed: bytes) -> Boxes:
    """The boxes that `pack_boxes` stored, shape (n, 4)."""
    if not packed:
        return np.zeros((0, 4), np.float32)
    return PackedBoxes(packed)[:]


class PackedBoxes:
    """Boxes that `pack_boxes` stored; only those that are asked for become fractions."""

    def __init__(self, packed: bytes) -> None:
        plain_bytes = zlib_ng.decompress(packed) if packed else b""
        planes = np.frombuffer(plain_bytes, np.uint8).reshape(2, -1)
        zigzag = planes[1].astype(np.uint16)
        zigzag <<= 8
        zigzag |= planes[0]
        plain = (zigzag >> 1).view(np.int16)
        plain ^= -(zigzag & 1).view(np.int16)
        gaps, self._width, upper, taller = plain.reshape(4, -1)
        self._right = np.add.accumulate(gaps.astype(np.int32) + self._width)
        self._upper = np.add.accumulate(upper, dtype=np.int32)
        self._height = np.add.accumulate(taller, dtype=np.int32)

    def __len__(self) -> int:
        return len(self._right)

    def row(self, index: int) -> tuple[float, float, float, float]:
        """The box of one character: quicker than a range of one."""
        right, upper = int(self._right[index]), int(self._upper[index])
        left, lower = right - int(self._width[index]), upper + int(self._height[index])
        return left * QUANTUM, upper * QUANTUM, right * QUANTUM, lower * QUANTUM

    def __getitem__(self, chosen: slice) -> Boxes:
        """The boxes of a range of characters."""
        right, upper = self._right[chosen], self._upper[chosen]
        boxes = np.empty((len(right), 4), np.float32)
        np.multiply(right - self._width[chosen], _QUANTUM, out=boxes[:, 0])
        np.multiply(upper, _QUANTUM, out=boxes[:, 1])
        np.multiply(right, _QUANTUM, out=boxes[:, 2])
        np.multiply(upper + self._height[chosen], _QUANTUM, out=boxes[:, 3])
        return boxes


def _steps(values: NDArray[np.int32]) -> NDArray[np.int32]:
    return np.diff(values, prepend=np.zeros(1, np.int32))


def line_rects(boxes: Boxes, groups: Iterable[tuple[int, int]] | None = None) -> list[Rect]:
    """Join character boxes, in reading order, into one rectangle per line run.

    A line ends at a line end (a box without width and height), where the next box does not overlap
    vertically by half of the smaller one, where it lies before the last one, or behind a gap wider
    than `WIDEST_GAP`. Other boxes of zero width are skipped. `groups` are index ranges that must
    not be joined. Rectangles of neighbouring lines never overlap; turned text gives tall ones, and
    a line that climbs or falls several small ones.
    """
    exact = boxes.astype(np.float64)
    ranges = [(0, len(exact))] if groups is None else groups
    return [rect for start, end in ranges for rect in _rects_of_run(exact[start:end])]


def _rects_of_run(boxes: NDArray[np.float64]) -> list[Rect]:
    inked = (boxes[:, 2] > boxes[:, 0]) & (boxes[:, 3] > boxes[:, 1])
    if not inked.any():
        return []
    # Turned text is ordinary text once the axes are swapped, backward text once they are mirrored.
    letters = boxes[inked]
    middles = letters[:, :2] + letters[:, 2:]
    steps = middles[1:] - middles[:-1]
    most = len(steps) / 2
    turned = bool(np.count_nonzero(np.abs(steps[:, 1]) > np.abs(steps[:, 0])) > most)
    seen = boxes[:, [1, 0, 3, 2]] if turned else boxes
    backward = bool(np.count_nonzero(steps[:, 1 if turned else 0] < 0) > most)
    if backward:
        seen = np.column_stack((-seen[:, 2], seen[:, 1], -seen[:, 0], seen[:, 3]))
    rects = _lines(seen)
    _part_overlapping(rects)
    if backward:
        rects = [[-x1, y0, -x0, y1] for x0, y0, x1, y1 in rects]
    if turned:
        rects = [[y0, x0, y1, x1] for x0, y0, x1, y1 in rects]
    return [(x0, y0, x1, y1) for x0, y0, x1, y1 in rects]


def _lines(boxes: NDArray[np.float64]) -> list[list[float]]:
    """Boxes of ordinary text joined line by line."""
    flat = boxes[:, 3] <= boxes[:, 1]
    inked = np.flatnonzero((boxes[:, 2] > boxes[:, 0]) & ~flat)
    line_ends = np.cumsum(flat)[inked]
    seen = boxes[inked]
    opens = np.concatenate(([True], (np.diff(line_ends) > 0) | ~_continues(seen[:-1], seen[1:])))
    begins = np.flatnonzero(opens)
    lower = np.minimum.reduceat(seen[:, :2], begins)
    upper = np.maximum.reduceat(seen[:, 2:], begins)
    heights = seen[:, 3] - seen[:, 1]
    ends = np.append(begins[1:], len(seen))
    middles = (seen[:, 1] + seen[:, 3]) / 2
    drift = np.abs(middles[ends - 1] - middles[begins])
    tallest = np.maximum.reduceat(heights, begins)
    odd = (drift > CLIMB * tallest) | (tallest > TALL * np.minimum.reduceat(heights, begins))
    lines: list[list[float]] = np.hstack((lower, upper)).tolist()
    joined: list[list[float]] = []
    for line, is_odd, begin, end in zip(
        lines, odd.tolist(), begins.tolist(), ends.tolist(), strict=True
    ):
        letters = seen[begin:end]
        if is_odd and _climbs(letters):
            joined += _steps_of(letters)
            continue
        piece = _without_tall(line, letters) if is_odd else line
        if joined and _is_piece_of(joined[-1], piece):
            joined[-1] = [
                *map(min, joined[-1][:2], piece[:2]),
                *map(max, joined[-1][2:], piece[2:]),
            ]
        else:
            joined.append(piece)
    return joined


def _climbs(letters: NDArray[np.float64]) -> bool:
    """Whether the line ends higher or lower than it begins, raised and lowered signs aside."""
    middles = (letters[:, 1] + letters[:, 3]) / 2
    highest = float(np.max(letters[:, 3] - letters[:, 1]))
    if len(letters) < 2 * ENDS:
        return False
    drift = abs(float(np.median(middles[-ENDS:]) - np.median(middles[:ENDS])))
    return drift > CLIMB * highest


def _without_tall(line: list[float], letters: NDArray[np.float64]) -> list[float]:
    """The line as high as its letters are without signs that reach over several lines."""
    heights = letters[:, 3] - letters[:, 1]
    kept = letters[heights <= TALL * float(np.median(heights))]
    return [line[0], float(kept[:, 1].min()), line[2], float(kept[:, 3].max())]


def _is_piece_of(line: list[float], piece: list[float]) -> bool:
    """Whether a piece is of the same line: text orders put raised and lowered signs apart."""
    overlap = min(line[3], piece[3]) - max(line[1], piece[1])
    low, high = sorted((line[3] - line[1], piece[3] - piece[1]))
    apart = max(line[0], piece[0]) - min(line[2], piece[2])
    together = max(line[3], piece[3]) - min(line[1], piece[1])
    is_like = low >= LEAST_LIKE * high and together <= TALLEST_JOINED * high
    return is_like and overlap >= low / 2 and apart <= NEAR


def _steps_of(boxes: NDArray[np.float64]) -> list[list[float]]:
    """The rectangles of a line that climbs or falls, as one of a crooked scan does: one around all
    of it would hold words of other lines."""
    middles = (boxes[:, 1] + boxes[:, 3]) / 2
    height = float(np.max(boxes[:, 3] - boxes[:, 1]))
    begins = [0]
    for index, middle in enumerate(middles.tolist()):
        if abs(middle - middles[begins[-1]]) > CLIMB / 2 * height:
            begins.append(index)
    lower = np.minimum.reduceat(boxes[:, :2], begins)
    upper = np.maximum.reduceat(boxes[:, 2:], begins)
    rects: list[list[float]] = np.hstack((lower, upper)).tolist()
    for one, other in pairwise(rects):
        one[2] = min(one[2], max(other[0], one[0]))
    return rects


def _continues(last: NDArray[np.float64], box: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Whether each of the boxes goes on in the line of the one before it."""
    overlap = np.minimum(last[:, 3], box[:, 3]) - np.maximum(last[:, 1], box[:, 1])
    smaller = np.minimum(last[:, 3] - last[:, 1], box[:, 3] - box[:, 1])
    is_level: NDArray[np.bool_] = overlap >= smaller / 2
    is_behind = box[:, 0] >= last[:, 0] - (last[:, 2] - last[:, 0]) / 2
    return is_level & is_behind & (box[:, 0] - last[:, 2] <= WIDEST_GAP)


def _part_overlapping(lines: list[list[float]]) -> None:
    """Let a line that reaches into the one before it, and that one, end half way."""
    for upper, lower in pairwise(lines):
        if upper[1] < lower[1] < upper[3] < lower[3] and min(upper[2], lower[2]) > max(
            upper[0], lower[0]
        ):
            upper[3] = lower[1] = (upper[3] + lower[1]) / 2
