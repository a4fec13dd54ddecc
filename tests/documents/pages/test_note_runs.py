"""Notes that stand too high on a page to be told by their place."""

import pytest

from documents.pages.block_roles import Look
from documents.pages.note_runs import with_whole_foot, with_whole_note_runs
from documents.pages.page_text import Block, BlockKind

PARAGRAPH, FOOTNOTE = BlockKind.PARAGRAPH, BlockKind.FOOTNOTE
SMALL, USUAL = 0.8, 1.0


@pytest.mark.parametrize(
    ("rows", "kinds"),
    [
        (
            [("1 See the report.", SMALL), ("2 Ibid.", SMALL), ("3 No data.", SMALL, FOOTNOTE)],
            [FOOTNOTE] * 3,
        ),
        ([("5 A note.", SMALL), ("7 Another.", SMALL, FOOTNOTE)], [PARAGRAPH, FOOTNOTE]),
        ([("1 Large as text.", USUAL), ("2 A note.", SMALL, FOOTNOTE)], [PARAGRAPH, FOOTNOTE]),
        ([("1 A note?", SMALL), ("2 Nobody knows.", SMALL)], [PARAGRAPH] * 2),
        ([("1.5 of them", SMALL), ("2 A note.", SMALL, FOOTNOTE)], [PARAGRAPH, FOOTNOTE]),
        ([("1 % of them", SMALL), ("2 A note.", SMALL, FOOTNOTE)], [PARAGRAPH, FOOTNOTE]),
        ([("Small print.", SMALL), ("1 A note.", SMALL, FOOTNOTE)], [PARAGRAPH, FOOTNOTE]),
    ],
)
def test_what_a_note_counts_on_from_is_a_note(
    rows: list[tuple[str, float] | tuple[str, float, BlockKind]], kinds: list[BlockKind]
) -> None:
    text, blocks, looks = "", [], []
    for words, size, *kind in rows:
        blocks.append(Block(kind[0] if kind else PARAGRAPH, len(text), len(text) + len(words)))
        looks.append(
            Look(lines=1, size=size, bold=False, x0=0.1, y0=0.5, x1=0.9, y1=0.52, turn=0, cells=1)
        )
        text += words + "\n"
    assert [block.kind for block in with_whole_note_runs(text, blocks, looks)] == kinds


@pytest.mark.parametrize(
    ("rows", "kinds"),
    [
        (
            [(FOOTNOTE, 0.80, SMALL), (PARAGRAPH, 0.82, SMALL), (PARAGRAPH, 0.84, SMALL)],
            [FOOTNOTE] * 3,
        ),
        ([(FOOTNOTE, 0.80, SMALL), (PARAGRAPH, 0.82, USUAL)], [FOOTNOTE, PARAGRAPH]),
        ([(FOOTNOTE, 0.80, SMALL), (PARAGRAPH, 0.20, SMALL)], [FOOTNOTE, PARAGRAPH]),
        ([(PARAGRAPH, 0.80, SMALL), (PARAGRAPH, 0.82, SMALL)], [PARAGRAPH] * 2),
        ([(FOOTNOTE, 0.80, SMALL), (BlockKind.MARGIN, 0.97, SMALL)], [FOOTNOTE, BlockKind.MARGIN]),
    ],
)
def test_what_stands_small_below_a_note_of_the_first_page_is_of_its_foot(
    rows: list[tuple[BlockKind, float, float]], kinds: list[BlockKind]
) -> None:
    blocks = [Block(kind, place, place + 1) for place, (kind, _, _) in enumerate(rows)]
    looks = [
        Look(lines=1, size=size, bold=False, x0=0.1, y0=y0, x1=0.5, y1=y0 + 0.01)
        for _, y0, size in rows
    ]
    assert [block.kind for block in with_whole_foot(blocks, looks)] == kinds
