"""Random tables: what a table called reliable says is so, else it is called unreliable."""

from collections.abc import Iterable
from pathlib import Path

import pytest

from documents.isolated.isolation import Reply
from documents.isolated.page_replies import page_of
from documents.isolated.pdf_operations import forget_document, page_text, survey
from documents.pages.page_text import ParsedPage
from documents.tables.table_continuation import with_continued_tables
from tests.documents.tables.made_table_faults import faults
from tests.documents.tables.made_tables import made_table

SEEDS = range(120)
STEP = 30
FEWEST_RELIABLE = 0.15


def page_in(path: Path) -> ParsedPage:
    """What the reader process says of the only page; asked here, since a child is slow to begin."""
    usual = survey(str(path))[0]["size"]
    reply = Reply(*page_text(str(path), 1, usual))
    forget_document()
    (page,) = with_continued_tables([page_of(reply, 1)])
    return page


ONCE_WRONG = (
    2758, 3111, 4429, 4864, 7714, 8575, 8634, 9042, 9322, 10172, 10527, 10569, 12829, 14239, 15649,
    15732, 16217, 21976, 24000, 25483, 27243, 29223, 30569, 32105,
)  # fmt: skip
"""Wrapped labels beside names of groups, columns that touch, headers over one column or two."""


def wrong_cells(seeds: Iterable[int], folder: Path) -> tuple[dict[int, list[str]], int]:
    """By seed what its table says wrongly, and how many of the tables are reliable."""
    wrong: dict[int, list[str]] = {}
    reliable = 0
    for seed in seeds:
        made = made_table(seed)
        path = folder / f"{seed}.pdf"
        path.write_bytes(made.pdf)
        page = page_in(path)
        reliable += any(table.reliable for table in page.tables)
        if found := faults(made, page):
            wrong[seed] = found
    return wrong, reliable


@pytest.mark.parametrize("start", SEEDS[::STEP])
def test_no_cell_of_a_reliable_table_is_wrong(start: int, tmp_path: Path) -> None:
    wrong, reliable = wrong_cells(range(start, start + STEP), tmp_path)
    assert not wrong
    assert reliable >= FEWEST_RELIABLE * STEP


def test_tables_that_were_wrong_once_are_right_or_doubted(tmp_path: Path) -> None:
    wrong, _ = wrong_cells(ONCE_WRONG, tmp_path)
    assert not wrong


def test_one_seed_makes_one_page() -> None:
    assert made_table(7).pieces == made_table(7).pieces
    assert made_table(7).pieces != made_table(8).pieces
