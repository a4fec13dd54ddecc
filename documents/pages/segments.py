"""Stretches of drawn text, rows of them, and runs of rows: what reading order works on. Pure."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from documents.pages.letters import quarter_turns, seen_upright
from documents.pages.raw_text import SPACE, Floats, Integers, RawText

Indexes = NDArray[np.intp]

SPLIT_GAP = 2.0
"""A wider gap inside one drawn line, in font sizes, parts it."""
MOSTLY = 0.6
"""Share of its letters from which on a segment counts as bold or italic."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of one drawn line without wide gaps: letters `[first, last]` of the raw text.

    `u0, v0, u1, v1` is its box in points in a frame where its text runs to the right.
    """

    first: int
    last: int
    turn: int
    u0: float
    v0: float
    u1: float
    v1: float
    size: float
    bold: bool
    italic: bool
    group: int

    @property
    def letters(self) -> int:
        return self.last - self.first + 1

    @property
    def width(self) -> float:
        return self.u1 - self.u0


@dataclass(frozen=True, slots=True)
class Row:
    """Segments that stand side by side and are read as one line, and the box of them all."""

    segments: tuple[Segment, ...]
    u0: float
    v0: float
    u1: float
    v1: float
    size: float
    bold: bool
    italic: bool

    @classmethod
    def of(cls, segments: list[Segment]) -> Self:
        longest = max(segments, key=lambda segment: segment.letters)
        return cls(
            tuple(segments),
            min(segment.u0 for segment in segments),
            min(segment.v0 for segment in segments),
            max(segment.u1 for segment in segments),
            max(segment.v1 for segment in segments),
            longest.size,
            all(segment.bold for segment in segments),
            all(segment.italic for segment in segments),
        )

    @property
    def letters(self) -> int:
        return sum(segment.letters for segment in self.segments)

    def words(self, codes: Integers, most: int = 200) -> str:
        """The first `most` letters of the row, cells parted by a space."""
        parts = (codes[s.first : min(s.last + 1, s.first + most)] for s in self.segments)
        return " ".join("".join(map(chr, part.tolist())) for part in parts)[:most]


@dataclass(frozen=True, slots=True)
class Run:
    """Rows that follow each other in the file and on the page, and the box of them all.

    `margin` marks what is no part of the page's own text.
    """

    rows: tuple[Row, ...]
    u0: float
    v0: float
    u1: float
    v1: float
    size: float
    margin: bool = False

    @classmethod
    def of(cls, rows: list[Row], *, margin: bool = False) -> Self:
        return cls(
            tuple(rows),
            min(row.u0 for row in rows),
            min(row.v0 for row in rows),
            max(row.u1 for row in rows),
            max(row.v1 for row in rows),
            sorted(row.size for row in rows)[len(rows) // 2],
            margin,
        )


def find_segments(raw: RawText) -> list[Segment]:
    """The segments of a page in drawing order. Text at odd angles has `turn` -1."""
    inked = np.flatnonzero(raw.codes != SPACE)
    if not len(inked):
        return []
    turns = quarter_turns(raw)[raw.line[inked]]
    upright = seen_upright(raw.boxes[inked], turns)
    starts = _starts(raw, inked, upright)
    counts = np.diff(np.append(starts, len(inked)))

    def mean(values: Floats) -> list[float]:
        return list((np.add.reduceat(values.astype(np.float64), starts) / counts).tolist())

    columns = zip(
        inked[starts].tolist(),
        inked[starts + counts - 1].tolist(),
        turns[starts].tolist(),
        np.minimum.reduceat(upright[:, 0], starts).tolist(),
        mean(upright[:, 1]),
        np.maximum.reduceat(upright[:, 2], starts).tolist(),
        mean(upright[:, 3]),
        mean(raw.size[inked]),
        _mostly(mean(raw.bold[raw.style[inked]].astype(np.float32))),
        _mostly(mean(raw.italic[raw.style[inked]].astype(np.float32))),
        raw.group[raw.line[inked[starts]]].tolist(),
        strict=True,
    )
    return [Segment(*values) for values in columns]


def _mostly(shares: list[float]) -> list[bool]:
    return [share > MOSTLY for share in shares]


def _starts(raw: RawText, inked: Indexes, upright: Floats) -> Indexes:
    """Positions in `inked` where a segment begins: a new drawn line, or a wide gap inside one."""
    line = raw.line[inked]
    gap = upright[1:, 0] - upright[:-1, 2]
    broken = (np.diff(line) != 0) | (gap > SPLIT_GAP * raw.size[inked][1:])
    return np.flatnonzero(np.concatenate(([True], broken)))
