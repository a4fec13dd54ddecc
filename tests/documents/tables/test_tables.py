"""Tables out of real pages: values under their headers, or honestly unreliable."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from documents.pages.page_text import BlockKind, Cell, ParsedPage, Table
from documents.parsing import parse_file, parse_pages
from tests.documents.tables.table_making import CHINESE, Canvas

Found = dict[tuple[str, ...], str]


def read(canvas: Canvas, tmp_path: Path) -> tuple[ParsedPage, ...]:
    return parse_file(canvas.save(tmp_path / "table.pdf")).pages


def only_table(pages: tuple[ParsedPage, ...]) -> Table:
    (table,) = (table for page in pages for table in page.tables)
    return table


def values(table: Table) -> Found:
    """By row path and header path, what the cells of a table say."""
    assert table.reliable
    return {
        (*cell.row_path, *cell.header_path): cell.text
        for row in table.rows
        for cell in row
        if not cell.is_header and cell.column
    }


def cells(table: Table) -> list[Cell]:
    return [cell for row in table.rows for cell in row]


def three_line_table(canvas: Canvas, *, top: float = 120) -> None:
    """Table 1 with a spanning header over each pair of columns."""
    places = (80, 210, 270, 340, 400)
    canvas.put(80, top - 12, "Table 1: Growth by group and year")
    canvas.rule(75, 430, top)
    canvas.put(220, top + 14, "Boys", align="centre")
    canvas.put(350, top + 14, "Girls", align="centre")
    canvas.rule(180, 275, top + 18)
    canvas.rule(310, 405, top + 18)
    canvas.row(top + 30, places, ("Group", "1999", "2009", "1999", "2009"), align="right")
    canvas.rule(75, 430, top + 36)
    for number, row in enumerate(
        (("North", "1.5", "-0.3", "12.1", "0.07"), ("South", "2.5", "0.4", "8.25", "1.00"))
    ):
        canvas.row(top + 50 + 14 * number, places, row, align="right")
    canvas.rule(75, 430, top + 70)
    canvas.put(80, top + 82, "Notes: all numbers are made up.")


def test_a_rule_below_a_spanning_header_says_which_columns_it_names(tmp_path: Path) -> None:
    canvas = Canvas()
    three_line_table(canvas)
    (page,) = read(canvas, tmp_path)
    (table,) = page.tables
    assert values(table) == {
        ("North", "Boys", "1999"): "1.5",
        ("North", "Boys", "2009"): "-0.3",
        ("North", "Girls", "1999"): "12.1",
        ("North", "Girls", "2009"): "0.07",
        ("South", "Boys", "1999"): "2.5",
        ("South", "Boys", "2009"): "0.4",
        ("South", "Girls", "1999"): "8.25",
        ("South", "Girls", "2009"): "1.00",
    }
    assert table.caption is not None
    assert page.text[slice(*table.caption)] == "Table 1: Growth by group and year"
    assert [page.text[start:end] for start, end in table.notes] == [
        "Notes: all numbers are made up."
    ]
    assert [block.kind for block in page.blocks if block.start == table.start] == [BlockKind.TABLE]


def test_a_grid_joins_wrapped_cells_and_names_columns_by_merged_headers(tmp_path: Path) -> None:
    canvas = Canvas()
    canvas.put(80, 88, "Table 2 What was asked")
    for y in (100, 160, 200):
        canvas.rule(80, 400, y)
    canvas.rule(180, 400, 130)
    for x in (80, 180, 400):
        canvas.wall(x, 100, 200)
    canvas.wall(290, 130, 200)
    canvas.put(85, 114, "Question")
    canvas.put(290, 118, "Answers", align="centre")
    canvas.put(185, 148, "Before")
    canvas.put(295, 148, "After")
    canvas.put(85, 174, "How well do")
    canvas.put(85, 188, "you sleep?")
    canvas.put(185, 174, "well")
    canvas.put(295, 174, "not well")
    table = only_table(read(canvas, tmp_path))
    assert table.method == "grid"
    assert values(table) == {
        ("How well do you sleep?", "Answers", "Before"): "well",
        ("How well do you sleep?", "Answers", "After"): "not well",
    }


def test_panels_and_standard_errors_of_a_regression_table_keep_their_rows(tmp_path: Path) -> None:
    canvas = Canvas()
    places = (80, 260, 340)
    canvas.put(80, 100, "Table 3: Effect on wages")
    canvas.rule(75, 350, 110)
    canvas.row(124, places, ("", "(1)", "(2)"), align="right")
    canvas.rule(75, 350, 130)
    canvas.put(80, 146, "Panel A: Men")
    canvas.row(162, places, ("Schooling", "0.081***", "0.075**"), align="right")
    canvas.row(176, places, ("", "(0.012)", "(0.031)"), align="right")
    canvas.put(80, 196, "Panel B: Women")
    canvas.row(212, places, ("Schooling", "0.102***", "0.064"), align="right")
    canvas.row(226, places, ("", "(0.020)", "(0.055)"), align="right")
    canvas.rule(75, 350, 234)
    table = only_table(read(canvas, tmp_path))
    assert table.reliable
    found = {(c.text, c.row_path, c.header_path) for c in cells(table) if c.column == 1}
    assert ("0.081***", ("Panel A: Men", "Schooling"), ("(1)",)) in found
    assert ("(0.012)", ("Panel A: Men", "Schooling"), ("(1)",)) in found
    assert ("0.102***", ("Panel B: Women", "Schooling"), ("(1)",)) in found
    assert ("(0.020)", ("Panel B: Women", "Schooling"), ("(1)",)) in found


@pytest.mark.parametrize(("second", "reliable"), [(False, True), (True, False)])
def test_a_panel_that_may_have_headers_of_its_own_makes_a_table_unreliable(
    second: bool, reliable: bool, tmp_path: Path
) -> None:
    canvas = Canvas()
    canvas.put(80, 100, "Table 3: Returns to schooling")
    canvas.rule(75, 350, 110)
    lines = [("", "(1)", "(2)"), ("Panel A: Men",)]
    lines += [("Schooling", "0.081", "0.075"), ("Experience", "0.012", "0.031")]
    lines += [("Panel B: Women",)]
    lines += [("Outcome", "Wage", "Hours")] if second else []
    lines += [("Schooling", "0.102", "0.064"), ("Experience", "0.020", "0.055")]
    for number, line in enumerate(lines):
        canvas.put(80, 124 + 16 * number, line[0])
        canvas.row(124 + 16 * number, (260, 340)[: len(line) - 1], line[1:], align="right")
    canvas.rule(75, 350, 130)
    canvas.rule(75, 350, 132 + 16 * (len(lines) - 1))
    assert only_table(read(canvas, tmp_path)).reliable is reliable


def test_a_chinese_table_is_read_like_any_other(tmp_path: Path) -> None:
    canvas = Canvas()
    places = (80, 200, 300)
    canvas.put(80, 100, "表1 各地区样本", font=CHINESE)
    for y in (110, 130, 180):
        canvas.rule(75, 350, y)
    canvas.row(124, places, ("地区", "人数", "均值"), font=CHINESE)
    canvas.row(146, places, ("北方", "120", "3.5"), font=CHINESE)
    canvas.row(162, places, ("南方", "88", "4.25"), font=CHINESE)
    table = only_table(read(canvas, tmp_path))
    assert values(table) == {
        ("北方", "人数"): "120",
        ("北方", "均值"): "3.5",
        ("南方", "人数"): "88",
        ("南方", "均值"): "4.25",
    }


def test_a_part_on_the_next_page_stands_under_the_headers_of_the_first(tmp_path: Path) -> None:
    canvas = Canvas()
    canvas.put(80, 588, "Table 4 Many rows")

    def part(top: float, rows: list[tuple[str, str]]) -> None:
        for number, row in enumerate(rows):
            canvas.row(top + 14 + 20 * number, (85, 205), row)
        for number in range(len(rows) + 1):
            canvas.rule(80, 320, top + 20 * number)
        for x in (80, 200, 320):
            canvas.wall(x, top, top + 20 * len(rows))

    part(600, [("Year", "Yield"), ("1990", "1.1"), ("1991", "1.2"), ("1992", "1.4")])
    canvas.turn()
    part(80, [("1993", "1.7"), ("1994", "1.9"), ("1995", "2.0")])
    whole = read(canvas, tmp_path)
    first, second = (page.tables[0] for page in whole)
    assert values(first)["1990", "Yield"] == "1.1"
    assert second.continues
    assert values(second) == {
        ("1993", "Yield"): "1.7",
        ("1994", "Yield"): "1.9",
        ("1995", "Yield"): "2.0",
    }
    (resumed,) = parse_pages(tmp_path / "table.pdf", start=2, before=whole[0])
    assert resumed.tables == whole[1].tables


def test_a_table_turned_on_an_upright_page_has_its_boxes_where_it_stands(tmp_path: Path) -> None:
    canvas = Canvas()
    lines = [("Group", "Count"), ("North", "17"), ("South", "23")]
    canvas.page.insert_text((100, 400), "Table 5: Turned", rotate=90, fontsize=10)
    for number, (label, count) in enumerate(lines):
        x = 130 + 20 * number
        canvas.page.insert_text((x, 400), label, rotate=90, fontsize=10)
        canvas.page.insert_text((x, 280), count, rotate=90, fontsize=10)
    for x in (114, 136, 180):
        canvas.wall(x, 230, 405)
    (page,) = read(canvas, tmp_path)
    (table,) = page.tables
    assert values(table) == {("North", "Count"): "17", ("South", "Count"): "23"}
    (seventeen,) = (cell for cell in cells(table) if cell.text == "17")
    x0, y0, x1, y1 = seventeen.rect
    assert x0 * page.width < 150 < x1 * page.width + 1
    assert y0 * page.height < 275 < y1 * page.height


@pytest.mark.parametrize("gap", [2.0, 3.0])
def test_numbers_too_near_each_other_are_parted_by_their_headers_or_not_at_all(
    tmp_path: Path, gap: float
) -> None:
    canvas = Canvas()
    canvas.put(80, 100, "Table 6 Tight columns")
    for y in (110, 130, 200):
        canvas.rule(75, 300, y)
    places = (80, 200, 222.5 + gap)
    canvas.row(124, places, ("Name", "AA", "BB"), align="right")
    for number in range(4):
        canvas.row(
            146 + 14 * number, places, (f"Row {number}", "81.25", f"4{number}.5"), align="right"
        )
    table = only_table(read(canvas, tmp_path))
    if table.reliable:
        assert values(table)["Row 1", "AA"] == "81.25"
        assert values(table)["Row 1", "BB"] == "41.5"
    else:
        assert table.rows == ()


def test_a_cell_that_reaches_into_the_next_column_makes_the_table_unreliable(
    tmp_path: Path,
) -> None:
    canvas = Canvas()
    canvas.put(80, 100, "Table 7 No clear columns")
    for y in (110, 130, 200):
        canvas.rule(75, 400, y)
    canvas.row(124, (80, 180, 300), ("Name", "What", "Why"))
    canvas.row(146, (80, 180, 300), ("One", "a long answer that goes on", "because"))
    canvas.row(162, (80, 180, 260), ("Two", "short", "because it may reach"))
    canvas.row(178, (80, 180, 300), ("Three", "another one", "for no reason"))
    (page,) = read(canvas, tmp_path)
    (table,) = page.tables
    assert not table.reliable
    assert table.rows == ()
    assert "a long answer that goes on" in page.text


word = st.text(alphabet="abcdefghij", min_size=1, max_size=9)
number = st.decimals(min_value=-999, max_value=999, places=2).map(str)


@st.composite
def drawn_tables(draw: st.DrawFn) -> tuple[list[list[str]], str]:
    columns = draw(st.integers(2, 5))
    rows = draw(st.integers(2, 8))
    header = draw(st.lists(word, min_size=columns, max_size=columns, unique=True))
    labels = draw(st.lists(word, min_size=rows, max_size=rows, unique=True))
    body = [[label, *(draw(number) for _ in range(columns - 1))] for label in labels]
    return [header, *body], draw(st.sampled_from(["grid", "three-line"]))


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(drawn_tables())
def test_drawn_tables_come_back_cell_by_cell_without_overlaps(
    tmp_path: Path, drawn: tuple[list[list[str]], str]
) -> None:
    rows, style = drawn
    canvas = Canvas()
    width, top, pitch = 80, 120, 20
    right = 80 + width * len(rows[0])
    canvas.put(80, top - 10, "Table 1 Drawn")
    for index, row in enumerate(rows):
        for column, text in enumerate(row):
            canvas.put(84 + width * column, top + 14 + pitch * index, text)
        if style == "grid" or index < 2:
            canvas.rule(80, right, top + pitch * index)
    canvas.rule(80, right, top + pitch * len(rows))
    if style == "grid":
        for column in range(len(rows[0]) + 1):
            canvas.wall(80 + width * column, top, top + pitch * len(rows))
    (page,) = read(canvas, tmp_path)
    (table,) = page.tables
    assert table.reliable
    assert [[cell.text for cell in row] for row in table.rows] == rows
    for read_row in table.rows[1:]:
        assert [cell.header_path for cell in read_row] == [(name,) for name in rows[0]]
    check_geometry(page, table)


def check_geometry(page: ParsedPage, table: Table) -> None:
    """Cells do not overlap, and each letter inside the table belongs to exactly one of them."""
    found = cells(table)
    for index, one in enumerate(found):
        for other in found[index + 1 :]:
            across = min(one.rect[2], other.rect[2]) - max(one.rect[0], other.rect[0])
            down = min(one.rect[3], other.rect[3]) - max(one.rect[1], other.rect[1])
            assert across < 1e-3 or down < 1e-3
    owners = np.zeros(len(page.text), int)
    for cell in found:
        for start, end in cell.spans:
            assert 0 <= start < end <= len(page.text)
            owners[start:end] += 1
    x0, y0, x1, y1 = table.rect
    middle = (page.boxes[:, :2] + page.boxes[:, 2:]) / 2
    inside = (middle[:, 0] > x0) & (middle[:, 0] < x1) & (middle[:, 1] > y0) & (middle[:, 1] < y1)
    inked = inside & (page.boxes[:, 2] > page.boxes[:, 0])
    inked &= np.array([not sign.isspace() for sign in page.text])
    assert (owners[inked] == 1).all()


def test_a_row_that_names_the_columns_anew_names_them_for_the_rows_below_it(tmp_path: Path) -> None:
    canvas = Canvas()
    rows = [
        ("", "This year", "Last year"),
        ("Sales", "12.5", "11.0"),
        ("", "At its end", "At its beginning"),
        ("Assets", "99.1", "98.2"),
    ]
    canvas.put(80, 90, "Table 8 Two halves")
    for number, row in enumerate(rows):
        canvas.row(114 + 20 * number, (85, 185, 285), row)
    for number in range(len(rows) + 1):
        canvas.rule(80, 380, 100 + 20 * number)
    for x in (80, 180, 280, 380):
        canvas.wall(x, 100, 180)
    assert values(only_table(read(canvas, tmp_path))) == {
        ("Sales", "This year"): "12.5",
        ("Sales", "Last year"): "11.0",
        ("Assets", "At its end"): "99.1",
        ("Assets", "At its beginning"): "98.2",
    }


def test_characters_that_nobody_writes_make_a_table_unreliable(tmp_path: Path) -> None:
    canvas = Canvas()
    canvas.put(80, 100, "表2 数量", font=CHINESE)
    for y in (110, 130, 180):
        canvas.rule(75, 350, y)
    canvas.row(124, (80, 200, 300), ("时代", "诗人", "诗歌"), font=CHINESE)
    canvas.row(146, (80, 200, 300), ("唐", "朳朳朶朹", "朵朴朶朸朵"), font=CHINESE)
    canvas.row(162, (80, 200, 300), ("宋", "朹朶朴朷", "朲朸朰朹朷朱"), font=CHINESE)
    table = only_table(read(canvas, tmp_path))
    assert not table.reliable
    assert table.rows == ()


def test_words_that_run_through_a_rule_make_a_grid_unreliable(tmp_path: Path) -> None:
    canvas = Canvas()
    canvas.put(72, 110, "Table 1: Results by kind")
    places = (76, 164, 244, 324)
    for y in (120, 140, 160, 180, 200):
        canvas.rule(72, 400, y)
    for x in (72, 160, 240, 320, 400):
        canvas.wall(x, 120, 200)
    canvas.row(134, places, ("Kind", "First", "Second", "Third"))
    canvas.row(154, places, ("stone", "11", "12", "13"))
    canvas.row(174, (76, 164, 324), ("wood", "a very long value 21", "23"))
    canvas.row(194, places, ("clay", "31", "32", "33"))
    assert not only_table(read(canvas, tmp_path)).reliable


def test_columns_that_may_have_lost_their_group_make_a_table_unreliable(tmp_path: Path) -> None:
    canvas = Canvas()
    canvas.put(72, 110, "Table 1: Results by group")
    canvas.rule(70, 460, 120)
    canvas.put(180, 132, "Treated")
    canvas.put(340, 132, "Control")
    places = (72, 200, 280, 360, 440)
    canvas.row(148, places, ("Variable", "Mean", "SD", "Mean", "SD"), align="right")
    canvas.rule(70, 460, 154)
    for number in range(4):
        row = [f"item {number}", *(f"{number}.{place}" for place in range(4))]
        canvas.row(170 + 16 * number, places, row, align="right")
    canvas.rule(70, 460, 226)
    assert not only_table(read(canvas, tmp_path)).reliable
