# mypy: disable-error-code="no-untyped-call"
"""Blocks, margins, captions and front matter of pages that are really drawn."""

from pathlib import Path

import pymupdf
import pytest

from documents.pages.page_text import BlockKind, ParsedPage
from documents.parsing import parse_pages

LEFT, WIDTH = 72, 450
K = BlockKind
BODY = (
    "We asked every tenth household of the town twice and wrote down what each of them said to us."
)


class Sheet:
    """A PDF drawn line by line."""

    def __init__(self) -> None:
        self.document = pymupdf.open()
        self.new_page()

    def new_page(self) -> None:
        self.page = self.document.new_page(width=595, height=842)

    def line(
        self, y: float, text: str, *, x: float = LEFT, size: float = 10, font: str = "tiro"
    ) -> None:
        self.page.insert_text((x, y), text, fontsize=size, fontname=font)

    def body(self, y: float, lines: int = 6, *, x: float = LEFT) -> float:
        for row in range(lines):
            self.line(y + 12 * row, BODY, x=x)
        return y + 12 * lines

    def read(self, folder: Path) -> list[ParsedPage]:
        path = folder / "sheet.pdf"
        self.document.save(path)
        return list(parse_pages(path))


def blocks(page: ParsedPage) -> list[tuple[BlockKind, str]]:
    return [(b.kind, " ".join(page.text[b.start : b.end].split())) for b in page.blocks]


def of_kind(page: ParsedPage, kind: BlockKind) -> list[str]:
    return [words for found, words in blocks(page) if found is kind]


def test_entries_of_a_counted_list_are_blocks_of_their_own(tmp_path: Path) -> None:
    sheet = Sheet()
    y = sheet.body(100) + 24
    sheet.line(y, "References", font="tibo", size=12)
    for number in range(1, 5):
        y += 14
        sheet.line(
            y, f"[{number}] A. Person, On things and their many names, Journal {number}, 2001, with"
        )
        y += 12
        sheet.line(y, "a second line that says where it was printed.", x=LEFT + 16)
    (page,) = sheet.read(tmp_path)
    found = of_kind(page, K.REFERENCE)
    assert [words[:3] for words in found] == ["[1]", "[2]", "[3]", "[4]"]
    assert all(words.endswith("printed.") for words in found)


def test_hanging_entries_with_gaps_between_them_are_whole(tmp_path: Path) -> None:
    sheet = Sheet()
    y = sheet.body(100) + 24
    sheet.line(y, "References", font="tibo", size=12)
    for name in ("Abel", "Baker", "Cole"):
        y += 22
        sheet.line(
            y, f"{name}, A. 2001. On things and what the people of the town called them at home."
        )
        y += 12
        sheet.line(y, "Journal of Things 12, 34-56.", x=LEFT + 16)
    (page,) = sheet.read(tmp_path)
    assert [words.split(",")[0] for words in of_kind(page, K.REFERENCE)] == [
        "Abel",
        "Baker",
        "Cole",
    ]


def test_a_numbered_heading_in_the_type_of_the_text_is_parted_from_it(tmp_path: Path) -> None:
    sheet = Sheet()
    y = sheet.body(100)
    sheet.line(y, "3.1. Reliability of the scale")
    sheet.body(y + 12)
    (page,) = sheet.read(tmp_path)
    assert of_kind(page, K.HEADING) == ["3.1. Reliability of the scale"]


def test_headings_below_each_other_are_two(tmp_path: Path) -> None:
    sheet = Sheet()
    y = sheet.body(100) + 20
    sheet.line(y, "3.2 Processing", font="tibo")
    sheet.line(y + 12, "3.2.1 Extraction of words", font="tibo")
    sheet.body(y + 24)
    (page,) = sheet.read(tmp_path)
    assert of_kind(page, K.HEADING) == ["3.2 Processing", "3.2.1 Extraction of words"]


def test_the_last_word_of_a_sentence_at_the_head_of_a_page_is_text(tmp_path: Path) -> None:
    sheet = Sheet()
    for number in (1, 2, 3):
        sheet.line(40, "Journal of Things 12 (2001)", size=8)
        if number == 2:
            sheet.line(62, "challenges.")
            sheet.body(86)
        else:
            sheet.body(62)
        sheet.line(810, str(number), x=300)
        if number < 3:
            sheet.new_page()
    pages = sheet.read(tmp_path)
    assert of_kind(pages[1], K.MARGIN) == ["Journal of Things 12 (2001)", "2"]
    assert "challenges." in of_kind(pages[1], K.PARAGRAPH)


def test_the_type_of_a_page_of_small_print_does_not_make_text_a_heading(tmp_path: Path) -> None:
    sheet = Sheet()
    for _ in range(3):
        sheet.body(100, 40)
        sheet.new_page()
    sheet.line(100, "In addition to these four changes,")
    sheet.line(112, "the office proposes another one.")
    for row in range(60):
        sheet.line(140 + 9 * row, BODY, size=7)
    *_, last = sheet.read(tmp_path)
    assert of_kind(last, K.HEADING) == []


def test_small_print_below_a_caption_is_part_of_it(tmp_path: Path) -> None:
    sheet = Sheet()
    y = sheet.body(100) + 30
    sheet.line(y, "Figure 1. Households by year.", size=8, font="tibo")
    for row in range(3):
        sheet.line(
            y + 10 * (row + 1),
            "Bars are means, whiskers are deviations of all that we asked.",
            size=8,
        )
    sheet.body(y + 60)
    (page,) = sheet.read(tmp_path)
    (caption,) = of_kind(page, K.CAPTION)
    assert caption.startswith("Figure 1. Households")
    assert caption.endswith("that we asked.")


@pytest.mark.parametrize("banner", ["Journal of Things", "The Journal of Public Things and Health"])
def test_a_title_below_the_larger_name_of_its_journal_is_the_title(
    tmp_path: Path, banner: str
) -> None:
    sheet = Sheet()
    sheet.line(100, banner, size=20)
    sheet.line(150, "What the households of one small town said to us twice", size=16)
    sheet.line(180, "Anna Abel, Bert Baker and Carl Cole", size=12)
    sheet.line(220, "Abstract", font="tibo")
    sheet.body(240, 12)
    (page,) = sheet.read(tmp_path)
    assert of_kind(page, K.TITLE) == ["What the households of one small town said to us twice"]
    assert of_kind(page, K.AUTHORS) == ["Anna Abel, Bert Baker and Carl Cole"]


def test_footnotes_are_blocks_of_their_own(tmp_path: Path) -> None:
    sheet = Sheet()
    sheet.body(100, 30)
    for number, y in ((1, 700), (2, 712)):
        sheet.line(y - 3, str(number), size=5)
        sheet.line(y, f"The note with number {number} is short.", x=LEFT + 4, size=8)
    (page,) = sheet.read(tmp_path)
    assert [words[0] for words in of_kind(page, K.FOOTNOTE)] == ["1", "2"]
