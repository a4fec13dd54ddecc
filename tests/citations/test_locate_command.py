# mypy: disable-error-code="no-untyped-call"
"""`manage.py locate`: JSON only, exit statuses, and a run that goes on after a refused file."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pymupdf
import pytest

from citations.cases import Case, read_cases
from citations.evaluation import judge, run

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    with pymupdf.open() as made:
        for text in ("Warming slows growth by 1.5 %.", "Buyers pay more."):
            made.new_page().insert_text((72, 90), text)
        made.save(tmp_path / "paper.pdf")
    (tmp_path / "broken.pdf").write_bytes(b"no pdf")
    return tmp_path


def locate(*arguments: str) -> tuple[int, list[Any]]:
    done = subprocess.run(
        [sys.executable, "manage.py", "locate", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


def test_a_quote_in_a_file(folder: Path) -> None:
    paper = str(folder / "paper.pdf")
    code, (found,) = locate(paper, "--quote", "slows growth by 1.5%", "--json")
    assert (code, found["status"]) == (0, "matched")
    (region,) = found["places"][0]["regions"]
    assert region["page"] == 1
    assert all(0 <= edge <= 1 for rect in region["rects"] for edge in rect)
    code, (found,) = locate(paper, "--quote", "Buyers pay more", "--page", "1", "--json")
    assert (code, found["status"], found["places"]) == (0, "not_found", [])
    code, (found,) = locate(paper, "--quote", "x", "--page", "9", "--json")
    assert (code, found["status"]) == (0, "missing_quote")


def test_a_refused_file_exits_2_with_its_code(folder: Path) -> None:
    code, (found,) = locate(str(folder / "broken.pdf"), "--quote", "any words", "--json")
    assert (code, found["error"]["code"]) == (2, "not_a_pdf")


def test_cases_go_on_after_a_refused_file(folder: Path) -> None:
    cases = folder / "cases.jsonl"
    lines = [
        {"file": "paper.pdf", "quote": "Buyers pay more", "page_given": None, "page": 1},
        {"file": "broken.pdf", "quote": "Buyers pay more", "page_given": 1},
        {"file": "missing.pdf", "quote": "Buyers pay more", "page_given": 1},
        {"file": "paper.pdf", "quote": "Buyers pay less", "page_given": 2},
    ]
    cases.write_text("".join(json.dumps(line) + "\n" for line in lines))
    code, found = locate("--cases", str(cases), "--files", str(folder), "--json")
    assert code == 0
    assert [line.get("status") or line["error"]["code"] for line in found] == [
        "matched", "not_a_pdf", "not_found", "not_found",
    ]  # fmt: skip


BOX = (0.1, 0.1, 0.2, 0.12)


def result(page: int, *rects: tuple[float, ...], status: str = "matched") -> dict[str, Any]:
    regions = [{"page": page, "rects": [list(rect) for rect in rects]}]
    return {"status": status, "places": [{"text": "", "regions": regions}]}


@pytest.mark.parametrize(
    ("expect", "found", "verdict"),
    [
        ("matched", result(1, (0.09, 0.09, 0.21, 0.13)), "right"),
        ("matched", result(2, (0.09, 0.09, 0.21, 0.13)), "wrong"),
        ("matched", result(1, (0.5, 0.5, 0.6, 0.52)), "wrong"),
        ("matched", result(1, (0.09, 0.09, 0.9, 0.9)), "missed"),
        ("matched", {"status": "ambiguous", "places": []}, "missed"),
        ("matched", {"error": {"code": "damaged"}}, "missed"),
        ("not_found", result(1, (0.09, 0.09, 0.21, 0.13)), "wrong"),
        ("not_found", {"status": "not_found", "places": []}, None),
    ],
)
def test_the_judge(expect: str, found: dict[str, Any], verdict: str | None) -> None:
    case = Case("a.pdf", "quote", 1, "verbatim", expect, 1, (BOX,))
    assert judge(case, found) == verdict


@pytest.mark.slow
def test_no_highlight_is_wrong_over_the_corpus(corpus: Path) -> None:
    cases = corpus / "locate" / "cases.jsonl"
    assert len(list(read_cases(cases))) > 400
    figures = run({"cases": cases, "files": corpus / "papers"})
    assert figures["wrong"] == 0
    assert figures["right"] >= 0.995 * figures["true_quotes"], figures["unlucky"]
