"""What the first pages of real papers say, against what a person read on them."""

import itertools
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from documents.catalogue.front_lines import folded
from documents.catalogue.metadata import FRONT_PAGES, read_metadata
from documents.pages.page_text import Field
from documents.parsing import parse_pages, pdf_info

TRUTH = Path(__file__).parents[2] / "data" / "metadata.jsonl"
FLOORS = {
    "title": 49,
    "authors": 48,
    "year": 49,
    "venue": 47,
    "doi": 50,
    "arxiv_id": 51,
    "language": 51,
}
"""Of 51 papers, fields that are right. What is not right should be empty: see `MOST_WRONG`."""
MOST_WRONG = 1
Paper = tuple[dict[str, Any], dict[str, Field]]


@pytest.fixture(scope="module")
def papers(corpus: Path) -> list[Paper]:
    return list(_read(corpus / "papers"))


def _read(folder: Path) -> Iterator[Paper]:
    for line in TRUTH.read_text("utf-8").splitlines():
        truth = json.loads(line)
        path = folder / truth["file"]
        pages = tuple(itertools.islice(parse_pages(path), FRONT_PAGES))
        yield truth, read_metadata(pages, info=pdf_info(path), file_name="")


@pytest.mark.parametrize("name", FLOORS)
def test_what_is_read_is_right_or_else_empty(papers: list[Paper], name: str) -> None:
    verdicts = [_verdict(truth[name], found.get(name)) for truth, found in papers]
    counts = Counter(verdicts)
    odd = [
        f"{verdict}: {truth['file']}: {found.get(name)}"
        for (truth, found), verdict in zip(papers, verdicts, strict=True)
        if verdict != "right"
    ]
    assert counts["right"] >= FLOORS[name], "\n".join(odd)
    assert counts["wrong"] <= MOST_WRONG, "\n".join(odd)


def test_placeholders_and_accounts_are_nobody(papers: list[Paper]) -> None:
    authors = {truth["file"]: found.get("authors") for truth, found in papers}
    for file in ("zh_paper_poems.pdf", "zh_pair3_cpet.pdf", "en_pair3_cpet.pdf"):
        assert authors[file] is None  # 第一作者, "TODO: Author names"
    for file in ("zh_contest_fast.pdf", "zh_law_cybersecurity.pdf", "zh_contest_pricing.pdf"):
        assert authors[file] is None  # accounts in the file's own author field


def _verdict(truth: Any, field: Field | None) -> str:
    if field is None:
        return "right" if not truth else "empty"
    return "right" if _agree(truth, field.value) else "wrong"


def _agree(truth: Any, value: Any) -> bool:
    """A list of titles or venues holds what is equally right; a list of authors is one value."""
    if isinstance(value, list):
        return [folded(name) for name in value] == [folded(name) for name in truth]
    if isinstance(truth, list):
        return folded(value) in {folded(one) for one in truth}
    return bool(value == truth)
