"""Pages made to be slow to read as tables cost CPU time in proportion to what is on them."""

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from documents.isolated.pdf_operations import forget_document, page_text
from tests.pdfs.make import drawn

MOST_SECONDS = 8.0
"""CPU time of one page: four times what the slowest takes."""


class Drawn:
    """What is drawn on a page, from its top left corner in points."""

    def __init__(self) -> None:
        self.operators: list[str] = []

    def text(self, x: float, y: float, words: str, size: int = 4) -> None:
        self.operators.append(f"BT /F {size} Tf {x:.2f} {842 - y:.2f} Td ({words}) Tj ET")

    def line(self, x0: float, y0: float, x1: float, y1: float) -> None:
        self.operators.append(f"{x0:.2f} {842 - y0:.2f} m {x1:.2f} {842 - y1:.2f} l S")

    def save(self, path: Path) -> None:
        drawn("\n".join(["0.3 w", *self.operators])).save(path)


def digits_in_columns(page: Drawn, top: float) -> None:
    for y in range(99):
        for x in range(70):
            page.text(22 + x * 8, top + y * 8, str((x * y) % 10))


def cells_with_rules(page: Drawn, _: random.Random) -> None:
    for x in range(71):
        page.line(20 + x * 8, 20, 20 + x * 8, 820)
    for y in range(101):
        page.line(20, 20 + y * 8, 580, 20 + y * 8)
    digits_in_columns(page, 26)


def headers_of_many_rows(page: Drawn, rng: random.Random) -> None:
    page.text(20, 20, "Table 1. Very many.", 8)
    for y in (25, 600, 830):
        page.line(20, y, 590, y)
    for y in range(100):
        for x in range(70):
            if y >= 70 or rng.random() < 0.5:
                text = rng.choice(("ab", "b c", "Abc")) if y < 70 else "12"
                page.text(20 + x * 8, 36 + y * 7.9, text)


def thousands_of_lines(page: Drawn, rng: random.Random) -> None:
    page.text(20, 15, "Table 1. Very many.", 8)
    for number in range(10_000):
        page.line(20, 20 + number * 0.08, 590, 20 + number * 0.08)
        x, y = rng.uniform(20, 560), rng.uniform(20, 800)
        page.line(x, y, x, y + rng.uniform(5, 40))
    digits_in_columns(page, 36)


def words_anywhere(page: Drawn, rng: random.Random) -> None:
    page.text(20, 20, "Table 1. Very many.", 8)
    for _ in range(7_000):
        page.text(rng.uniform(20, 570), rng.uniform(30, 820), rng.choice(("a", "12", "bc")))


@pytest.mark.parametrize(
    "draw", [cells_with_rules, headers_of_many_rows, thousands_of_lines, words_anywhere]
)
def test_a_page_full_of_what_looks_like_tables_is_read_in_bounded_time(
    draw: Callable[[Drawn, random.Random], None], tmp_path: Path
) -> None:
    path = tmp_path / "hostile.pdf"
    page = Drawn()
    draw(page, random.Random(1))
    page.save(path)
    began = time.process_time()
    values, _ = page_text(str(path), 1, 0.0)
    assert time.process_time() - began < MOST_SECONDS
    assert len(values["text"]) > 5_000
    forget_document()
