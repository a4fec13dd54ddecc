# mypy: disable-error-code="no-untyped-call"
"""What is drawn, held against PDFium: on the letters, all of them, no others, like a marker pen."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from pathlib import Path

import numpy as np
import pymupdf
import pytest

from citations.locating import FoundPlace, locate_quote
from citations.normalizing import normalize
from citations.searchable_page import SearchablePage
from documents.chunks.sentences import split_sentences
from documents.pages.geometry import WIDEST_GAP
from documents.pages.page_text import PageState, ParsedPage, Rect
from documents.parsing import parse_pages
from tests.documents.pdfium import PdfiumPage, pdfium_page
from tests.pdfs.make import drawn, line

PAPERS = (
    "en_acl2020_207.pdf",
    "en_med_PMC12857198.pdf",
    "en_econ_bufferstock.pdf",
    "en_sensors_PMC4179036.pdf",
    "en_pmlr_v9_corradi10a.pdf",
    "de_geotopo.pdf",
    "zh_pair1_decarbonization.pdf",
    "zh_law_cybersecurity.pdf",
)
EDGE = 1e-4
MOST_OVERLAP = 0.02
"""Of the smaller of two rectangles."""


def quotes_of(page: ParsedPage, every: int) -> Iterator[str]:
    for start, end in islice(split_sentences(page.text), 0, None, every):
        if 12 <= end - start <= 500:
            yield page.text[start:end]


def letters_under(page: PdfiumPage, rects: Sequence[Rect]) -> Counter[str]:
    """The folded letters whose centres PDFium sees inside the rectangles."""
    middles = (page.boxes[:, :2] + page.boxes[:, 2:]) / 2
    inside = np.zeros(len(middles), bool)
    for x0, y0, x1, y1 in rects:
        inside |= (middles >= (x0, y0)).all(axis=1) & (middles <= (x1, y1)).all(axis=1)
    return Counter(normalize("".join(page.text[i] for i in np.flatnonzero(inside))).text)


def apart(place: FoundPlace, page: PdfiumPage, rects: Sequence[Rect]) -> int:
    """How many letters are under the rectangles alone, or in the text of the place alone."""
    seen, meant = letters_under(page, rects), Counter(normalize(place.text).text)
    return (seen - meant).total() + (meant - seen).total()


def check_pen(rects: Sequence[Rect]) -> None:
    """Inside the page, no line twice under the pen, no gap that is not as wide as a column's."""
    for x0, y0, x1, y1 in rects:
        assert -EDGE <= x0 < x1 <= 1 + EDGE
        assert -EDGE <= y0 < y1 <= 1 + EDGE
    if sum(y1 - y0 > x1 - x0 for x0, y0, x1, y1 in rects) > len(rects) / 2:
        rects = [(y0, x0, y1, x1) for x0, y0, x1, y1 in rects]  # lines that run up or down
    for one, other in combinations(rects, 2):
        wide = min(one[2], other[2]) - max(one[0], other[0])
        high = min(one[3], other[3]) - max(one[1], other[1])
        smaller = min((r[2] - r[0]) * (r[3] - r[1]) for r in (one, other))
        if wide > 0 and high > 0:
            assert wide * high <= MOST_OVERLAP * smaller, (one, other)
        in_one_line = high > 0.5 * min(one[3] - one[1], other[3] - other[1])
        if in_one_line and wide < 0:
            assert -wide > 0.4 * WIDEST_GAP, (one, other)


def compare(path: Path, *, pages: int, every: int = 1, quotes: Sequence[str] = ()) -> int:
    """Check every quote that stands once on its page. Returns how many did."""
    compared = 0
    for page in islice(parse_pages(path), pages):
        if page.state != PageState.OK:
            continue
        theirs = pdfium_page(path, page.number)
        ours = SearchablePage.of(page)
        for quote in quotes or quotes_of(page, every):
            located = locate_quote(quote, [ours], page=page.number)
            if located.status != "matched":
                continue
            (place,) = located.places
            if normalize(place.text).text[:12] not in normalize(theirs.text).text:
                continue  # PDFium reads it otherwise, or not at all
            rects = [rect for region in place.regions for rect in region.rects]
            check_pen(rects)
            assert apart(place, theirs, rects) <= max(2, 0.02 * len(quote)), (page.number, quote)
            compared += 1
    return compared


@pytest.mark.parametrize("name", PAPERS)
def test_marks_on_real_papers_lie_on_all_letters_and_no_others(corpus: Path, name: str) -> None:
    assert compare(corpus / "papers" / name, pages=3, every=3) >= 8


@pytest.mark.parametrize(
    "name", ["cropbox_offset.pdf", "rotate_all.pdf", "rtl_hebrew.pdf", "rtl_arabic.pdf"]
)
def test_marks_on_odd_pages_lie_on_all_letters_and_no_others(corpus: Path, name: str) -> None:
    words = [
        word
        for page in parse_pages(corpus / "nasty" / name)
        for word in page.text.split()
        if len(word) > 3
    ]
    assert compare(corpus / "nasty" / name, pages=8, quotes=list(dict.fromkeys(words))) >= 2


def test_marks_lie_right_on_pages_of_different_sizes_and_turns(tmp_path: Path) -> None:
    path = tmp_path / "mixed.pdf"
    with pymupdf.open() as made:
        for number, (width, height) in enumerate([(595, 842), (420, 595), (842, 595), (300, 300)]):
            page = made.new_page(width=width, height=height)
            page.insert_text((40, 60), f"The rate of page {number} rose in all")
            page.insert_text((40, 75), "years that were seen by anybody.")
            page.set_rotation(90 * number)
        made.save(path)
    assert compare(path, pages=4) == 4


def test_marks_lie_right_on_scaled_stretched_and_raised_text(tmp_path: Path) -> None:
    content = "BT /F 10 Tf 150 Tz 1 0 0 1 72 700 Tm (Wide letters rose in all years.) Tj ET\n"
    content += "BT /F 1 Tf 14 0 0 9 72 660 Tm (Scaled letters rose in all years.) Tj ET\n"
    content += "BT /F 10 Tf 4 Tc 100 Tz 1 0 0 1 72 620 Tm (Spaced letters rose in all.) Tj ET\n"
    content += "q .5 0 0 .5 40 200 cm BT /F 24 Tf 0 Tc 1 0 0 1 72 700 Tm (Small by half.) Tj ET Q\n"
    content += "BT /F 10 Tf 1 0 .3 1 72 560 Tm (Slanted letters rose in all years.) Tj ET\n"
    path = tmp_path / "scaled.pdf"
    drawn(content).save(path)
    wanted = ["Wide letters rose", "letters rose in all years", "Scaled letters", "Small by half"]
    wanted += ["Spaced letters rose in all", "Slanted letters rose"]
    assert compare(path, pages=1, quotes=wanted) == len(wanted) - 1  # one stands there three times


def test_marks_lie_right_on_letters_that_a_type_3_font_draws(tmp_path: Path) -> None:
    path = tmp_path / "type3.pdf"
    with pymupdf.open() as made:
        page = made.new_page()
        type3_page(made, page, "THE RATE ROSE AGAIN IN SPRING")
        made.save(path)
    assert compare(path, pages=1, quotes=["RATE ROSE AGAIN", "IN SPRING"]) == 2


def test_marks_lie_right_on_vertical_writing(tmp_path: Path) -> None:
    path = tmp_path / "vertical.pdf"
    with pymupdf.open() as made:
        page = made.new_page()
        page.insert_text((300, 100), "数字经济降低碳排放强度", fontname="china-s", fontsize=14)
        page.insert_text((270, 100), "信誉提高卖家的价格水平", fontname="china-s", fontsize=14)
        for xref, *_ in page.get_fonts():
            made.xref_set_key(xref, "Encoding", "/UniGB-UTF16-V")
        made.save(path)
    assert compare(path, pages=1, quotes=["经济降低碳排放", "提高卖家的价格"]) == 2


def type3_page(made: pymupdf.Document, page: pymupdf.Page, text: str) -> None:
    """Draw `text` with a font whose letters are boxes of their own content streams."""
    letters = sorted(set(text))

    def stream(content: str) -> int:
        xref: int = made.get_new_xref()
        made.update_object(xref, "<<>>")
        made.update_stream(xref, content.encode(), new=True)
        return xref

    glyph = stream("800 0 0 0 700 700 d1 0 0 700 700 re f")
    blank = stream("800 0 0 0 0 0 d1")
    procs = " ".join(f"/g{ord(c)} {blank if c == ' ' else glyph} 0 R" for c in letters)
    names = " ".join(f"{ord(c)} /g{ord(c)}" for c in letters)
    mapping = f"{len(letters)} beginbfchar\n"
    mapping += "\n".join(f"<{ord(c):02X}> <{ord(c):04X}>" for c in letters) + "\nendbfchar"
    to_unicode = stream(
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n"
        f"1 begincodespacerange <00> <FF> endcodespacerange\n{mapping}\nendcmap end end"
    )
    first, last = ord(letters[0]), ord(letters[-1])
    widths = " ".join("800" for _ in range(first, last + 1))
    font = made.get_new_xref()
    made.update_object(
        font,
        "<< /Type /Font /Subtype /Type3 /FontBBox [0 0 700 700] /FontMatrix [.001 0 0 .001 0 0]"
        f" /CharProcs << {procs} >> /Encoding << /Type /Encoding /Differences [{names}] >>"
        f" /FirstChar {first} /LastChar {last} /Widths [{widths}] /ToUnicode {to_unicode} 0 R >>",
    )
    content = stream(line(72, 700, text, font="T"))
    made.xref_set_key(page.xref, "Resources", f"<< /Font << /T {font} 0 R >> >>")
    made.xref_set_key(page.xref, "Contents", f"{content} 0 R")
