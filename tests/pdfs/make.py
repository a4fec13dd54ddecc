"""Makes the small PDFs of this folder: `python tests/pdfs/make.py`. Each recipe says what it shows.

Their text is drawn operator by operator, so that the files hold exactly the trouble that a test
needs: ligature glyphs, columns drawn straight across, cropped and turned pages.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pymupdf

HERE = Path(__file__).parent
LIGATURES = "/BaseEncoding /WinAnsiEncoding /Differences [1 /fi /fl]"
TO_UNICODE = """/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def
1 begincodespacerange <00> <FF> endcodespacerange
{mappings}
endcmap end end"""
FITZ: Any = pymupdf  # it carries no usable types

Document = Any
WORDS = (
    "grown",
    "plants",
    "need",
    "water",
    "and",
    "light",
    "to",
    "form",
    "new",
    "leaves",
    "in",
    "the",
)


def drawn(*pages: str, size: tuple[float, float] = (595, 842), unicode_map: str = "") -> Document:
    """A document whose pages run the given content streams with /F Helvetica and /B bold."""
    document = FITZ.open()
    for content in pages:
        page = document.new_page(width=size[0], height=size[1])
        font, bold = document.get_new_xref(), document.get_new_xref()
        encoding = f"/Encoding << /Type /Encoding {LIGATURES} >>"
        extra = ""
        if unicode_map:
            cmap = document.get_new_xref()
            document.update_object(cmap, "<<>>")
            stream = TO_UNICODE.format(mappings=unicode_map)
            document.update_stream(cmap, stream.encode(), new=True)
            extra = f"/ToUnicode {cmap} 0 R"
        base = "<< /Type /Font /Subtype /Type1"
        document.update_object(font, f"{base} /BaseFont /Helvetica {encoding} {extra} >>")
        document.update_object(bold, f"{base} /BaseFont /Helvetica-Bold {encoding} >>")
        stream_xref = document.get_new_xref()
        document.update_object(stream_xref, "<<>>")
        document.update_stream(stream_xref, content.encode("latin-1"), new=True)
        fonts = f"<< /Font << /F {font} 0 R /B {bold} 0 R >> >>"
        document.xref_set_key(page.xref, "Resources", fonts)
        document.xref_set_key(page.xref, "Contents", f"{stream_xref} 0 R")
    return document


def line(x: float, y: float, text: str, *, size: float = 11, font: str = "F") -> str:
    """One line of text; `y` from the foot of the page."""
    escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
    return f"BT /{font} {size} Tf 1 0 0 1 {x} {y} Tm ({escaped}) Tj ET\n"


def ligatures() -> Document:
    """EASY 1: "scientific reflection" with the glyphs fi and fl, mapped to U+FB01 and U+FB02."""
    mappings = "2 beginbfchar <01> <FB01> <02> <FB02> endbfchar\n"
    mappings += "1 beginbfrange <20> <7E> <0020> endbfrange"
    return drawn(line(72, 700, "A scienti\x01c re\x02ection of light."), unicode_map=mappings)


def hyphens() -> Document:
    """EASY 2: a word divided at a line end, and a true compound divided at its hyphen."""
    lines = (
        "The loops of the program were dynamic com-",
        "piled code, which is a well-",
        "known way.",
    )
    return drawn("".join(line(72, 700 - 14 * i, text) for i, text in enumerate(lines)))


def two_columns() -> Document:
    """EASY 3: two columns that the file draws straight across, row by row."""
    rows = (
        ("Most of the birds that we counted", "The second column tells of fish and"),
        ("left the island before the winter.", "of the nets that were used for it."),
    )
    content = ""
    for i, (left, right) in enumerate(rows):
        content += line(72, 700 - 14 * i, left) + line(312, 700 - 14 * i, right)
    return drawn(content)


def turned() -> Document:
    """EASY 4: the same page turned by 0, 90, 180, 270 degrees, with an inset, shifted CropBox."""
    content = line(150, 600, "The highlighted words stand here.")
    content += line(150, 580, "A second line stands right below it.")
    document = drawn(content, content, content, content)
    for index, page in enumerate(document):
        document.xref_set_key(page.xref, "MediaBox", "[-20 -30 575 812]")
        document.xref_set_key(page.xref, "CropBox", "[100 400 500 700]")
        document.xref_set_key(page.xref, "Rotate", str(90 * index))
    return document


def page_break() -> Document:
    """EASY 5: a sentence that begins at the foot of page 1 and ends at the head of page 2."""
    first = line(72, 300, "This page has a text of its own.")
    first += line(72, 110, "The last sentence of this page does not end before the")
    second = line(72, 740, "next page has begun. Then something else follows.")
    return drawn(first, second)


def radicals() -> Document:
    """EASY 7: Chinese text whose characters are Kangxi and supplement radicals.

    Only the text layer is Chinese: the page shows Latin letters, which needs no font.
    """
    text = "语\u2f42学习\u2f45向很重要，\u2ed8年增长。"
    letters = [chr(ord("A") + i) for i in range(len(text))]
    pairs = "\n".join(f"<{ord(a):02X}> <{ord(b):04X}>" for a, b in zip(letters, text, strict=True))
    return drawn(
        line(72, 700, "".join(letters)),
        unicode_map=f"{len(text)} beginbfchar {pairs} endbfchar",
    )


def numbers() -> Document:
    """EASY 8: numbers whose point, sign and superscript carry the meaning."""
    content = line(72, 700, "The rate rose by 1.5 % in a year.")
    content += line(72, 680, "This was significant (p < 0.05).")
    content += line(72, 660, "The coefficient was -0.3 in all models.")
    content += "BT /F 11 Tf 1 0 0 1 72 640 Tm (About 10) Tj 4 Ts /F 7 Tf (5) Tj 0 Ts /F 11 Tf"
    content += " ( cells were counted.) Tj ET\n"
    return drawn(content)


def scan_between() -> Document:
    """EASY 9: text, a page that is a picture only, text."""
    document = drawn(
        line(72, 700, "Text stands on the first page."), "", line(72, 700, "And on the third page.")
    )
    pixmap = FITZ.Pixmap(FITZ.csGRAY, (0, 0, 80, 100), False)
    pixmap.clear_with(200)
    document[1].insert_image((72, 72, 400, 500), pixmap=pixmap)
    return document


def overprinted() -> Document:
    """Fake bold: every line drawn four times, a hair apart; and an invisible second layer."""
    content = ""
    for shift in (0, 0.25, 0.5, 0.75):
        content += line(72 + shift, 700, "A fake bold title of a paper", size=14)
    content += line(72, 670, "All of this text is drawn twice.")
    content += "3 Tr\n" + line(72, 670, "All of this text is drawn twice.") + "0 Tr\n"
    return drawn(content)


def control_characters() -> Document:
    """Characters that map to NUL, to a control character, to lone surrogates and to a pair."""
    mappings = (
        "4 beginbfchar <03> <0000> <04> <0007> <05> <D800> <06> <D835DC00> endbfchar\n"
        "1 beginbfrange <20> <7E> <0020> endbfrange"
    )
    return drawn(
        line(72, 700, "Clean\x03 text\x04 with\x05 one \x06 letter."), unicode_map=mappings
    )


def at_an_angle() -> Document:
    """A page whose text runs at 30 degrees."""
    content = "BT /F 12 Tf .866 .5 -.5 .866 100 300 Tm (This line climbs over the page.) Tj ET\n"
    content += "BT /F 12 Tf .866 .5 -.5 .866 120 280 Tm (And this one climbs below it.) Tj ET\n"
    return drawn(content)


def article() -> Document:
    """Two pages of two columns under a title, with running heads, feet and a footnote."""

    def column(x: float, top: float, lines: int, seed: int) -> str:
        texts = (
            " ".join(WORDS[(seed + i + k) % len(WORDS)] for k in range(6)) for i in range(lines)
        )
        return "".join(line(x, top - 13 * i, text, size=9) for i, text in enumerate(texts))

    def edges(number: int) -> str:
        head = line(72, 812, f"Journal of Small Plants, volume {number + 6}", size=8)
        return head + line(290, 24, str(number), size=8)

    first = edges(1) + line(120, 760, "On the growth of small plants", size=18, font="B")
    first += line(220, 735, "Ada Lovelace and Carl Linnaeus", size=11)
    first += line(72, 700, "1 Introduction", size=11, font="B") + column(72, 684, 44, 0)
    first += line(72, 66, "1 A footnote says where the plants came from.", size=7)
    first += column(312, 700, 48, 3)
    second = edges(2) + column(72, 770, 40, 5) + column(312, 770, 20, 7)
    second += line(312, 480, "References", size=11, font="B")
    second += line(312, 464, "[1] Linnaeus, C. Species plantarum. Stockholm, 1753.", size=8)
    third = edges(3) + line(72, 770, "[2] Darwin, C. The power of movement. London, 1880.", size=8)
    return drawn(first, second, third)


def draft() -> Document:
    """A draft with numbered lines."""
    text = "Every line of this draft carries a number in its margin"
    content = ""
    for i in range(24):
        content += line(50, 760 - 24 * i, str(i + 101), size=9)
        content += line(72, 760 - 24 * i, f"{text} and line {chr(97 + i)} goes on")
    return drawn(content)


def locked() -> bytes:
    """EASY 10: a file that asks for a password."""
    document = drawn(line(72, 700, "Nobody reads this without the password."))
    encrypted: bytes = document.tobytes(
        encryption=FITZ.PDF_ENCRYPT_AES_128, user_pw="secret", owner_pw="owner"
    )
    return encrypted


RECIPES: tuple[Callable[[], Any], ...] = (
    ligatures,
    hyphens,
    two_columns,
    turned,
    page_break,
    radicals,
    numbers,
    scan_between,
    overprinted,
    control_characters,
    at_an_angle,
    article,
    draft,
    locked,
)


def main() -> None:
    for recipe in RECIPES:
        made = recipe()
        content = made if isinstance(made, bytes) else made.tobytes(deflate=True, no_new_id=True)
        (HERE / f"{recipe.__name__}.pdf").write_bytes(content)


if __name__ == "__main__":
    main()
