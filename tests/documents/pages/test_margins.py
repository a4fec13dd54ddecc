"""Running heads and feet come back at one height; what moves about is text."""

import numpy as np
import pytest

from documents.pages.margins import with_margins
from documents.pages.page_text import Block, BlockKind, PageState, ParsedPage

PARAGRAPH, MARGIN = BlockKind.PARAGRAPH, BlockKind.MARGIN
Row = tuple[str, float]
TEXT = ("Much is known of lemons, and more is said of them.", 0.4)


def page_of(number: int, *rows: Row | tuple[str, float, float, float]) -> ParsedPage:
    """A page with a paragraph of each row: its words, how low it stands, from where to where."""
    text, blocks, boxes = "", [], []
    for words, y, *across in rows:
        x0, x1 = across or (0.2, 0.8)
        blocks.append(Block(PARAGRAPH, len(text), len(text) + len(words)))
        text += words + "\n"
        boxes += [(x0, y, x1, y + 0.012)] * len(words) + [(x1, y, x1, y + 0.012)]
    return ParsedPage(
        number=number,
        label="",
        width=600,
        height=800,
        rotation=0,
        text=text,
        boxes=np.array(boxes, np.float32),
        blocks=tuple(blocks),
        state=PageState.OK,
    )


def margins(*pages: ParsedPage) -> list[list[str]]:
    """By page the words of its running heads and feet."""
    return [
        [page.text[b.start : b.end] for b in page.blocks if b.kind is MARGIN]
        for page in with_margins(pages)
    ]


@pytest.mark.parametrize(
    ("one", "other", "come_back"),
    [
        (("On lemons 3", 0.05), ("On lemons 4", 0.05), True),
        (("On lemons 3", 0.05), ("On lemons 4", 0.055), True),
        (("Remark 45", 0.05), ("Remark 46", 0.11), False),
        (("(14)", 0.86), ("(21)", 0.92), False),
        (("On lemons", 0.3), ("On lemons", 0.3), False),
        (("On lemons", 0.05), ("On plums", 0.05), False),
    ],
)
def test_a_running_head_comes_back_at_its_height(one: Row, other: Row, *, come_back: bool) -> None:
    found = margins(page_of(2, one, TEXT), page_of(3, other, TEXT))
    assert found == ([[one[0]], [other[0]]] if come_back else [[], []])


def test_what_a_journal_prints_on_all_pages_may_stand_lower_on_the_first() -> None:
    words = "Article https://doi.org/10.1000/182"
    assert margins(page_of(1, (words, 0.12), TEXT), page_of(2, (words, 0.04), TEXT))[0] == [words]
    assert margins(page_of(2, (words, 0.12), TEXT), page_of(3, (words, 0.04), TEXT))[0] == []


@pytest.mark.parametrize(
    ("row", "is_foot"),
    [
        (("Proceedings of the lemons", 0.94), True),
        (("the last line of the text", 0.87), False),
        (("beside the number", 0.94, 0.7, 0.9), False),
    ],
)
def test_nothing_of_the_text_stands_below_the_number_of_its_page(
    row: tuple[str, float], *, is_foot: bool
) -> None:
    pages = page_of(4, TEXT, ("77", 0.92, 0.48, 0.52), row), page_of(5, ("78", 0.92, 0.48, 0.52))
    assert margins(*pages) == [["77", row[0]] if is_foot else ["77"], ["78"]]
