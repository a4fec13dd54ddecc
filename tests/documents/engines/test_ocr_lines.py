"""Recognised lines become letters with boxes, column by column."""

import numpy as np
import pytest

from documents.engines.ocr_columns import column_by_column
from documents.engines.ocr_lines import SeenLine, as_raw_text, printed_width
from documents.pages.page_reading import read_page

Rect = tuple[float, float, float, float]


def line(text: str, rect: Rect, centres: list[float] | None = None) -> SeenLine:
    x0, y0, x1, y1 = rect
    corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]], np.float32)
    known = centres or [np.nan] * len(text)
    return SeenLine(text, corners, np.array(known, np.float32), 0.99)


def test_letters_share_a_line_by_their_width_in_print() -> None:
    raw = as_raw_text([line("il中m", (0, 0, 300, 60))], width=300, height=300, scale=1)
    widths = raw.boxes[:, 2] - raw.boxes[:, 0]
    assert widths[2] > widths[3] > widths[0]
    assert (raw.boxes[1:, 0] >= raw.boxes[:-1, 2] - 1e-3).all(), "no letter reaches into the next"
    assert raw.boxes[0, 0] >= 0
    assert raw.boxes[-1, 2] <= 300


def test_letters_stand_where_the_recogniser_saw_them() -> None:
    centres = [0.1, 0.2, np.nan, 0.8, 0.9]
    raw = as_raw_text([line("ab cd", (0, 0, 400, 20), centres)], width=400, height=40, scale=1)
    middles = (raw.boxes[:, 0] + raw.boxes[:, 2]) / 2
    assert middles[[0, 1, 3, 4]] == pytest.approx([40, 80, 320, 360], abs=0.6 * 17)
    assert raw.boxes[2, 0] == pytest.approx(raw.boxes[1, 2])
    assert raw.boxes[2, 2] == pytest.approx(raw.boxes[3, 0])


def test_a_line_askew_has_boxes_that_climb_with_it() -> None:
    corners = np.array([[0, 40], [400, 0], [400, 20], [0, 60]], np.float32)
    askew = SeenLine("climbing", corners, np.full(8, np.nan, np.float32), 0.9)
    raw = as_raw_text([askew], width=400, height=100, scale=1)
    assert (np.diff(raw.boxes[:, 1]) < 0).all()
    assert tuple(raw.direction[0]) == (1, 0)


def test_two_columns_are_read_one_after_the_other_below_their_title() -> None:
    lines = [line("A title over both of the columns", (20, 0, 780, 30))]
    for row in range(8):
        top = 60 + 24 * row
        lines.append(line(f"left row {row} of the first column", (20, top, 380, top + 22)))
        lines.append(line(f"right row {row} of the second", (400, top + 2, 770, top + 24)))
    page = read_page(as_raw_text(lines[::-1], width=800, height=1000, scale=1))
    rows = [row for row in page.text.split("\n") if row]
    assert rows[0].startswith("A title")
    assert [row.split()[2] for row in rows[1:]] == [*"01234567", *"01234567"]
    assert [row.split()[0] for row in rows[1:]] == ["left"] * 8 + ["right"] * 8


def test_pieces_of_a_row_are_put_side_by_side() -> None:
    rects = [(110.0, 0.0, 200.0, 20.0), (0.0, 1.0, 100.0, 21.0), (0.0, 30.0, 200.0, 50.0)]
    assert column_by_column(rects, [0, 0, 0], [17.0] * 3) == [1, 0, 2]


def two_columns() -> list[Rect]:
    """Lines of two columns, their gap narrow beside one long line, above lines across both."""
    rows = [20.0 * number for number in range(7)]
    left = [(0.0, v, 108.0 if number == 3 else 90.0, v + 18) for number, v in enumerate(rows)]
    right = [(115.0, v, 195.0, v + 18) for v in rows]
    wide = [(0.0, 250.0 + v, 195.0, 268.0 + v) for v in rows[:3]]
    return sorted([*left, *right, *wide])


def test_a_long_line_does_not_run_on_over_the_gap_between_columns() -> None:
    rects = two_columns()
    order = column_by_column(rects, [0] * len(rects), [15.0] * len(rects))
    left, right = order[:7], order[7:14]
    assert {rects[at][0] for at in left} == {0.0}
    assert {rects[at][0] for at in right} == {115.0}


def test_pieces_whose_neighbours_run_on_are_one_row() -> None:
    pieces = [(0.0, 60.0, 108.0, 78.0), (115.0, 60.0, 195.0, 78.0)]
    whole = [(0.0, v, 195.0, v + 18) for v in (0.0, 20.0, 40.0, 80.0, 100.0, 120.0)]
    rects = [*whole[:3], *pieces, *whole[3:]]
    assert column_by_column(rects, [0] * 8, [15.0] * 8) == [*range(8)]


def test_no_lines_make_an_empty_page() -> None:
    raw = as_raw_text([], width=100, height=100, scale=2)
    assert len(raw.codes) == 0
    assert read_page(raw).text == ""


@pytest.mark.parametrize("letter", ["中", "。", "Ａ"])
def test_full_width_letters_fill_a_square(letter: str) -> None:
    assert printed_width(letter) == 1.0


@pytest.mark.parametrize(
    ("degrees", "state"), [(-45, "unsupported_rotation"), (15, "unsupported_rotation"), (4, "ok")]
)
def test_lines_at_an_angle_are_no_place_to_draw_on(degrees: float, state: str) -> None:
    angle = np.radians(degrees)
    turn = np.array([[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]], np.float32)
    lines = []
    for number in range(8):
        text = f"line number {number} of a page that lies askew"
        seen = line(text, (0, 30 * number, 400, 30 * number + 20))
        lines.append(SeenLine(text, seen.corners @ turn + 400, seen.centres, 0.9))
    page = read_page(as_raw_text(lines, width=1000, height=1000, scale=1))
    assert page.state == state
