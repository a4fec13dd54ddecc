"""Judging blocks against hand-made truth: what counts as right, missed and false."""

import json
from pathlib import Path

import pytest

from documents.pages.blocks_evaluation import (
    Entry,
    Judgement,
    figures,
    judge,
    level_figures,
    read_truth,
    run,
)

DATA = Path(__file__).parents[2] / "data" / "blocks.jsonl"
PAPERS = Path(__file__).parents[4] / "shared" / "corpus" / "papers"


def counts(judgement: Judgement) -> tuple[int, int, int]:
    return len(judgement.right), len(judgement.missed), len(judgement.false)


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (Entry(1, "2.1 Study Design"), (1, 0, 0)),
        (Entry(1, "2.1  Study de-\nsign"), (1, 0, 0)),
        (Entry(1, "2.1 Study design. We asked 12 people whether they"), (0, 1, 1)),
        (Entry(1, "Study"), (0, 1, 1)),
        (Entry(2, "2.1 Study design"), (0, 1, 1)),
        (Entry(1, "Abstract"), (0, 1, 0)),
    ],
)
def test_a_heading_is_right_when_the_whole_of_it_stands_on_its_page(
    read: Entry, expected: tuple[int, int, int]
) -> None:
    truth, optional = [Entry(1, "2.1 Study design", 2)], [Entry(1, "Abstract")]
    assert counts(judge(truth, [read], optional, whole=True)) == expected


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (["[1] Böhmer C. G., and Harko T. 2007. Some title"], (1, 1, 0)),
        (["[1] B¨ohmer C. G., and Harko", "[2] Woo T.P., and Chiueh"], (2, 0, 0)),
        (["[1] Böhmer C. G. 2007. [2] Woo T.P., and Chiueh"], (1, 1, 0)),
        (["a line that belongs to the entry before", "Woo T. P."], (1, 1, 1)),
        (["ed. Springer, Berlin"], (0, 2, 0)),
        (["[1] Böhmer C. G.", "[1] Böhmer C. G."], (1, 1, 1)),
        (["As was shown by Böhmer C. G. in 2007"], (0, 2, 1)),
    ],
)
def test_an_entry_is_right_when_a_block_begins_with_its_first_words(
    read: list[str], expected: tuple[int, int, int]
) -> None:
    truth, optional = [Entry(4, "Böhmer C. G."), Entry(4, "Woo T.P.")], [Entry(4, "Springer")]
    blocks = [Entry(4, text) for text in read]
    assert counts(judge(truth, blocks, optional, whole=False)) == expected


def test_likely_pairs_are_not_spent_on_entries_that_only_look_alike() -> None:
    truth = [Entry(1, "Matos T., and Siddhartha"), Entry(1, "Matos T., Siddhartha")]
    read = [Entry(1, "[3] Matos T., Siddhartha Guzman"), Entry(1, "[2] Matos T., and Siddhartha")]
    judgement = judge(truth, read, (), whole=False)
    assert {(mine.text, other.text) for mine, other in judgement.right} == {
        ("Matos T., and Siddhartha", "[2] Matos T., and Siddhartha"),
        ("Matos T., Siddhartha", "[3] Matos T., Siddhartha Guzman"),
    }


def test_figures_are_counted_over_all_entries_and_nothing_has_no_share() -> None:
    truth = [Entry(1, "Results", 1), Entry(1, "Methods", 1), Entry(1, "Ethics", 2)]
    read = [Entry(1, "Results", 1), Entry(1, "Methods", 2), Entry(1, "Website", 3)]
    judgement = judge(truth, read, (), whole=True)
    assert figures([judgement]) == {
        "truth": 3,
        "right": 2,
        "missed": 1,
        "false": 1,
        "precision": 0.6667,
        "recall": 0.6667,
        "f1": 0.6667,
    }
    assert level_figures([judgement]) == {"headings": 2, "right": 1, "share": 0.5}
    assert figures([judge((), (), (), whole=True)])["f1"] is None


def test_truth_covers_ten_readable_papers_half_of_them_chinese() -> None:
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    readable = [row for row in rows if row.get("text_layer") != "garbled"]
    assert sum(row["language"] == "en" for row in readable) >= 5
    assert sum(row["language"] == "zh" for row in readable) >= 5
    for truth in read_truth(DATA):
        for entries in (*truth.classes.values(), truth.optional):
            assert all(entry.page >= 1 and entry.text for entry in entries), truth.file
            assert all(len(entry.text.split()) <= 12 for entry in entries), truth.file


def test_other_bytes_than_the_judged_ones_are_named_and_not_judged(tmp_path: Path) -> None:
    row = json.loads(DATA.read_text(encoding="utf-8").splitlines()[0])
    (tmp_path / row["file"]).write_bytes(b"%PDF-1.7 another edition")
    (tmp_path / "blocks.jsonl").write_text(json.dumps(row), encoding="utf-8")
    result = run({"data": tmp_path / "blocks.jsonl", "files": None})
    assert result["other_files"] == [row["file"]]
    assert result["papers"] == 0


@pytest.mark.skipif(not PAPERS.is_dir(), reason="the corpus is not beside this checkout")
def test_a_paper_is_parsed_and_judged_with_the_list_of_what_disagrees(tmp_path: Path) -> None:
    lines = DATA.read_text(encoding="utf-8").splitlines()
    row = next(row for line in lines if (row := json.loads(line))["file"].startswith("zh_law"))
    row["headings"].append({"page": 2, "level": 1, "text": "A heading that nobody printed"})
    (tmp_path / "blocks.jsonl").write_text(json.dumps(row), encoding="utf-8")
    result = run({"data": tmp_path / "blocks.jsonl", "files": PAPERS})
    headings = result["classes"]["headings"]
    assert headings["truth"] == len(row["headings"])
    assert headings["right"] >= 8
    assert "A heading that nobody printed" in [one["text"] for one in result["missed"]]
    assert headings["false"] == len([one for one in result["false"] if one["class"] == "headings"])


@pytest.mark.skipif(not PAPERS.is_dir(), reason="the corpus is not beside this checkout")
def test_only_the_pages_that_were_looked_at_are_judged(tmp_path: Path) -> None:
    lines = DATA.read_text(encoding="utf-8").splitlines()
    row = next(row for line in lines if (row := json.loads(line))["file"].startswith("zh_law"))
    row["pages"] = [1, 1]
    row["headings"] = [one for one in row["headings"] if one["page"] == 1]
    (tmp_path / "blocks.jsonl").write_text(json.dumps(row), encoding="utf-8")
    result = run({"data": tmp_path / "blocks.jsonl", "files": PAPERS})
    assert result["classes"]["headings"]["right"] == len(row["headings"])
    assert all(one["page"] == 1 for one in result["false"])
