"""Columns of a table without upright rules: strips that no word of its rows crosses. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from documents.table_words import TextRow, Word

CLEAR_GAP = 0.5
"""In every row the words at both sides of a strip are this far apart, in letter heights..."""
NUMBER_GAP = 0.2
"""... or this far, where numbers stand behind it in most rows."""
SURE_GAP = 0.9
"""A strip that is anywhere narrower than this may part the words of one cell."""
NARROWEST = 0.08
"""The strip itself, free in all rows, is at least this wide."""
SPOILING = 0.1
"""Share of the rows that may cross a strip: they are rows of one wide cell."""

_NUMBER = re.compile(
    r"^[<>≤≥=~≈±+\-−–(\[]*[$€£¥]?[\d.]*\d[\d.,:/×%‰°)\]*†‡§¶a-d–−-]*$|^[-–—−.…/*✓✗×√]+$"
    r"|^(?:NA|N/A|n\.?s\.?|n/a|nan|NaN|inf)$"
)


@dataclass(frozen=True, slots=True)
class Column:
    """`left` to `right` is all that belongs to it, `x0` to `x1` where its words stand."""

    left: float
    right: float
    x0: float
    x1: float
    is_sure: bool = True
    """The strip on its left side is wide in every row."""

    @property
    def middle(self) -> float:
        return (self.x0 + self.x1) / 2


def is_number(text: str) -> bool:
    """Whether a word is a value: digits with their signs, a dash, "n.s."."""
    return _NUMBER.match(text) is not None


def find_columns(rows: Sequence[TextRow], left: float, right: float, height: float) -> list[Column]:
    """The columns of body `rows` inside a region; fewer than two if there is no clear strip."""
    several = [row for row in rows if len(row.words) > 1]
    edges: list[float] = []
    gaps: list[float] = []
    for a, b in _free_strips(several, height):
        gap = _clear_gap((a + b) / 2, several, height)
        if gap is not None:
            edges.append((a + b) / 2)
            gaps.append(gap)
    columns = columns_between(several, edges, left, right)
    sure = [True, *(gap >= SURE_GAP * height for gap in gaps)]
    return [replace(column, is_sure=flag) for column, flag in zip(columns, sure, strict=True)]


def columns_between(
    rows: Sequence[TextRow], edges: Sequence[float], left: float, right: float
) -> list[Column]:
    """Columns parted at `edges`, with the extent of the words in them."""
    borders = [left, *edges, right]
    columns: list[Column] = []
    for a, b in pairwise(borders):
        inside = [word for row in rows for word in row.words if a <= word.middle < b]
        if inside:
            x0, x1 = min(word.x0 for word in inside), max(word.x1 for word in inside)
        else:
            x0, x1 = a, b
        columns.append(Column(a, b, x0, x1))
    return columns


def _free_strips(rows: Sequence[TextRow], height: float) -> list[tuple[float, float]]:
    """Strips between the first and the last column that hardly any row crosses."""
    spoilt = int(SPOILING * len(rows))
    events: list[tuple[float, int]] = []
    for row in rows:
        for x0, x1 in _covered(row, 0.0):
            events += [(x0, 1), (x1, -1)]
    events.sort()
    strips: list[tuple[float, float]] = []
    depth, free_from = 0, None
    for x, step in events:
        before, depth = depth, depth + step
        if before > spoilt >= depth:
            free_from = x
        elif before <= spoilt < depth and free_from is not None:
            if x - free_from >= NARROWEST * height:
                strips.append((free_from, x))
            free_from = None
    return strips


def _covered(row: TextRow, gap: float) -> list[tuple[float, float]]:
    covered: list[tuple[float, float]] = []
    for word in row.words:
        if covered and word.x0 - covered[-1][1] <= gap:
            covered[-1] = (covered[-1][0], max(covered[-1][1], word.x1))
        else:
            covered.append((word.x0, word.x1))
    return covered


def _clear_gap(middle: float, rows: Sequence[TextRow], height: float) -> float | None:
    """How far the words at both sides are apart at least; None if they are too near in a row."""
    beside: list[tuple[Word, Word]] = []
    for row in rows:
        before = [word for word in row.words if word.middle < middle]
        after = [word for word in row.words if word.middle >= middle]
        if before and after:
            last = max(before, key=lambda word: word.x1)
            first = min(after, key=lambda word: word.x0)
            beside.append((last, first))
    if not beside:
        return None
    numbers = sum(is_number(after.text) and after.text[0] not in "([（" for _, after in beside)
    numeric = numbers >= 0.7 * len(beside) and len(beside) >= 3
    needed = NUMBER_GAP if numeric else CLEAR_GAP
    gaps = sorted(first.x0 - last.x1 for last, first in beside)
    spoilt = min(int(SPOILING * len(rows)), len(gaps) - 1)
    return gaps[spoilt] if gaps[spoilt] >= needed * height else None
