"""Tables that a person described, and a verdict on each cell of the tables that were read. Pure.

Truth is one table a line: `{"file", "sha256", "page", "label", "rect", "kinds", "grid_columns",
"columns", "cells"}`, made by looking at the pages. `columns` are the header paths of the columns
that hold values, outermost header first (a name that ends in `?` may be missing; no names: nothing
is judged); `cells` are `[value, [group, ..., row label], index into columns]`. A line with
`pages_without_tables` names pages on which any table would be false.

A table is found if a table of its page has at least half of its area in common with it. A cell is

- *right* if a cell with its value stands in a row with its label under the whole header path,
  within its own box. Where several rows have that label, the groups must be in the path too;
- in a *wrong column* if its value stands in that row under a header of another column, or if cells
  of one row that are right by their headers do not follow one another from left to right;
- *misled* if all this holds but the path of its row names a group that it is not in;
- in a *wrong row*, under a *wrong header* (incomplete, not another column's), *misplaced* (its
  characters lie outside its box), *joined* with other text, or *missing*.

What counts is judged over the tables called reliable; the others are counted apart.
"""

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from documents.pages.page_text import ParsedPage, Rect, Table
from documents.tables.truth_cells import (
    Line,
    headers_agree,
    headers_contradict,
    is_in_row,
    lines_of,
    same_value,
)

OVERLAP = 0.5
"""Least share of intersection to union of two table areas that are the same table."""
VERDICTS = (
    "right",
    "wrong_column",
    "wrong_row",
    "wrong_header",
    "misplaced",
    "misled",
    "joined",
    "missing",
)


@dataclass(frozen=True, slots=True)
class TrueCell:
    """A value, the labels of its row (groups first), and its column in `TrueTable.columns`."""

    value: str
    row: tuple[str, ...]
    column: int


@dataclass(frozen=True, slots=True)
class TrueTable:
    """A table as a person sees it. `rect` is without caption and notes."""

    file: str
    sha256: str
    page: int
    label: str
    rect: Rect
    kinds: tuple[str, ...]
    grid_columns: int
    columns: tuple[tuple[str, ...], ...]
    cells: tuple[TrueCell, ...]


@dataclass(frozen=True, slots=True)
class CellJudgement:
    """The verdict on one cell, and the nearest thing that was read for it."""

    cell: TrueCell
    verdict: str
    headers: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    x: float = 0.0
    has_row_path: bool = False


@dataclass(frozen=True, slots=True)
class TableJudgement:
    """What became of one table. `cells` is empty where it was not found."""

    table: TrueTable
    read: Table | None
    cells: tuple[CellJudgement, ...]

    @property
    def is_reliable(self) -> bool:
        return self.read is not None and self.read.reliable


def read_truth(path: Path) -> tuple[list[TrueTable], dict[tuple[str, str], list[int]]]:
    """The tables of a JSON-lines file, and (file, sha256) -> numbers of pages without tables."""
    tables: list[TrueTable] = []
    empty: dict[tuple[str, str], list[int]] = {}
    with path.open(encoding="utf-8") as lines:
        for line in filter(str.strip, lines):
            row = json.loads(line)
            if "cells" in row:
                tables.append(_true_table(row))
            else:
                empty[row["file"], row["sha256"]] = row["pages_without_tables"]
    return tables, empty


def _true_table(row: dict[str, Any]) -> TrueTable:
    x0, y0, x1, y1 = row["rect"]
    return TrueTable(
        file=row["file"],
        sha256=row["sha256"],
        page=row["page"],
        label=row["label"],
        rect=(x0, y0, x1, y1),
        kinds=tuple(row["kinds"]),
        grid_columns=row["grid_columns"],
        columns=tuple(tuple(path) for path in row["columns"]),
        cells=tuple(TrueCell(value, tuple(path), column) for value, path, column in row["cells"]),
    )


def judge_table(truth: TrueTable, page: ParsedPage) -> TableJudgement:
    """The table of the page that is this one, and a verdict on each of the cells of truth."""
    best = max(page.tables, key=lambda table: overlap(truth.rect, table.rect), default=None)
    if best is None or overlap(truth.rect, best.rect) < OVERLAP:
        return TableJudgement(truth, None, ())
    lines = lines_of(best, page)
    judged = [_judge_cell(cell, truth, lines) for cell in truth.cells]
    if "rotated" not in truth.kinds:
        judged = _out_of_order(judged)
    return TableJudgement(truth, best, tuple(judged))


def overlap(one: Rect, other: Rect) -> float:
    """Intersection over union of two rectangles."""
    width = max(0.0, min(one[2], other[2]) - max(one[0], other[0]))
    height = max(0.0, min(one[3], other[3]) - max(one[1], other[1]))
    shared = width * height
    areas = sum((rect[2] - rect[0]) * (rect[3] - rect[1]) for rect in (one, other))
    return shared / (areas - shared) if areas > shared else 0.0


def _judge_cell(cell: TrueCell, truth: TrueTable, lines: Sequence[Line]) -> CellJudgement:
    path = truth.columns[cell.column]
    found = [
        (line, read) for line in lines for read in line.cells if same_value(cell.value, read.text)
    ]
    here = [(line, read) for line, read in found if is_in_row(cell.row, line, lines)]
    for line, read in here:
        if headers_agree(path, read.headers):
            verdict = "right" if read.is_in_place else "misplaced"
            if line.is_misled(cell.row):
                verdict = "misled"
            return CellJudgement(
                cell,
                verdict,
                read.headers,
                line.labels,
                read.x,
                has_row_path=line.has_path(cell.row),
            )
    if here:
        line, read = here[0]
        is_alone = sum(same_value(cell.value, other.value) for other in _row_of(cell, truth)) == 1
        other_column = is_alone and headers_contradict(path, read.headers, truth.columns)
        verdict = "wrong_column" if other_column else "wrong_header"
        return CellJudgement(cell, verdict, read.headers, line.labels)
    for line, read in found:
        if headers_agree(path, read.headers):
            return CellJudgement(cell, "wrong_row", read.headers, line.labels)
    joined = next((line for line in lines if line.contains(cell.value)), None)
    if joined is not None and not found:
        return CellJudgement(cell, "joined", (), joined.labels)
    return CellJudgement(cell, "missing")


def _row_of(cell: TrueCell, truth: TrueTable) -> list[TrueCell]:
    return [other for other in truth.cells if other.row == cell.row]


def _out_of_order(judged: Sequence[CellJudgement]) -> list[CellJudgement]:
    """The same verdicts, with `wrong_column` for cells whose place contradicts their columns."""
    rows: dict[tuple[str, ...], list[CellJudgement]] = defaultdict(list)
    for one in judged:
        if one.verdict == "right":
            rows[one.cell.row].append(one)
    wrong: set[int] = set()
    for row in rows.values():
        row.sort(key=lambda one: one.cell.column)
        for before, after in pairwise(row):
            if before.cell.column < after.cell.column and before.x >= after.x:
                wrong |= {id(before), id(after)}
    return [
        CellJudgement(one.cell, "wrong_column", one.headers, one.labels)
        if id(one) in wrong
        else one
        for one in judged
    ]
