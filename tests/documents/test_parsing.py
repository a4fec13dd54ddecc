"""Reading small files that were built for one trouble each; boxes are checked against PDFium."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pypdfium2
import pytest

from documents.pages.geometry import line_rects
from documents.pages.page_text import BlockKind, PageState, ParsedPage
from documents.parsing import PARSER, parse_file, parse_pages
from tests.documents.files import PDFS
from tests.documents.pdfium import boxes_of, pdfium_page


def read(name: str) -> list[ParsedPage]:
    return list(parse_pages(PDFS / f"{name}.pdf"))


def words_at(page: ParsedPage, quote: str) -> list[tuple[float, float, float, float]]:
    start = page.text.index(quote)
    return line_rects(page.boxes[start : start + len(quote)])


def test_every_character_has_a_box_inside_the_page() -> None:
    for name in ("ligatures", "two_columns", "turned", "article", "draft", "control_characters"):
        for page in read(name):
            assert page.boxes.shape == (len(page.text), 4)
            assert page.boxes.min() >= 0
            assert page.boxes.max() <= 1
            assert (page.boxes[:, 0] <= page.boxes[:, 2]).all()
            assert (page.boxes[:, 1] <= page.boxes[:, 3]).all()


def test_ligature_glyphs_are_kept_as_one_character_with_a_box() -> None:
    (page,) = read("ligatures")
    assert page.text == "A scienti\ufb01c re\ufb02ection of light."
    box = page.boxes[page.text.index("\ufb01")]
    assert box[2] > box[0]


def test_a_divided_word_and_a_compound_keep_their_hyphens_in_one_block() -> None:
    (page,) = read("hyphens")
    assert "com-\npiled" in page.text
    assert "well-\nknown" in page.text
    assert len(page.blocks) == 1


def test_columns_drawn_straight_across_are_read_one_after_the_other() -> None:
    (page,) = read("two_columns")
    left, right = page.text.split("\n\n")
    assert left == "Most of the birds that we counted\nleft the island before the winter."
    assert right == "The second column tells of fish and\nof the nets that were used for it."


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_boxes_follow_crop_and_rotation(number: int) -> None:
    page = read("turned")[number - 1]
    assert page.state is PageState.OK
    assert page.rotation == 90 * (number - 1)
    quote = "highlighted words"
    rects = words_at(page, quote)
    assert len(rects) == 1
    expected = boxes_of(PDFS / "turned.pdf", number, quote)
    centres = (expected[:, :2] + expected[:, 2:]) / 2
    (x0, y0, x1, y1) = rects[0]
    assert ((centres[:, 0] > x0) & (centres[:, 0] < x1)).all()
    assert ((centres[:, 1] > y0) & (centres[:, 1] < y1)).all()
    spread = expected[:, 2:].max(axis=0) - expected[:, :2].min(axis=0)
    assert (x1 - x0) * (y1 - y0) < 2.5 * float(spread[0] * spread[1])


def test_text_on_neighbouring_pages_keeps_its_page() -> None:
    first, second = read("page_break")
    assert first.text.endswith("does not end before the")
    assert second.text.startswith("next page has begun.")


def test_radical_code_points_are_not_folded_by_the_parser() -> None:
    (page,) = read("radicals")
    assert page.text == "语\u2f42学习\u2f45向很重要，\u2ed8年增长。"


def test_numbers_keep_signs_and_the_raised_digit_stands_higher() -> None:
    (page,) = read("numbers")
    for part in ("1.5 %", "p < 0.05", "-0.3", "About 105 cells"):
        assert part in page.text
    start = page.text.index("105")
    assert page.boxes[start + 2, 3] < page.boxes[start + 1, 3]


def test_a_page_without_text_keeps_its_number_and_is_named_in_a_warning() -> None:
    parsed = parse_file(PDFS / "scan_between.pdf")
    assert [page.state for page in parsed.pages] == ["ok", "no_text", "ok"]
    assert [page.number for page in parsed.pages] == [1, 2, 3]
    assert parsed.pages[2].text == "And on the third page."
    assert parsed.warnings == ("No text on page 2: probably scans or pictures.",)
    assert parsed.parser == PARSER


def test_text_drawn_several_times_at_one_place_is_read_once() -> None:
    (page,) = read("overprinted")
    assert page.text.split("\n\n") == [
        "A fake bold title of a paper",
        "All of this text is drawn twice.",
    ]


def test_control_characters_and_lone_surrogates_go_and_pairs_become_one_letter() -> None:
    (page,) = read("control_characters")
    assert "\x00" not in page.text
    assert not any(0xD800 <= ord(c) < 0xE000 or ord(c) < 0x20 for c in page.text)
    assert "one \U0001d400 letter." in page.text
    page.text.encode("utf-8")


def test_text_at_an_odd_angle_is_said_to_be_unsupported() -> None:
    parsed = parse_file(PDFS / "at_an_angle.pdf")
    assert parsed.pages[0].state is PageState.UNSUPPORTED_ROTATION
    assert "climbs over the page" in parsed.pages[0].text
    assert parsed.warnings == ("The text of page 1 runs at an angle.",)


def test_blocks_of_an_article_have_their_roles() -> None:
    first, second, third = read("article")

    def said(page: ParsedPage, kind: BlockKind) -> list[str]:
        return [page.text[b.start : b.end] for b in page.blocks if b.kind is kind]

    assert said(first, BlockKind.TITLE) == ["On the growth of small plants"]
    assert said(first, BlockKind.AUTHORS) == ["Ada Lovelace and Carl Linnaeus"]
    assert said(first, BlockKind.HEADING) == ["1 Introduction"]
    assert said(first, BlockKind.MARGIN) == ["Journal of Small Plants, volume 7", "1"]
    assert said(first, BlockKind.FOOTNOTE) == ["1 A footnote says where the plants came from."]
    assert [t[:12] for t in said(second, BlockKind.REFERENCE)] == ["[1] Linnaeus"]
    assert [t[:10] for t in said(third, BlockKind.REFERENCE)] == ["[2] Darwin"]
    assert "Journal of Small Plants, volume 9" in said(third, BlockKind.MARGIN)


def test_the_columns_of_an_article_come_one_after_the_other_before_its_footnote() -> None:
    first = read("article")[0]
    left, right = first.boxes[:, 0] < 0.5, first.boxes[:, 0] > 0.52
    body = (first.boxes[:, 1] > 0.18) & (first.boxes[:, 3] < 0.9)
    assert np.flatnonzero(left & body).max() < np.flatnonzero(right & body).min()


def test_line_numbers_of_a_draft_stand_apart_from_its_text() -> None:
    (page,) = read("draft")
    body = "\n".join(
        page.text[b.start : b.end] for b in page.blocks if b.kind is not BlockKind.MARGIN
    )
    assert "line a goes on\nEvery line of this draft" in body
    assert "101" not in body
    assert "101" in page.text


def test_reading_can_begin_at_a_later_page() -> None:
    assert [page.number for page in parse_pages(PDFS / "article.pdf", start=2)] == [2, 3]


def test_blocks_cover_all_text_in_order() -> None:
    for name in ("article", "draft", "turned"):
        for page in read(name):
            covered = "".join(page.text[b.start : b.end] for b in page.blocks)
            assert covered.replace("\n", "") == page.text.replace("\n", "")
            assert [b.start for b in page.blocks] == sorted(b.start for b in page.blocks)


PAPERS = (
    "en_acl2020_207.pdf",
    "en_med_PMC12832621.pdf",
    "en_arxiv_0908.0054.pdf",
    "zh_pair1_decarbonization.pdf",
    "zh_law_cybersecurity.pdf",
    "fr_olap.pdf",
)


@pytest.mark.parametrize("file", PAPERS)
def test_boxes_of_real_papers_agree_with_pdfium(corpus: Path, file: str) -> None:
    _compare_with_pdfium(corpus / "papers" / file, pages=2, of=12 if file.startswith("zh") else 40)


def turn(page: pypdfium2.PdfPage) -> None:
    page.set_rotation(90)


def turn_back(page: pypdfium2.PdfPage) -> None:
    page.set_rotation(270)


def crop(page: pypdfium2.PdfPage) -> None:
    page.set_cropbox(40, 60, 540, 760)


def shift(page: pypdfium2.PdfPage) -> None:
    page.set_mediabox(-30, -50, 640, 900)
    page.set_cropbox(-30, -50, 640, 900)


def crop_and_turn(page: pypdfium2.PdfPage) -> None:
    crop(page)
    page.set_rotation(180)


@pytest.mark.parametrize("change", [turn, turn_back, crop, shift, crop_and_turn])
def test_boxes_agree_with_pdfium_on_turned_cropped_and_shifted_copies(
    corpus: Path, tmp_path: Path, change: Callable[[pypdfium2.PdfPage], None]
) -> None:
    copy = tmp_path / "copy.pdf"
    with pypdfium2.PdfDocument(corpus / "papers" / "en_acl2020_207.pdf") as document:
        for index in reversed(range(2, len(document))):
            document.del_page(index)
        for index in range(2):
            page = document[index]
            change(page)
            page.close()
        document.save(copy)
    _compare_with_pdfium(copy, pages=2)


def _compare_with_pdfium(path: Path, *, pages: int, of: int = 40) -> None:
    """Each 25th stretch of letters: its PDFium centres stand under its rectangles."""
    compared = 0
    for page in parse_pages(path):
        if page.number > pages:
            break
        theirs = pdfium_page(path, page.number)
        for quote, boxes in theirs.stretches(of=of, every=25):
            if page.text.replace("\n", " ").count(quote) != 1:
                continue
            start = page.text.replace("\n", " ").index(quote)
            rects = line_rects(page.boxes[start : start + len(quote)])
            centres = ((boxes[:, :2] + boxes[:, 2:]) / 2).tolist()
            covered = [
                any(x0 <= x <= x1 and y0 <= y <= y1 for x0, y0, x1, y1 in rects) for x, y in centres
            ]
            assert sum(covered) >= 0.95 * len(covered), (page.number, quote)
            compared += 1
    assert compared >= 10
