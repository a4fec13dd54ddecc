"""Compare tables with hand-made truth: found, reliable, cells right, cells in a wrong column.

`documents.tables.table_judging` says what truth is and when a cell is right.
"""

from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from documents.pages.blocks_evaluation import is_that_file
from documents.pages.page_text import ParsedFileText, Table
from documents.parsing import parse_file
from documents.tables.table_judging import (
    VERDICTS,
    CellJudgement,
    TableJudgement,
    TrueTable,
    judge_table,
    read_truth,
)


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
        "row_path_misled": verdicts["misled"],
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
