"""Columns of a table without upright rules: strips that no word of its rows crosses. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from documents.tables.table_words import CHINESE, TextRow, Word

CLEAR_GAP = 0.5
"""In every row the words at both sides of a strip are this far apart, in letter heights..."""
NUMBER_GAP = 0.2
"""... or this far, where numbers stand behind it in most rows."""
SURE_GAP = 0.9
"""A strip that is anywhere narrower than this may part the words of one cell."""
NARROWEST = 0.08
"""The strip itself, free in all rows, is at least this wide."""
FEWEST_ROWS = 3
MOSTLY = 0.7
SIGNS = frozenset("<>≤≥=±~≈≃∼×·+−-–$£€¥≡")
"""What stands alone before a number belongs to it..."""
MARKS = frozenset(("%", "‰", "*", "**", "***", "†", "‡", "°C", "◦C", "℃", *"±×·=≡"))
"""... and so does what stands alone behind it."""

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


def find_columns(
    rows: Sequence[TextRow],
    header: Sequence[TextRow],
    borders: tuple[float, float],
    height: float,
) -> list[Column]:
    """The columns of body `rows` between two `borders`; fewer than two without a clear strip.

    `header` rows decide where no row has words at both sides of a strip.
    """
    several = [row for row in rows if _has_cells(row, height)]
    strips = _free_strips(several, height)
    # Short labels that stand alone in their rows may have a column of their own.
    short = [
        row
        for row in rows
        if not _has_cells(row, height)
        and not any(row.x0 < b and row.x1 > a for a, b in strips)
        and row.x1 < (strips[0][1] if strips else 0.0)
    ]
    several += short
    edges: list[float] = []
    gaps: list[float] = []
    for a, b in _free_strips(several, height):
        middle = (a + b) / 2
        beside = _beside(middle, several) or _beside(middle, header)
        gap = _clear_gap(beside, height)
        if gap is not None and not any(_is_bracketed(row, middle) for row in several):
            edges.append(middle)
            gaps.append(gap)
    columns = columns_between(several, edges, *borders)
    sure = [True, *(gap >= SURE_GAP * height for gap in gaps)]
    return [replace(column, is_sure=flag) for column, flag in zip(columns, sure, strict=True)]


def _has_cells(row: TextRow, height: float) -> bool:
    """Whether a row is more than one wide cell: gaps part it, or it ends in numbers."""
    if len(row.stretches(CLEAR_GAP * height)) > 1:
        return True
    numbers = [is_number(word.text) for word in row.words]
    return sum(numbers) >= 2 and numbers[-1]


def may_hide_columns(rows: Sequence[TextRow], columns: Sequence[Column], height: float) -> bool:
    """Whether a free strip inside a column, too narrow to count, may part two columns all the same.

    Values stand at both sides of it in every row: they may be of one cell, or of two.
    """
    several = [row for row in rows if _has_cells(row, height)]
    edges = [column.left for column in columns[1:]]
    for a, b in _free_strips(several, height):
        if any(a <= edge <= b for edge in edges):
            continue
        beside = [
            (before, after)
            for before, after in _beside((a + b) / 2, several)
            if not any(before.x1 <= edge <= after.x0 for edge in edges)
        ]
        fewest = min(FEWEST_ROWS, max(2, len(several)))
        if len(beside) >= fewest and len(beside) >= MOSTLY * len(several) and _differ(beside):
            return True
    return False


def _differ(beside: Sequence[tuple[Word, Word]]) -> bool:
    """Whether what follows a strip looks like values of its own: numbers, or ever other words."""
    half = len(beside) / 2
    after = [word.text for _, word in beside]
    sides = [(before, word.text) for before, word in beside]
    if sum(text in MARKS or text in SIGNS or text[0] in "([（±+" for text in after) > half:
        return False
    if sum(before.text in SIGNS or before.text in MARKS for before, _ in beside) > half:
        return False
    if sum(before.text[-1] in ",;:，；：/–—-([（" for before, _ in beside) > half:
        return False
    if sum(map(is_number, after)) > half:
        return True
    if sum(min(before.text[-1], text[0]) > CHINESE for before, text in sides) > half:
        return True
    numbers = sum(is_number(before.text) for before, _ in beside)
    return numbers > half and len(set(after)) >= FEWEST_ROWS


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
    """Strips between the first and the last column that no word crosses."""
    spans = sorted((word.x0, word.x1) for row in rows for word in row.words)
    strips: list[tuple[float, float]] = []
    reached = spans[0][1] if spans else 0.0
    for x0, x1 in spans:
        if x0 - reached >= NARROWEST * height:
            strips.append((reached, x0))
        reached = max(reached, x1)
    return strips


def _is_bracketed(row: TextRow, middle: float) -> bool:
    """Whether a bracket opens before a strip and closes behind it: both sides are one cell."""
    opened = 0
    for word in row.words:
        if word.middle >= middle:
            break
        opened = max(0, opened + _brackets(word.text))
    after = (word for word in row.words if word.middle >= middle)
    return opened > 0 and any(_brackets(word.text) < 0 for word in after)


def _brackets(text: str) -> int:
    return sum(map(text.count, "([（")) - sum(map(text.count, ")]）"))


def _beside(middle: float, rows: Sequence[TextRow]) -> list[tuple[Word, Word]]:
    """Per row with words at both sides of `middle`, the two nearest to it."""
    beside: list[tuple[Word, Word]] = []
    for row in rows:
        before = [word for word in row.words if word.middle < middle]
        after = [word for word in row.words if word.middle >= middle]
        if before and after:
            last = max(before, key=lambda word: word.x1)
            first = min(after, key=lambda word: word.x0)
            beside.append((last, first))
    return beside


def _clear_gap(beside: Sequence[tuple[Word, Word]], height: float) -> float | None:
    """How far the words at both sides are apart at least; None if they are too near in a row."""
    if not beside:
        return None
    half = len(beside) / 2
    if sum(before.text in SIGNS for before, _ in beside) > half:
        return None
    if sum(after.text in MARKS for _, after in beside) > half:
        return None
    numbers = sum(is_number(after.text) and after.text[0] not in "([（" for _, after in beside)
    numeric = numbers >= 0.7 * len(beside) and len(beside) >= 3
    needed = NUMBER_GAP if numeric else CLEAR_GAP
    gap = min(after.x0 - before.x1 for before, after in beside)
    return gap if gap >= needed * height else None
