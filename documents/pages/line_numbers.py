"""Line numbers of drafts: found by their alignment and regular steps, and set apart. Pure."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from documents.pages.raw_text import SPACE, RawText
from documents.pages.segments import Segment

FEWEST = 8
"""So many numbers in a column, at least, are taken for line numbers."""
ALIGNED = 3.0
"""Points within which their edges agree."""
MOST_DIGITS = 5
ZERO, NINE = 0x30, 0x39


@dataclass(frozen=True, slots=True)
class _Number:
    """Digits at the start of segment `index`; `end` is the raw index behind them."""

    index: int
    value: int
    u0: float
    u1: float
    v0: float
    end: int


def set_line_numbers_apart(
    raw: RawText, segments: list[Segment]
) -> tuple[list[Segment], list[Segment]]:
    """The page's own segments, and those that only number its lines."""
    numbers = _regular(_leading_numbers(raw, segments), segments)
    if not numbers:
        return segments, []
    by_index = {number.index: number for number in numbers}
    text: list[Segment] = []
    apart: list[Segment] = []
    for index, segment in enumerate(segments):
        number = by_index.get(index)
        if number is None:
            text.append(segment)
            continue
        apart.append(replace(segment, last=number.end - 1, u1=number.u1))
        if rest := _behind(raw, segment, number.end):
            text.append(rest)
    return text, apart


def _leading_numbers(raw: RawText, segments: list[Segment]) -> list[_Number]:
    starts = raw.codes[[segment.first for segment in segments]]
    possible = np.flatnonzero((starts >= ZERO) & (starts <= NINE)).tolist()
    if len(possible) < FEWEST:
        return []
    found = (_leading_number(raw, index, segments[index]) for index in possible)
    return [number for number in found if number is not None]


def _leading_number(raw: RawText, index: int, segment: Segment) -> _Number | None:
    codes = raw.codes[
        segment.first : min(segment.first + MOST_DIGITS + 1, segment.last + 1)
    ].tolist()
    digits = 0
    while digits < len(codes) and ZERO <= codes[digits] <= NINE:
        digits += 1
    if segment.turn != 0 or digits > MOST_DIGITS or codes[0] == ZERO:
        return None
    if digits < len(codes) and codes[digits] != SPACE:
        return None
    end = segment.first + digits
    value = int("".join(map(chr, codes[:digits])))
    right = float(raw.boxes[end - 1, 2])
    return _Number(index, value, segment.u0, right, segment.v0, end)


def _regular(numbers: list[_Number], segments: list[Segment]) -> list[_Number]:
    """The largest column of numbers if they count lines: aligned, outside, in regular steps."""
    for edge in ("u1", "u0"):
        for column in _columns(numbers, edge):
            if len(column) >= FEWEST and _counts_lines(column) and _is_outside(column, segments):
                return column
    return []


def _columns(numbers: list[_Number], edge: str) -> list[list[_Number]]:
    columns: list[list[_Number]] = []
    for number in sorted(numbers, key=lambda n: (getattr(n, edge), n.v0)):
        if columns and getattr(number, edge) - getattr(columns[-1][-1], edge) <= ALIGNED / 2:
            columns[-1].append(number)
        else:
            columns.append([number])
    return sorted(columns, key=len, reverse=True)[:2]


def _counts_lines(column: list[_Number]) -> bool:
    """Equal steps of value, equal steps down the page."""
    down = sorted(column, key=lambda number: number.v0)
    values = [lower.value - upper.value for upper, lower in pairwise(down)]
    drops = [lower.v0 - upper.v0 for upper, lower in pairwise(down)]
    step, drop = sorted(values)[len(values) // 2], sorted(drops)[len(drops) // 2]
    regular = sum(value == step for value in values)
    even = sum(abs(d - drop) < 0.2 * drop for d in drops)
    return step in (1, 2, 5, 10) and regular >= 0.85 * len(values) and even >= 0.6 * len(drops)


def _is_outside(column: list[_Number], segments: list[Segment]) -> bool:
    """Hardly any other text stands as far left, or as far right, as the numbers."""
    ours = {number.index for number in column}
    left, right = min(n.u0 for n in column), max(n.u1 for n in column)
    top, foot = min(n.v0 for n in column), max(n.v0 for n in column)
    others = [
        s for i, s in enumerate(segments) if i not in ours and s.turn == 0 and top <= s.v0 <= foot
    ]
    lefter = sum(segment.u0 < right for segment in others)
    righter = sum(segment.u1 > left for segment in others)
    return min(lefter, righter) <= 0.1 * max(len(others), len(column))


def _behind(raw: RawText, segment: Segment, end: int) -> Segment | None:
    """What is left of `segment` behind its number."""
    first = end
    while first <= segment.last and raw.codes[first] == SPACE:
        first += 1
    if first > segment.last:
        return None
    return replace(segment, first=first, u0=float(raw.boxes[first, 0]))
