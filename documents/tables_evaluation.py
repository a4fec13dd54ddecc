"""Compare tables with hand-made truth: found, reliable, cells right, cells in a wrong column.

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
- in a *wrong row*, under a *wrong header* (incomplete, not another column's), *misplaced* (its
  characters lie outside its box), *joined* with other text, or *missing*.

What counts is judged over the tables called reliable; the others are counted apart.
"""

import json
from argparse import ArgumentParser
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from documents.blocks_evaluation import is_that_file
from documents.page_text import ParsedFileText, ParsedPage, Rect, Table
from documents.parsing import parse_file
from documents.truth_cells import (
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
    is_misled: bool = False


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
            return CellJudgement(
                cell,
                verdict,
                read.headers,
                line.labels,
                read.x,
                has_row_path=line.has_path(cell.row),
                is_misled=line.is_misled(cell.row),
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


def summarize(judgements: Sequence[TableJudgement]) -> dict[str, Any]:
    """The figures over tables: found, reliable, and the cells of reliable and other tables."""
    reliable = [one for one in judgements if one.is_reliable]
    found = [one for one in judgements if one.read is not None]
    unsure = [one for one in found if not one.is_reliable]
    return {
        "tables": len(judgements),
        "found": len(found),
        "reliable": len(reliable),
        "reliable_share": _share(len(reliable), len(judgements)),
        "cells": _cell_figures(reliable),
        "unreliable_cells": _cell_figures(unsure),
        "grid_columns_right": sum(_columns(one.read) == one.table.grid_columns for one in reliable),
    }


def _cell_figures(judgements: Sequence[TableJudgement]) -> dict[str, Any]:
    cells = [cell for one in judgements for cell in one.cells]
    verdicts = Counter(cell.verdict for cell in cells)
    right = verdicts["right"]
    paths = sum(cell.has_row_path for cell in cells if cell.verdict == "right")
    return {
        "judged": len(cells),
        "right_share": _share(right, len(cells)),
        **{verdict: verdicts[verdict] for verdict in VERDICTS},
        "row_path_share": _share(paths, right),
        "row_path_misled": sum(cell.is_misled for cell in cells if cell.verdict == "right"),
    }


def _columns(table: Table | None) -> int:
    rows = table.rows if table else ()
    return max((cell.column + cell.columns for row in rows for cell in row), default=0)


def _share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("data", type=Path, help="JSON lines: tables as a person sees them")
    parser.add_argument("--files", type=Path, help="the folder of the PDFs; default: beside DATA")
    parser.add_argument("--layout", action="store_true", help="let a model look at unsure tables")


def run(options: dict[str, Any]) -> dict[str, Any]:
    """Parse every paper and judge its tables. `wrong` lists cells of reliable tables, `not_found`
    and `unreliable` tables, `false_reliable` tables where there is none."""
    folder = options["files"] or options["data"].parent
    truth, empty = read_truth(options["data"])
    files = sorted({(table.file, table.sha256) for table in truth} | set(empty))
    judgements: list[TableJudgement] = []
    false: list[dict[str, Any]] = []
    other_files: list[str] = []
    for file, sha256 in files:
        if not is_that_file(folder / file, sha256):
            other_files.append(file)
            continue
        parsed = parse_file(folder / file, layout=options.get("layout", False))
        judgements += [
            judge_table(table, parsed.pages[table.page - 1])
            for table in truth
            if table.file == file
        ]
        false += _false_tables(file, parsed, empty.get((file, sha256), []))
    kinds = sorted({kind for one in judgements for kind in one.table.kinds})
    return {
        **summarize(judgements),
        "other_files": other_files,
        "pages_without_tables": sum(map(len, empty.values())),
        "false_tables": len(false),
        "false_reliable": [table for table in false if table["reliable"]],
        "by_kind": {
            kind: summarize([one for one in judgements if kind in one.table.kinds])
            for kind in kinds
        },
        "not_found": [_place(one.table) for one in judgements if one.read is None],
        "unreliable": [
            _place(one.table) for one in judgements if one.read and not one.read.reliable
        ],
        "misled": [row for one in judgements if one.is_reliable for row in _misled_cells(one)],
        "wrong": [row for one in judgements if one.is_reliable for row in _wrong_cells(one)],
    }


def _false_tables(
    file: str, parsed: ParsedFileText, numbers: Sequence[int]
) -> list[dict[str, Any]]:
    return [
        {
            "file": file,
            "page": page.number,
            "reliable": table.reliable,
            "method": table.method,
            "rect": [round(edge, 3) for edge in table.rect],
        }
        for page in parsed.pages
        if page.number in numbers
        for table in page.tables
    ]


def _place(table: TrueTable) -> dict[str, Any]:
    return {
        "file": table.file,
        "page": table.page,
        "label": table.label,
        "kinds": list(table.kinds),
    }


def _misled_cells(judgement: TableJudgement) -> Iterator[dict[str, Any]]:
    for one in judgement.cells:
        if one.verdict == "right" and one.is_misled:
            yield _shown(judgement, one)


def _wrong_cells(judgement: TableJudgement) -> Iterator[dict[str, Any]]:
    for one in judgement.cells:
        if one.verdict != "right":
            yield _shown(judgement, one)


def _shown(judgement: TableJudgement, one: CellJudgement) -> dict[str, Any]:
    return {
        "file": judgement.table.file,
        "page": judgement.table.page,
        "label": judgement.table.label,
        "verdict": one.verdict,
        "value": one.cell.value,
        "row": list(one.cell.row),
        "headers": list(judgement.table.columns[one.cell.column]),
        "read_row": list(one.labels),
        "read_headers": list(one.headers),
    }
