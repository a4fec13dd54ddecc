"""What is read off real papers, against hand-made truth: the bars that hold."""

from pathlib import Path

import pytest

from documents.pages import blocks_evaluation
from documents.tables import tables_evaluation

DATA = Path(__file__).parents[1] / "data"
PAPERS = Path(__file__).parents[3] / "shared" / "corpus" / "papers"

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not PAPERS.is_dir(), reason="the corpus is not beside this checkout"),
]


def test_headings_references_captions_and_footnotes_are_told_apart() -> None:
    result = blocks_evaluation.run({"data": DATA / "blocks.jsonl", "files": PAPERS})
    assert result["other_files"] == []
    assert result["papers"] >= 10
    f1 = {name: figures["f1"] for name, figures in result["classes"].items()}
    assert {name for name, value in f1.items() if value < 0.9} == set(), f1


def test_tables_called_reliable_have_their_cells_right_and_none_in_a_wrong_column() -> None:
    result = tables_evaluation.run({"data": DATA / "tables.jsonl", "files": PAPERS})
    assert result["other_files"] == []
    assert result["reliable_share"] >= 0.5
    assert result["cells"]["right_share"] >= 0.95, result["wrong"]
    wrong = [cell for cell in result["wrong"] if cell["verdict"] == "wrong_column"]
    assert wrong == []
    assert result["false_reliable"] == []
