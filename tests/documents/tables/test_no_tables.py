"""Prose, lists, references, formulas, frames, plots and algorithms are no tables."""

from collections.abc import Callable
from pathlib import Path

import pytest

from documents.parsing import parse_file
from tests.documents.tables.table_making import Canvas

PROSE = "The measured growth of the population slowed down in every region that we looked at."


def draw_prose(canvas: Canvas) -> None:
    for number in range(30):
        canvas.put(72, 90 + 14 * number, PROSE)


def draw_two_columns(canvas: Canvas) -> None:
    for x in (60, 320):
        for number in range(40):
            canvas.put(x, 90 + 14 * number, PROSE[:48])
    canvas.rule(60, 550, 70)
    canvas.rule(60, 550, 700)


def draw_list(canvas: Canvas) -> None:
    for number in range(12):
        canvas.put(72, 90 + 14 * number, f"({number})")
        canvas.put(100, 90 + 14 * number, PROSE[:60])


def draw_references(canvas: Canvas) -> None:
    canvas.put(72, 70, "References")
    for number in range(12):
        canvas.put(72, 90 + 28 * number, f"[{number}]")
        canvas.put(100, 90 + 28 * number, f"A. Author, B. Writer. {PROSE[:44]} 19{80 + number}.")
        canvas.put(100, 104 + 28 * number, "Journal of Sleep 12 (3), 45-67.")


def draw_formula(canvas: Canvas) -> None:
    draw_prose(canvas)
    for number in range(3):
        canvas.put(200, 540 + 20 * number, f"y = a x + {number}")
        canvas.put(500, 540 + 20 * number, f"({number})")


def draw_framed_text(canvas: Canvas) -> None:
    for y in (80, 300):
        canvas.rule(60, 550, y)
    for x in (60, 550):
        canvas.wall(x, 80, 300)
    for number in range(10):
        canvas.put(72, 100 + 14 * number, PROSE)


def draw_plot(canvas: Canvas) -> None:
    for number in range(6):
        canvas.rule(100, 400, 100 + 40 * number)
        canvas.wall(100 + 60 * number, 100, 300)
        canvas.put(80, 103 + 40 * number, f"{5 - number}")
        canvas.put(98 + 60 * number, 315, f"{number}0")
    canvas.put(100, 340, "Figure 1. What was measured, and when.")


def draw_algorithm(canvas: Canvas) -> None:
    for y in (80, 100, 240):
        canvas.rule(72, 400, y)
    canvas.put(75, 94, "Algorithm 1 Search")
    for number in range(8):
        canvas.put(75, 116 + 14 * number, f"{number + 1}:")
        canvas.put(100 + 10 * (number % 3), 116 + 14 * number, "if x < y then return x")


@pytest.mark.parametrize(
    "draw",
    [
        draw_prose,
        draw_two_columns,
        draw_list,
        draw_references,
        draw_formula,
        draw_framed_text,
        draw_plot,
        draw_algorithm,
    ],
)
def test_what_is_no_table_is_never_read_as_one(
    draw: Callable[[Canvas], None], tmp_path: Path
) -> None:
    canvas = Canvas()
    draw(canvas)
    (page,) = parse_file(canvas.save(tmp_path / "page.pdf")).pages
    assert page.tables == ()
