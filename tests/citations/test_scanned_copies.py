"""Quotes are measured in scanned copies of papers as well."""

import json
from pathlib import Path

import pytest

from citations.cases import Case
from citations.evaluation import run
from citations.scanned_copies import scanned
from documents.pages.page_text import PageState
from documents.parsing import parse_pages
from tests.documents.pdf_making import SENTENCES, make_pdf


@pytest.mark.slow
def test_quotes_are_found_in_scanned_copies(tmp_path: Path) -> None:
    make_pdf(tmp_path / "paper.pdf", 3)
    true = {"file": "paper.pdf", "page": 2, "page_given": 2, "quote": SENTENCES[1]}
    changed = {**true, "quote": SENTENCES[1].replace("four", "five"), "expect": "not_found"}
    cases = tmp_path / "cases.jsonl"
    cases.write_text("\n".join(map(json.dumps, (true, changed))))
    figures = run({"cases": cases, "files": tmp_path, "as_scans": True})
    assert {name: figures[name] for name in ("cases", "right", "missed", "wrong")} == {
        "cases": 2,
        "right": 1,
        "missed": 0,
        "wrong": 0,
    }


def test_only_the_pages_of_the_cases_are_copied_and_counted_anew(tmp_path: Path) -> None:
    make_pdf(tmp_path / "paper.pdf", 4)
    (tmp_path / "broken.pdf").write_bytes(b"no pdf")
    cases = [
        Case("paper.pdf", "words", 4, page=4),
        Case("paper.pdf", "words", None, page=2),
        Case("broken.pdf", "words", 1, page=1),
    ]
    copies = tmp_path / "copies"
    renumbered = scanned(cases, tmp_path, copies)
    assert [(case.page, case.page_given) for case in renumbered] == [(2, 2), (1, None)]
    pages = list(parse_pages(copies / "paper.pdf"))
    assert [page.state for page in pages] == [PageState.NO_TEXT] * 2
    assert (round(pages[0].width), round(pages[0].height)) == (595, 842)
