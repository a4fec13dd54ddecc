import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from documents.pages.line_ends import flowing
from documents.pages.text_lines import text_lines


def boxes_of(text: str, *, columns: dict[int, float] | None = None) -> np.ndarray:
    """One row of letters for each line; `columns` moves letters after an index to another place."""
    boxes = np.zeros((len(text), 4), np.float32)
    x, line = 0.1, 0
    for index, sign in enumerate(text):
        if sign == "\n":
            x, line = 0.1, line + 1
            continue
        x = (columns or {}).get(index, x)
        boxes[index] = (x, 0.1 + line * 0.05, x + 0.01, 0.12 + line * 0.05)
        x += 0.01
    return boxes


def test_each_line_of_the_page_is_one_run_at_its_place() -> None:
    text = "two lines\nof text"
    first, second = text_lines(text, boxes_of(text), width=500, height=1000)
    assert (first.text, second.text) == ("two lines", "of text")
    assert first.x == second.x == np.float32(0.1) * 500
    assert 100 < first.y < 120
    assert 150 < second.y < 170
    assert abs(first.length - 45) < 0.01


def test_a_wide_gap_starts_a_new_run() -> None:
    text = "left right"
    runs = text_lines(text, boxes_of(text, columns={5: 0.7}), width=500, height=1000)
    assert [run.text for run in runs] == ["left ", "right"]


def test_words_cover_their_run_without_gap_and_start_where_they_are_printed() -> None:
    text = "one two three"
    (run,) = text_lines(text, boxes_of(text, columns={4: 0.15, 8: 0.2}), width=500, height=1000)
    assert [word.text for word in run.words] == ["one ", "two ", "three"]
    assert [round(word.x) for word in run.words] == [50, 75, 100]
    ends = [word.x + word.length for word in run.words]
    assert np.allclose(ends, [75, 100, run.x + run.length], atol=0.01)


def test_turned_text_is_turned() -> None:
    text = "down"
    boxes = np.array([[0.5, 0.1 + i * 0.02, 0.52, 0.12 + i * 0.02] for i in range(4)], np.float32)
    down = text_lines(text, boxes, width=1000, height=1000)[0]
    up = text_lines(text, boxes[::-1], width=1000, height=1000)[0]
    assert (down.turn, up.turn) == (90, -90)
    assert abs(down.length - 80) < 0.1


@given(st.text("ab \n中", max_size=60))
def test_runs_hold_all_ink_of_the_page_in_order(text: str) -> None:
    runs = text_lines(text, boxes_of(text), width=500, height=1000)
    assert "".join("".join(run.text.split()) for run in runs) == "".join(text.split())
    words = "".join(word.text for run in runs for word in run.words)
    assert "".join(words.split()) == "".join(text.split())


def test_each_line_says_how_it_is_read_on() -> None:
    text = "a dynamic com-\npiled and well-\nknown short-\nand long word.\n二手车\n市场"
    lines = text_lines(text, boxes_of(text), width=500, height=1000)
    assert [line.joint for line in lines] == ["-", "", " ", " ", "", " "]
    joined = "".join(
        line.text[:-1] if line.joint == "-" else line.text + line.joint for line in lines
    )
    assert joined.strip() == flowing(text)
