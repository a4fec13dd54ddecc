"""Boxes survive storing; rectangles look as if drawn with a marker pen."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.pages.geometry import QUANTUM, line_rects, pack_boxes, unpack_boxes
from documents.pages.page_text import Boxes
from documents.parsing import parse_pages
from tests.documents.files import PDFS

fraction = st.floats(0, 1, width=32)


@given(st.lists(st.tuples(fraction, fraction, fraction, fraction), max_size=60))
def test_packed_boxes_come_back_within_half_a_quantum(
    corners: list[tuple[float, float, float, float]],
) -> None:
    boxes = np.array(
        [(min(a, c), min(b, d), max(a, c), max(b, d)) for a, b, c, d in corners], np.float32
    ).reshape(-1, 4)
    back = unpack_boxes(pack_boxes(boxes))
    assert back.shape == boxes.shape
    assert np.abs(back - boxes).max(initial=0) <= QUANTUM / 2 + 1e-6


def test_nothing_unpacks_to_no_boxes() -> None:
    assert unpack_boxes(b"").shape == (0, 4)


def test_a_page_of_text_and_boxes_takes_little_room() -> None:
    page = next(iter(parse_pages(PDFS / "article.pdf")))
    assert len(pack_boxes(page.boxes)) < 2 * len(page.text)


def row(x: float, y: float, letters: int, *, width: float = 0.01, height: float = 0.02) -> Boxes:
    steps = np.arange(letters) * width
    return np.column_stack(
        (x + steps, np.full(letters, y), x + steps + width, np.full(letters, y + height))
    ).astype(np.float32)


LINE_END = np.array([[0.5, 0.12, 0.5, 0.12]], np.float32)


def test_letters_of_one_line_become_one_rectangle() -> None:
    assert line_rects(row(0.1, 0.1, 20)) == [pytest.approx((0.1, 0.1, 0.3, 0.12), abs=1e-6)]


def test_a_raised_letter_stays_in_its_line() -> None:
    letters = row(0.1, 0.1, 6)
    letters[3] += (0, -0.006, 0, -0.012)
    assert len(line_rects(letters)) == 1


def test_lines_that_reach_into_each_other_are_drawn_without_overlap() -> None:
    first, second = line_rects(np.concatenate((row(0.1, 0.1, 9), row(0.1, 0.115, 9))))
    assert first[3] == second[1]
    assert first[1] < first[3] < second[3]


def test_a_line_end_parts_columns_that_stand_side_by_side() -> None:
    boxes = np.concatenate((row(0.1, 0.1, 9), LINE_END, row(0.21, 0.1, 9)))
    assert len(line_rects(boxes)) == 2


def test_a_gap_wider_than_between_words_parts_rectangles() -> None:
    assert len(line_rects(np.concatenate((row(0.1, 0.1, 9), row(0.3, 0.1, 9))))) == 2
    assert len(line_rects(np.concatenate((row(0.1, 0.1, 9), row(0.21, 0.1, 9))))) == 1


def test_turned_text_gives_tall_rectangles() -> None:
    turned = row(0.1, 0.1, 12)[:, [1, 0, 3, 2]]
    ((x0, y0, x1, y1),) = line_rects(turned)
    assert y1 - y0 > 5 * (x1 - x0)


def test_text_that_runs_backwards_on_the_page_is_one_rectangle_too() -> None:
    assert len(line_rects(row(0.1, 0.1, 12)[::-1])) == 1


def test_groups_are_never_joined_and_empty_ones_give_nothing() -> None:
    boxes = row(0.1, 0.1, 10)
    assert len(line_rects(boxes, [(0, 5), (5, 5), (5, 10)])) == 2
    assert line_rects(np.zeros((0, 4), np.float32)) == []
    assert line_rects(LINE_END) == []


@pytest.mark.parametrize("rise", [-0.001, -0.0004, 0.0004, 0.001])
def test_a_line_askew_is_drawn_in_steps_that_keep_to_its_letters(rise: float) -> None:
    places = np.arange(40)
    boxes = np.column_stack(
        (
            0.1 + 0.01 * places,
            0.5 + rise * places,
            0.11 + 0.01 * places,
            0.52 + rise * places,
        )
    )
    rects = line_rects(boxes.astype(np.float32))
    assert len(rects) > 1
    assert max(y1 - y0 for _, y0, _, y1 in rects) < 1.5 * 0.02
    for x0, y0, x1, y1 in boxes:
        middle = (x0 + x1) / 2, (y0 + y1) / 2
        assert sum(a <= middle[0] <= c and b <= middle[1] <= d for a, b, c, d in rects) == 1


def test_a_raised_mark_at_the_end_does_not_cut_a_line() -> None:
    letters = np.array([[0.1 + 0.01 * n, 0.5, 0.11 + 0.01 * n, 0.52] for n in range(10)])
    raised = np.array([[0.2, 0.497, 0.205, 0.509]])
    assert len(line_rects(np.vstack((letters, raised)).astype(np.float32))) == 1


def test_raised_and_lowered_signs_stay_in_the_rectangle_of_their_line() -> None:
    head = row(0.1, 0.1, 9, height=0.012)
    raised = row(0.19, 0.097, 1, width=0.006, height=0.008)
    lowered = row(0.19, 0.1065, 1, width=0.006, height=0.008)
    tail = row(0.2, 0.1, 9, height=0.012)
    for pieces in (
        (head, raised, lowered, tail),
        (head, raised, LINE_END, lowered, LINE_END, tail),
    ):
        ((x0, y0, x1, y1),) = line_rects(np.concatenate(pieces))
        assert [x0, x1] == pytest.approx([0.1, 0.29])
        assert [y0, y1] == pytest.approx([0.097, 0.1145])


def test_a_bracket_over_several_lines_does_not_lift_its_own() -> None:
    line = row(0.1, 0.1, 9, height=0.012)
    bracket = row(0.19, 0.08, 1, height=0.06)
    ((_, y0, x1, y1),) = line_rects(np.concatenate((line, bracket)))
    assert [y0, x1, y1] == pytest.approx([0.1, 0.2, 0.112])
