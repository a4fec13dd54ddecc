"""Text that a page says twice at one place, though a reader sees it once. Pure."""

import numpy as np

from documents.pages.raw_text import SPACE, Flags, Floats, RawText

MOST_COVERED = 0.5
"""Share of its letters from which on a hidden line counts as written under visible text."""
RASTER = 2.0
MOST_RASTER = 4000
SAME_PLACE = 0.12
"""Two equal letters nearer than this, in font sizes, are one letter drawn twice."""


def overprinted(raw: RawText) -> Flags:
    """Which letters stand where an equal one was drawn before: fake bold, doubled layers."""
    doubled = np.zeros(len(raw.codes), bool)
    inked = np.flatnonzero(raw.codes != SPACE)
    if len(inked) < 2:
        return doubled
    x, y = raw.boxes[inked, 0], raw.boxes[inked, 1]
    near = SAME_PLACE * np.maximum(raw.size[inked], 0.5)
    bucket = float(np.median(near)) * 4
    for shift in (0.0, 0.5):
        rows = np.floor(y / bucket + shift)
        order = np.lexsort((x, rows, raw.codes[inked]))
        same = (
            (np.diff(raw.codes[inked][order]) == 0)
            & (np.abs(np.diff(x[order])) < near[order][1:])
            & (np.abs(np.diff(y[order])) < near[order][1:])
        )
        starts = np.flatnonzero(np.concatenate(([True], ~same)))
        first = np.minimum.reduceat(order, starts)
        members = np.diff(np.append(starts, len(order)))
        doubled[inked[order]] |= order != np.repeat(first, members)
    return doubled


def under_visible_text(raw: RawText) -> Flags:
    """Which letters belong to hidden lines that lie under text that can be seen.

    Text recognition adds such lines even to pages that had text: they say the same once more.
    """
    hidden = raw.hidden[raw.style] if len(raw.hidden) else np.zeros(len(raw.codes), bool)
    inked = raw.codes != SPACE
    mine, seen = np.flatnonzero(hidden & inked), np.flatnonzero(~hidden & inked)
    if not len(mine) or not len(seen):
        return np.zeros(len(raw.codes), bool)
    covered = _covered(raw.boxes[mine], raw.boxes[seen])
    lines = len(raw.direction)
    letters = np.bincount(raw.line[mine], minlength=lines)
    doubled = np.bincount(raw.line[mine], weights=covered, minlength=lines)
    under: Flags = hidden & (doubled > MOST_COVERED * letters)[raw.line]
    return under


def _covered(boxes: Floats, others: Floats) -> Flags:
    """Whether the middle of each box lies in one of the others, to a raster of `RASTER` points."""
    extent = np.ceil(np.maximum(boxes.max(axis=0), others.max(axis=0))[2:] / RASTER).astype(int) + 2
    raster = np.zeros(np.clip(extent[::-1], 1, MOST_RASTER), bool)
    places = np.clip(np.floor(others / RASTER), 0, MOST_RASTER - 1).astype(int)
    for x0, y0, x1, y1 in places.tolist():
        raster[y0 : y1 + 1, x0 : x1 + 1] = True
    middle = np.floor((boxes[:, :2] + boxes[:, 2:]) / (2 * RASTER)).astype(int)
    x, y = np.clip(middle, 0, np.array(raster.shape[::-1]) - 1).T
    covered: Flags = raster[y, x]
    return covered
