"""The body of a table without level rules: which lines of text are one row of cells. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from documents.tables.drawn_rules import Rule
from documents.tables.table_columns import NUMBER_GAP, Column, is_number
from documents.tables.table_draft import BodyRow
from documents.tables.table_row_paths import names_a_panel
from documents.tables.table_words import Stretch, TextRow, Word, letters_in
from documents.tables.table_wraps import Joins, is_open

WIDE_GAP = 0.5
TIGHT = 1.12
"""Lines of one cell are at most this many times the table's narrowest line pitch apart."""
ALIGNED = 0.8
OVERLAP = 0.25
MOSTLY = 0.6
FEWEST_ALIGNED = 4

_BRACKETED_VALUE = re.compile(r"^[(\[（]\s*[-−–]?\d*\.\d+\s*[)\]）]\**$")


@dataclass
class Body:
    rows: list[BodyRow]
    doubts: list[str]


def find_rows(
    lines: Sequence[TextRow], columns: Sequence[Column], rules: Sequence[Rule], height: float
) -> Body:
    """The rows of cells that body `lines` make; `rules` run over the whole width."""
    doubts: list[str] = []
    placed = _level([_placed(line, columns, height, doubts) for line in lines], height, doubts)
    for above, below in pairwise(placed):
        middles = (above.top + above.bottom) / 2, (below.top + below.bottom) / 2
        below.ruled_above = any(middles[0] < rule.at < middles[1] for rule in rules)
    pitches = [below.bottom - above.bottom for above, below in pairwise(placed)]
    tight = TIGHT * min((p for p in pitches if p > 0.5 * height), default=0.0)
    # A row of several lines is as near as the first of them: a label around its values.
    steps = [below.top - above.last_top for above, below in pairwise(placed)]
    close = [False, *(min(both) <= tight for both in zip(pitches, steps, strict=True))]
    joins = Joins(placed, close, [_extent(placed, c) for c in range(len(columns))], height)
    rows: list[BodyRow] = []
    for index, row in enumerate(placed):
        goes_on = bool(rows) and close[index] and not row.ruled_above
        verdict = joins.continues(rows[-1], row, placed[index + 1 :]) if goes_on else False
        if verdict is None or (goes_on and not verdict and joins.breaks_off(rows[-1], row)):
            doubts.append("a line may go on with the row above")
        if verdict:
            _append(rows[-1], row)
        else:
            rows.append(row)
    doubts += _doubts(rows)
    if _may_name_groups(placed):
        doubts.append("a line may name a group or go on with a label")
    if any(_may_hide_a_column(rows, column, height) for column in range(len(columns))):
        doubts.append("a column may be hidden in another one")
    return Body(rows, doubts)


def _may_name_groups(lines: Sequence[BodyRow]) -> bool:
    """Whether the table begins with the name of a group and only small letters could name another.

    Where groups have small names, nothing tells them from the last lines of labels above them.
    """
    alone = [line for line in lines if set(line.cells) == {0} and not line.is_wide]
    if not alone or alone[0] is not lines[0]:
        return False
    small = [line.label[:1].islower() for line in alone[1:]]
    return any(small) and all(small)


def _may_hide_a_column(rows: Sequence[BodyRow], column: int, height: float) -> bool:
    """Whether the ends of a column's lines are aligned as if they were a column of their own.

    So are the words of two columns of text that touch: the second ones begin at one place, end at
    one place or have one middle, behind words of other widths.
    """
    lines = [row.cells[column][0] for row in rows if column in row.cells and not row.is_wide]
    begins = [line[0].x0 for line in lines]
    is_left = bool(lines) and max(begins) - min(begins) < ALIGNED
    aligned: dict[tuple[str, int], dict[int, float]] = {}
    for number, line in enumerate(lines):
        for before, word in pairwise(line):
            if not (before.text[-1].isalnum() and word.text[0].isalnum()):
                continue  # formulas are aligned at their signs
            places = {"left": word.x0, "middle": (word.x0 + line[-1].x1) / 2}
            if is_left:
                places["right"] = line[-1].x1
            for name, place in places.items():
                aligned.setdefault((name, round(place)), {})[number] = before.x1
    fewest = max(FEWEST_ALIGNED, MOSTLY * len(lines))
    return any(
        len(ends) >= fewest and max(ends.values()) - min(ends.values()) > height
        for ends in aligned.values()
    )


def _doubts(rows: Sequence[BodyRow]) -> list[str]:
    doubts = _doubts_about_labels(rows)
    for above, row in pairwise(rows):
        fills = set(row.cells) - set(above.cells)
        if 0 not in row.cells and 0 in above.cells and above.values and fills:
            doubts.append("a line fills what the row above leaves empty")
    for row in rows:
        if list(row.cells) == [0] or row.is_wide or len(row.cells) > 1:
            continue
        ((_, lines),) = row.cells.items()
        if not any(sign.isdigit() for line in lines for word in line for sign in word.text):
            doubts.append("words stand alone without a label")
    if any(_are_values(row.cells[column]) for row in rows for column in row.values):
        doubts.append("values stand above each other in one cell")
    return doubts


def _doubts_about_labels(rows: Sequence[BodyRow]) -> list[str]:
    doubts: list[str] = []
    if rows and not rows[0].label and rows[0].values:
        doubts.append("the first row has no label")
    if any(_BRACKETED_VALUE.match(row.label) and row.values for row in rows):
        doubts.append("a value stands in the column of labels")
    return doubts


def _are_values(lines: Sequence[tuple[Word, ...]]) -> bool:
    """Whether several lines of one cell could each be a value by itself."""
    return len(lines) > 1 and all(
        is_number(line[0].text) and line[0].text[0] not in "([" and not is_open([line])
        for line in lines
    )


def _level(rows: list[BodyRow], height: float, doubts: list[str]) -> list[BodyRow]:
    """Rows, those that overlap made one: a label in the middle of its wrapped cells."""
    level: list[BodyRow] = []
    for row in rows:
        if not level or row.top >= level[-1].bottom - OVERLAP * height:
            level.append(row)
            continue
        if row.is_wide or level[-1].is_wide:
            doubts.append("rows overlap")
        both = [c for c in row.cells if c in level[-1].cells]
        if any(
            level[-1].cells[c][-1][0].y1 > row.cells[c][0][0].y0 + OVERLAP * height for c in both
        ):
            doubts.append("rows overlap")
        _append(level[-1], row)
    return level


def _extent(rows: Sequence[BodyRow], column: int) -> tuple[float, float]:
    """From where to where a column's lines run; nothing if its words are short: they never wrap."""
    lines = [line for row in rows if not row.is_wide for line in row.cells.get(column, ())]
    if not any(len(line) > 1 or letters_in(line[0].text) > 8 for line in lines):
        return 0.0, 0.0
    words = [word for line in lines for word in line]
    return min(word.x0 for word in words), max(word.x1 for word in words)


def _placed(line: TextRow, columns: Sequence[Column], height: float, doubts: list[str]) -> BodyRow:
    stretches = line.stretches(WIDE_GAP * height)
    row = BodyRow(*line.band, last_top=line.band[0])
    over = {c for s in stretches for c in _straddled(s, columns, height)}
    if len(stretches) == 1 and names_a_panel(line.text):
        row.is_wide = True
        row.cells[0] = [line.words]
        return row
    if over and len(stretches) == 1:
        row.is_wide = True
        if is_number(line.words[-1].text) or _ends_in_cell(line, columns, over):
            doubts.append("a value may stand too near its label")
        row.cells[0] = [line.words]
        return row
    if over:
        doubts.append("a cell reaches into the next column")
    by_column: dict[int, list[Word]] = {}
    for word in line.words:
        by_column.setdefault(_home(word, columns), []).append(word)
    row.cells = {column: [tuple(words)] for column, words in sorted(by_column.items())}
    return row


def _ends_in_cell(line: TextRow, columns: Sequence[Column], crossed: Iterable[int]) -> bool:
    """Whether what stands behind a column's edge stands as the cells of that column do."""
    gaps = [after.x0 - before.x1 for before, after in pairwise(line.words)]
    # A label may reach beyond the edge: then its value stands behind the widest gap.
    last = line.words[1 + gaps.index(max(gaps)) :] if gaps else ()
    for column in (columns[index] for index in crossed):
        after = [word for word in line.words if column.left <= word.middle < column.right]
        for words in (after, [word for word in after if word in last]):
            if not words or words == list(line.words):
                continue
            left, right = words[0].x0 - column.x0, column.x1 - max(word.x1 for word in words)
            if min(abs(left), abs(right), abs(left - right) / 2) < ALIGNED:
                return True
    return False


def _straddled(stretch: Stretch, columns: Sequence[Column], height: float) -> list[int]:
    """The columns whose left edge runs through a stretch, not through a gap beside numbers."""
    words = stretch.words
    crossed: list[int] = []
    for index, column in enumerate(columns[1:], start=1):
        before = [word for word in words if word.middle < column.left]
        after = [word for word in words if word.middle >= column.left]
        if not before or not after:
            word = words[0]
            only = len(words) == 1 and word.x0 < column.left - 0.5 * height
            if only and word.x1 > column.left + 0.5 * height:
                crossed.append(index)
            continue
        last, first = max(before, key=lambda w: w.x1), min(after, key=lambda w: w.x0)
        is_value = is_number(first.text) and first.text[0] not in "([（"
        if not is_value or first.x0 - last.x1 < NUMBER_GAP * height:
            crossed.append(index)
    return crossed


def _home(word: Word, columns: Sequence[Column]) -> int:
    for index, column in enumerate(columns):
        if word.middle < column.right:
            return index
    return len(columns) - 1


def _append(above: BodyRow, row: BodyRow) -> None:
    for column, lines in row.cells.items():
        above.cells.setdefault(column, []).extend(lines)
    above.bottom = max(above.bottom, row.bottom)
    above.last_top = row.top
