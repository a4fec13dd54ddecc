"""What names the rows of a table: panels, labels with others indented under them, own labels."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from documents.table_columns import is_number
from documents.table_draft import Draft

INDENT = 0.45
"""In letter heights."""
MOST_LABELS = 3
MOSTLY = 0.6

_PANEL = re.compile(r"^(?:panel|part|面板|板块)\s*[A-Z\dIVX一二三]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Row:
    number: int
    labels: tuple[str, ...]
    left: float
    has_label: bool
    has_values: bool
    is_wide: bool
    is_ruled: bool

    @property
    def heads_alone(self) -> bool:
        return self.has_label and not self.has_values


@dataclass(frozen=True, slots=True)
class RowPaths:
    """The path of each body row by its number, and what is not clear about labels."""

    paths: dict[int, tuple[str, ...]]
    doubts: list[str]


def find_row_paths(draft: Draft, height: float) -> RowPaths:
    """Per row the panel that it stands in, the labels it is indented under, its own labels.

    Labels are the first column and the columns of words that follow it before the first numbers.
    """
    rows = _rows(draft, _label_columns(draft))
    grouped = _are_grouped(rows)
    parents: list[tuple[float, str, bool]] = []
    paths: dict[int, tuple[str, ...]] = {}
    doubts: list[str] = []
    last: tuple[str, ...] = ()
    for index, row in enumerate(rows):
        if row.heads_alone or row.is_wide:
            if not (row.is_wide or grouped or _heads(rows, index, height)) and index:
                doubts.append("a label stands alone")
            is_panel = row.is_wide or grouped or row.is_ruled or names_a_panel(row.labels[0])
            parents = [p for p in parents if _stays(p, row, height) and not is_panel]
            paths[row.number] = (*(name for _, name, _ in parents), *row.labels)
            if row.is_wide or grouped or _heads(rows, index, height):
                parents.append((row.left, row.labels[0], is_panel))
            last = ()
            continue
        if row.has_label:
            parents = [p for p in parents if p[2] or _stays(p, row, height)]
        last = row.labels or last
        paths[row.number] = (*(name for _, name, _ in parents), *last)
    return RowPaths(paths, doubts)


def names_a_panel(label: str) -> bool:
    """Whether a label says by itself that it is the name of a part: "Panel B: Women"."""
    return _PANEL.match(label) is not None


def _stays(parent: tuple[float, str, bool], row: _Row, height: float) -> bool:
    """Whether a row is indented under a label."""
    return parent[0] <= row.left - INDENT * height


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
                any(cell.column == 0 for cell in own),
                values,
                wide,
                number in draft.ruled_rows,
            )
        )
        before = labels if values or len(labels) < label_columns else before
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
