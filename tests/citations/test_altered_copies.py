"""Marks lie on the words of pages that are turned, cropped or begin anywhere else."""

from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from citations.altered_copies import ALTERATIONS
from citations.cases import read_cases
from citations.evaluation import run

PAPERS = 6
"""Every so many papers are left out: all of them take minutes."""


@pytest.mark.parametrize("name", sorted(ALTERATIONS))
def test_every_quote_is_found_on_altered_pages(name: str, corpus: Path, tmp_path: Path) -> None:
    found = run(
        {
            "cases": _some_cases(corpus / "locate" / "cases.jsonl", tmp_path),
            "files": corpus / "papers",
            "altered": name,
        }
    )
    assert found["true_quotes"] > 20
    assert _figures(found) == {"right": found["true_quotes"], "missed": 0, "wrong": 0}


def _some_cases(path: Path, folder: Path) -> Path:
    lines = zip(read_cases(path), path.read_text().splitlines(), strict=True)
    papers = [list(of_paper) for _, of_paper in groupby(lines, key=lambda each: each[0].file)]
    sample = folder / "cases.jsonl"
    sample.write_text("\n".join(line for paper in papers[::PAPERS] for _, line in paper))
    return sample


def _figures(found: dict[str, Any]) -> dict[str, int]:
    return {name: found[name] for name in ("right", "missed", "wrong")}
