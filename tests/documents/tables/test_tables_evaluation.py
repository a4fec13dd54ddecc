"""Judging tables against hand-made truth: right, wrong column, wrong row and the rest."""

import json
from pathlib import Path

import numpy as np
import pytest

from documents.pages.page_text import Cell, PageState, ParsedPage, Table
from documents.tables.table_judging import TrueCell, TrueTable, judge_table, overlap, read_truth
from documents.tables.tables_evaluation import run, summarize
from documents.tables.truth_cells import headers_agree, headers_contradict, same_label, same_value

Row = tuple[Cell, ...]

DATA = Path(__file__).parents[2] / "data" / "tables.jsonl"
PAPERS = Path(__file__).parents[4] / "shared" / "corpus" / "papers"
TEXT = "Group Score P Men 8.2 0.03 Women 9.1 0.04"
PLACES = {
    "Group": (0.1, 0.1),
    "Score": (0.4, 0.1),
    "P": (0.7, 0.1),
    "Men": (0.1, 0.2),
    "8.2": (0.4, 0.2),
    "0.03": (0.7, 0.2),
    "Women": (0.1, 0.3),
    "9.1": (0.4, 0.3),
    "0.04": (0.7, 0.3),
}


def cell(
    text: str,
    column: int,
    *,
    headers: tuple[str, ...] = (),
    path: tuple[str, ...] = (),
    at: str | None = None,
    is_header: bool = False,
) -> Cell:
    start = TEXT.index(text)
    x, y = PLACES[at or text]
    rect = (x, y, x + 0.2, y + 0.05)
    return Cell(
        text, ((start, start + len(text)),), rect, headers, path, column, is_header=is_header
    )


def page(*body: Row, reliable: bool = True) -> ParsedPage:
    boxes = np.zeros((len(TEXT), 4), dtype=np.float32)
    for text, (x, y) in PLACES.items():
        start = TEXT.index(text)
        for place in range(start, start + len(text)):
            left = x + 0.01 * (place - start)
            boxes[place] = (left, y, left + 0.01, y + 0.03)
    header = tuple(cell(text, i, is_header=True) for i, text in enumerate(("Group", "Score", "P")))
    table = Table(0, len(TEXT), (0.1, 0.1, 0.9, 0.35), (header, *body), reliable, method="test")
    return ParsedPage(1, "1", PageState.OK, TEXT, boxes, 600, 800, tables=(table,))


MEN = (
    cell("Men", 0, path=("Men",)),
    cell("8.2", 1, headers=("Score",), path=("Men",)),
    cell("0.03", 2, headers=("P",), path=("Men",)),
)
WOMEN = (
    cell("Women", 0, path=("Women",)),
    cell("9.1", 1, headers=("Score",), path=("Women",)),
    cell("0.04", 2, headers=("P",), path=("Women",)),
)
TRUTH = TrueTable(
    "a.pdf",
    "0",
    1,
    "Table 1",
    (0.1, 0.1, 0.9, 0.35),
    ("ruled",),
    3,
    (("Score",), ("P",)),
    (
        TrueCell("8.2", ("Men",), 0),
        TrueCell("0.03", ("Men",), 1),
        TrueCell("9.1", ("Women",), 0),
        TrueCell("0.04", ("Women",), 1),
    ),
)


def verdicts(*body: Row) -> list[str]:
    return [one.verdict for one in judge_table(TRUTH, page(*body)).cells]


def swapped(row: Row, first: str, second: str) -> Row:
    """The row with the headers of two columns exchanged."""
    new = list(row)
    new[1], new[2] = (
        cell(first, 2, headers=("P",), path=row[0].row_path),
        cell(second, 1, headers=("Score",), path=row[0].row_path),
    )
    return tuple(new)


def test_cells_under_their_headers_in_their_rows_are_right() -> None:
    judgement = judge_table(TRUTH, page(MEN, WOMEN))
    assert [one.verdict for one in judgement.cells] == ["right"] * 4
    figures = summarize([judgement])
    assert figures["reliable_share"] == 1
    assert figures["cells"]["right_share"] == 1
    assert figures["cells"]["row_path_share"] == 1
    assert figures["grid_columns_right"] == 1


def test_a_value_under_the_header_of_another_column_is_in_a_wrong_column() -> None:
    assert verdicts(swapped(MEN, "8.2", "0.03"), WOMEN)[:2] == ["wrong_column"] * 2


def test_headers_that_are_right_on_cells_that_stand_the_other_way_round_are_a_wrong_column() -> (
    None
):
    exchanged = (
        MEN[0],
        cell("0.03", 1, headers=("P",), path=("Men",)),
        cell("8.2", 2, headers=("Score",), path=("Men",)),
    )
    columns = (("P",), ("Score",))
    cells = (TrueCell("0.03", ("Men",), 0), TrueCell("8.2", ("Men",), 1))
    truth = TrueTable("a.pdf", "0", 1, "", TRUTH.rect, ("ruled",), 3, columns, cells)
    judged = judge_table(truth, page(exchanged, WOMEN)).cells
    assert [one.verdict for one in judged] == ["wrong_column"] * 2


def test_a_value_in_another_row_or_without_its_header_or_out_of_its_box_is_told_apart() -> None:
    shifted = (
        cell("Men", 0, path=("Men",)),
        cell("9.1", 1, headers=("Score",), path=("Men",)),
        cell("0.03", 2, path=("Men",)),
    )
    other = (
        cell("Women", 0, path=("Women",)),
        cell("8.2", 1, headers=("Score",), path=("Women",)),
        cell("0.04", 2, headers=("P",), path=("Women",), at="Group"),
    )
    assert verdicts(shifted, other) == ["wrong_row", "wrong_header", "wrong_row", "misplaced"]


def test_a_value_run_together_with_its_neighbour_is_joined_and_a_lost_one_missing() -> None:
    start = TEXT.index("8.2")
    both = Cell("8.2 0.03", ((start, start + 8),), (0.4, 0.2, 0.9, 0.25), ("Score",), ("Men",), 1)
    assert verdicts((MEN[0], both), WOMEN[:2]) == ["joined", "joined", "right", "missing"]


def test_a_group_that_is_none_misleads_though_value_and_header_are_right() -> None:
    grouped = (
        cell("Men", 0, path=("Women", "Men")),
        cell("8.2", 1, headers=("Score",), path=("Women", "Men")),
        cell("0.03", 2, headers=("P",), path=("Women", "Men")),
    )
    figures = summarize([judge_table(TRUTH, page(grouped, WOMEN))])["cells"]
    assert figures["right"] == 2
    assert figures["row_path_misled"] == 2


def test_an_unreliable_table_is_found_but_its_cells_are_counted_apart() -> None:
    figures = summarize([judge_table(TRUTH, page(swapped(MEN, "8.2", "0.03"), reliable=False))])
    assert (figures["found"], figures["reliable"]) == (1, 0)
    assert figures["cells"]["wrong_column"] == 0
    assert figures["unreliable_cells"]["wrong_column"] == 2


def test_a_table_elsewhere_on_the_page_is_not_this_one() -> None:
    far = TrueTable("a.pdf", "0", 1, "", (0.1, 0.6, 0.9, 0.9), (), 3, (("P",),), TRUTH.cells[:1])
    judgement = judge_table(far, page(MEN, WOMEN))
    assert judgement.read is None
    assert judgement.cells == ()
    assert overlap((0, 0, 1, 1), (0, 0, 1, 0.5)) == 0.5


@pytest.mark.parametrize(
    ("truth", "read", "expected"),
    [
        ("−0.50 [−0.88–−0.11]", "-0.50 [-0.88–\n-0.11]", True),
        ("0.98***", "0.98∗∗∗", True),
        ("11.21±0.74", "11.21 +−0.74", True),
        ("1.5", "15", False),
        ("−0.3", "0.3", False),
        ("0.98***", "0.98", False),
        ("Anxiety subscale: 5 items", "Anxi-ety sub-scale: 5 items", True),
        ("P1", "P2", False),
    ],
)
def test_values_are_compared_strictly(truth: str, read: str, expected: bool) -> None:
    assert same_value(truth, read) is expected


def test_labels_may_go_on_only_where_they_are_long() -> None:
    assert same_label("Survey Wave4", "Survey Wave4 2023")
    assert not same_label("Item 1", "Item 11")
    assert same_label("%", "%")
    assert not same_label("%", "n")


def test_header_paths_agree_with_all_their_names_and_no_others() -> None:
    assert headers_agree(("PHQ-8", "P"), ("PHQ-8", "P"))
    assert headers_agree(("95% Confidence",), ("95% Con-", "fidence"))
    assert headers_agree(("Parameters?", "Value"), ("Value",))
    assert headers_agree((), ("anything",))
    assert not headers_agree(("PHQ-8", "P"), ("P",))
    assert not headers_contradict(("PHQ-8", "P"), ("P",))
    assert headers_contradict(("PHQ-8", "P"), ("GAD-7", "P"))
    assert headers_contradict(("GAD-7", "Summary"), ("GAD-7", "P"))
    assert not headers_contradict(("End of the year",), ("End of",))
    assert headers_contradict(
        ("End of the year",), ("End of",), [("End of",), ("End of the year",)]
    )


def test_truth_holds_at_least_thirty_tables_of_every_kind_with_their_cells() -> None:
    tables, empty = read_truth(DATA)
    assert len(tables) >= 30
    kinds = {kind for table in tables for kind in table.kinds}
    assert kinds >= {
        "ruled",
        "three-line",
        "unruled",
        "panels",
        "wrapped headers",
        "spanning headers",
        "spanning pages",
        "rotated",
        "Chinese",
    }
    for table in tables:
        x0, y0, x1, y1 = table.rect
        assert 0 <= x0 < x1 <= 1, table.label
        assert 0 <= y0 < y1 <= 1, table.label
        assert all(cell.row and cell.column < len(table.columns) for cell in table.cells)
    assert sum(len(table.cells) for table in tables) >= 800
    assert sum(map(len, empty.values())) >= 100


@pytest.mark.skipif(not PAPERS.is_dir(), reason="the corpus is not beside this checkout")
def test_other_bytes_are_named_and_tables_on_pages_without_any_are_false(tmp_path: Path) -> None:
    rows = [json.loads(line) for line in DATA.read_text(encoding="utf-8").splitlines()]
    ruled = next(row for row in rows if row.get("label") == "表 8")
    changed = {**ruled, "sha256": "0" * 64, "file": "zh_paper_poems.pdf"}
    without = {"file": ruled["file"], "sha256": ruled["sha256"], "pages_without_tables": [16]}
    lines = [json.dumps(row) for row in (ruled, changed, without)]
    (tmp_path / "tables.jsonl").write_text("\n".join(lines), encoding="utf-8")
    result = run({"data": tmp_path / "tables.jsonl", "files": PAPERS})
    assert result["other_files"] == ["zh_paper_poems.pdf"]
    assert result["tables"] == 1
    assert result["false_tables"] >= result["found"]
