"""What names the rows of a table: panels, labels with others indented under them, own labels."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import pairwise

from documents.tables.table_columns import is_number
from documents.tables.table_draft import Draft
from documents.tables.table_words import CHINESE, Word

INDENT = 0.45
"""In letter heights."""
MOST_LABELS = 3
MOSTLY = 0.6
SPACE = 0.2
_ENDS = ":：)）"
"""A label that ends so is whole."""
FEWEST_ALIKE = 3
"""So many rows have one label, each below another name, if the names part them."""
CENTRED = 0.06
"""A panel's name stands this near the middle of the table, as a share of its width."""

_PANEL = re.compile(r"^(?:panel|part|面板|板块)\s*[A-Z\dIVX一二三]", re.IGNORECASE)
_MARK = re.compile(r"^(?:[-–—]\s*[^\W\d_]|[•·●○▪])")
_SUM = re.compile(r"(?:小计|合计|总计|净额)$|^(?:sub)?total\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Row:
    number: int
    labels: tuple[str, ...]
    left: float
    right: float
    first: float
    """How wide the first word of its label is, or its first Chinese sign."""
    has_label: bool
    has_values: bool
    is_wide: bool
    is_ruled: bool
    is_alone: bool
    """It has one cell, the first: no second label."""

    @property
    def is_marked(self) -> bool:
        return bool(self.labels) and _MARK.match(self.labels[0]) is not None

    @property
    def is_counted(self) -> bool:
        return len(self.labels) > 1 and is_number(self.labels[0])

    @property
    def may_head(self) -> bool:
        name = self.labels[0] if self.labels else ""
        return self.is_alone and any(map(str.isalpha, name)) and not _SUM.search(name)


class _Scope(Enum):
    """Which rows below a label stand under it."""

    PANEL = auto()
    """All to the next panel: it says so, or stands in the middle of the table."""
    RULED = auto()
    """All to the next rule: rules part the table at such labels and nowhere else."""
    MARKED = auto()
    """Those that begin with a dash or a bullet."""
    COUNTED = auto()
    """Those whose first cell is a number, in a column of nothing but numbers and such labels."""
    INDENTED = auto()
    UNKNOWN = auto()


@dataclass(frozen=True, slots=True)
class _Head:
    """A label that other rows stand under."""

    name: str
    left: float
    scope: _Scope

    def holds(self, row: _Row, height: float) -> bool:
        if self.scope is _Scope.RULED:
            return not row.is_ruled
        if self.scope is _Scope.MARKED:
            return row.is_marked
        if self.scope is _Scope.COUNTED:
            return row.is_counted
        return self.scope is _Scope.PANEL or self.left <= row.left - INDENT * height


@dataclass(frozen=True, slots=True)
class RowPaths:
    """The path of each body row by its number, and what is not clear about labels."""

    paths: dict[int, tuple[str, ...]]
    doubts: list[str]


def find_row_paths(draft: Draft, height: float) -> RowPaths:
    """Per row the panel that it stands in, the labels it is indented under, its own labels.

    Labels are the first column and the columns of words that follow it before the first numbers.
    Where nothing says how far a label reaches over the rows below it, it is in none of their paths.
    """
    rows = _rows(draft, _label_columns(draft))
    grouped = _are_grouped(rows)
    ruled = _rules_part(rows)
    heads: list[_Head] = []
    paths: dict[int, tuple[str, ...]] = {}
    doubts: list[str] = []
    last: tuple[str, ...] = ()
    if _may_name_a_part(rows, height):
        doubts.append("a label may stand in the middle of the table")
    for index, row in enumerate(rows):
        scope = _scope(rows, index, draft, height, ruled=ruled) if row.is_alone else None
        if row.has_label or row.is_ruled:
            heads = [head for head in heads if head.holds(row, height)]
        if scope is _Scope.PANEL:
            heads = []
        last = () if row.is_alone else row.labels or last
        names = tuple(head.name for head in heads)
        paths[row.number] = (*names, *(row.labels if row.is_alone else last))
        if scope and scope is not _Scope.UNKNOWN:
            heads.append(_Head(row.labels[0], row.left, scope))
        if scope:
            is_known = scope is not _Scope.UNKNOWN or row.is_wide or grouped
            is_known = is_known or not index or _heads(rows, index, height)
            doubts += [] if is_known else ["a label stands alone"]
        is_bounded = draft.method == "grid" or scope in (None, _Scope.PANEL)
        doubts += _doubts_about_label(rows, index, height, is_bounded=is_bounded)
    return RowPaths(_told_apart(rows, paths), doubts)


def _may_go_on(rows: Sequence[_Row], index: int, height: float) -> bool:
    """Whether a label ends where the first word of the next row's label had had no room."""
    row, below = rows[index], rows[index + 1] if index + 1 < len(rows) else None
    if below is None or not below.has_label or below.is_ruled or row.labels[0][-1] in _ENDS:
        return False
    group = rows[index + 1 : index + 3]
    if len(group) == 2 and all(r.has_values and _is_under(r, row, height) for r in group):
        return False
    reached = max((each.right for each in rows if each.has_label and not each.is_wide), default=0)
    return row.right + SPACE * height + below.first > reached + 0.05 * height


def _doubts_about_label(
    rows: Sequence[_Row], index: int, height: float, *, is_bounded: bool
) -> list[str]:
    """What is not clear about a row's label; `is_bounded`: nothing can go on below or above it."""
    row = rows[index]
    doubts: list[str] = []
    if row.is_alone and index and _ends_above(rows, index):
        doubts.append("a label stands alone above a rule")
    if row.has_values and not row.has_label and index and rows[index - 1].is_alone:
        doubts.append("the first row of a group has no label")
    if row.is_alone and not is_bounded and _may_go_on(rows, index, height):
        doubts.append("a label may go on in the row below")
    return doubts


def _ends_above(rows: Sequence[_Row], index: int) -> bool:
    """Whether a label alone is parted by a rule from the row below, not from the one above."""
    row, above = rows[index], rows[index - 1]
    below = rows[index + 1] if index + 1 < len(rows) else None
    return above.has_values and not row.is_ruled and (below is None or below.is_ruled)


def _told_apart(
    rows: Sequence[_Row], paths: dict[int, tuple[str, ...]]
) -> dict[int, tuple[str, ...]]:
    """Rows with one label under several names: each belongs to the nearest name above it."""
    nearest: dict[int, str] = {}
    name = ""
    for row in rows:
        name = row.labels[0] if row.may_head else name
        nearest[row.number] = name
    alike: dict[tuple[str, ...], list[_Row]] = defaultdict(list)
    for row in rows:
        if row.has_label and not row.is_alone:
            alike[paths[row.number]].append(row)
    told = dict(paths)
    for path, same in alike.items():
        names = [nearest[row.number] for row in same]
        is_sum = bool(path) and _SUM.search(path[-1]) is not None
        are_several = len(same) >= FEWEST_ALIKE and not is_sum
        if are_several and all(names) and len(set(names)) == len(names):
            told |= {row.number: (nearest[row.number], *path) for row in same}
    return told


def names_a_panel(label: str) -> bool:
    """Whether a label says by itself that it is the name of a part: "Panel B: Women"."""
    return _PANEL.match(label) is not None


def _rules_part(rows: Sequence[_Row]) -> bool:
    """Whether rules stand in the body above labels alone, each before several rows of values."""
    ruled = [index for index, row in enumerate(rows) if row.is_ruled and index]
    follow = (rows[index + 1 : index + 3] for index in ruled)
    return (
        bool(ruled)
        and all(rows[index].may_head for index in ruled)
        and all(len(pair) == 2 and all(r.has_values for r in pair) for pair in follow)
    )


def _scope(rows: Sequence[_Row], index: int, draft: Draft, height: float, *, ruled: bool) -> _Scope:
    row = rows[index]
    below = next((each for each in rows[index + 1 :] if each.has_label), None)
    if below is None:
        return _Scope.UNKNOWN
    is_inside = row.is_wide and row.left > below.left + INDENT * height
    if is_inside and any(map(str.isalpha, row.labels[0])):
        return _Scope.PANEL
    if not row.may_head:
        return _Scope.UNKNOWN
    if names_a_panel(row.labels[0]):
        return _Scope.PANEL
    if _is_under(below, row, height):
        off = abs((row.left + row.right - draft.xs[0] - draft.xs[-1]) / 2)
        is_middle = off <= CENTRED * (draft.xs[-1] - draft.xs[0])
        return _Scope.PANEL if row.is_wide and is_middle else _Scope.INDENTED
    if ruled and (row.is_ruled or index == 0):
        return _Scope.RULED
    if below.is_counted and not any(map(str.isdigit, row.labels[0])):
        return _Scope.COUNTED
    return _Scope.MARKED if below.is_marked and not row.is_marked else _Scope.UNKNOWN


def _may_name_a_part(rows: Sequence[_Row], height: float) -> bool:
    """Whether a label alone, short enough for the first column, stands in the middle of the table
    as names of its parts do."""
    names = [row for row in rows if row.is_alone]
    middles = [(row.left + row.right) / 2 for row in names if row.is_wide]
    return any(
        not row.is_wide and abs((row.left + row.right) / 2 - middle) < height / 2
        for row in names
        for middle in middles
    )


def _is_under(row: _Row, head: _Row, height: float) -> bool:
    return row.has_label and row.left > head.left + INDENT * height


def first_width(line: Sequence[Word]) -> float:
    """The width of the first word of a line; Chinese lines break between any two signs."""
    first = line[0]
    is_chinese = len(first.text) > 1 and first.text[0] > CHINESE
    return (first.x1 - first.x0) / (len(first.text) if is_chinese else 1)


def _label_columns(draft: Draft) -> int:
    """How many columns name the rows: all before the first one of numbers, at least one."""
    flags: dict[int, list[bool]] = defaultdict(list)
    for cell in draft.cells:
        if not cell.is_header and cell.columns == 1:
            flags[cell.column].append(is_number(cell.words[0].text))
    count = len(draft.xs) - 1
    numeric = [sum(flags[c]) > MOSTLY * len(flags[c]) for c in range(count)]
    # A first column of numbers counts the rows.
    first = next((c for c in range(1, count) if numeric[c]), 0)
    if 0 < first <= MOST_LABELS:
        return first
    return 2 if count > 2 and numeric[0] and not numeric[1] else 1


def _rows(draft: Draft, label_columns: int) -> list[_Row]:
    count = len(draft.xs) - 1
    numbers = sorted({cell.row for cell in draft.cells if not cell.is_header})
    rows: list[_Row] = []
    before: tuple[str, ...] = ()
    for number in numbers:
        own = [c for c in draft.cells if c.row == number and not c.is_header]
        reaching = [
            c
            for c in draft.cells
            if not c.is_header and c.row <= number < c.row + c.rows and c.column < label_columns
        ]
        wide = len(own) == 1 and own[0].columns > 1 and own[0].columns >= count - 1
        named = sorted(reaching, key=lambda cell: cell.column)
        labels = tuple(cell.text for cell in named)
        if named and named[0].column and not wide:
            # The cell that is empty means what stands above it.
            labels = (*before[: named[0].column], *labels)
        values = any(cell.column >= label_columns for cell in own) and not wide
        rows.append(
            _Row(
                number,
                labels,
                min((c.lines[0][0].x0 for c in own if c.column == 0), default=0.0),
                max((word.x1 for c in own if c.column == 0 for word in c.words), default=0.0),
                next((first_width(c.lines[0]) for c in own if c.column == 0), 0.0),
                any(cell.column == 0 for cell in own),
                values,
                wide,
                number in draft.ruled_rows,
                len(named) == 1 and named[0].column == 0 and not values,
            )
        )
        if any(cell.column == 0 for cell in own):
            before = () if wide else labels
    return rows


def _are_grouped(rows: Sequence[_Row]) -> bool:
    """Whether the table is divided by labels without values, from its first row on."""
    heads = [index for index, row in enumerate(rows) if not row.has_values]
    pairs = pairwise([*heads, len(rows)])
    return bool(heads) and heads[0] == 0 and all(after - head > 1 for head, after in pairs)


def _heads(rows: Sequence[_Row], index: int, height: float) -> bool:
    """Whether a row without values names the rows below it."""
    row = rows[index]
    if index + 1 >= len(rows) or not row.labels:
        return False
    if names_a_panel(row.labels[0]) or row.is_ruled:
        return True
    after = rows[index + 1]
    if not after.has_label:
        return bool(after.labels)
    return after.left > row.left + INDENT * height or (index == 0 and after.has_values)
