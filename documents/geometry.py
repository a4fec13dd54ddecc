"""Boxes of characters: stored compactly, joined into the rectangles that a marker pen would draw."""

import zlib
from collections.abc import Iterable

import numpy as np

from documents.page_text import Boxes, Rect

QUANTUM = 1 / 20_000
"""A stored coordinate is a multiple of this fraction of the page: .03 points on A4."""


def pack_boxes(boxes: Boxes) -> bytes:
    """Store boxes of shape (n, 4), fractions of the page, within half a `QUANTUM`."""
    steps = np.rint(np.asarray(boxes, dtype=np.float64) / QUANTUM).astype(np.int32)
    deltas = np.diff(steps, axis=0, prepend=np.zeros((1, 4), np.int32)).astype("<i4")
    return zlib.compress(np.ascontiguousarray(deltas.T).tobytes(), 6)


def unpack_boxes(packed: bytes) -> Boxes:
    """The boxes that `pack_boxes` stored, shape (n, 4)."""
    if not packed:
        return np.zeros((0, 4), np.float32)
    deltas = np.frombuffer(zlib.decompress(packed), "<i4").reshape(4, -1).T
    return (np.cumsum(deltas, axis=0) * QUANTUM).astype(np.float32)


def line_rects(boxes: Boxes, groups: Iterable[tuple[int, int]] | None = None) -> list[Rect]:
    """Join character boxes, in reading order, into one rectangle per line run.

    Characters share a line while their boxes overlap vertically by half of the smaller one and the
    next one starts to the right of the last; zero-width boxes are skipped. `groups` are index
    ranges that must not be joined.
    """
    raise NotImplementedError
