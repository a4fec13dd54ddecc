"""PDFs written object by object, for what no library writes: top-down writing, hidden text."""

from pathlib import Path
from typing import Any

import pymupdf

WIDTH, HEIGHT = 595, 842


def write_pdf(
    path: Path, content: str, *, fonts: str = "", objects: tuple[bytes, ...] = ()
) -> Path:
    """One page with this content stream. `/F1` is Helvetica; `fonts` adds to it by name.

    `objects` are numbered from 6; the page is 3, its resources are written into it.
    """
    all_objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents 4 0 R "
        f"/Resources << /Font << /F1 5 0 R {fonts} >> >> >>".encode(),
        _stream(content.encode("latin-1")),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        *objects,
    )
    written, offsets = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(all_objects, 1):
        offsets.append(len(written))
        written += b"%d 0 obj\n%b\nendobj\n" % (number, body)
    start = len(written)
    written += b"xref\n0 %d\n0000000000 65535 f \n" % (len(offsets) + 1)
    written += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    written += b"trailer << /Size %d /Root 1 0 R >>\n" % (len(offsets) + 1)
    written += b"startxref\n%d\n%%%%EOF\n" % start
    path.write_bytes(written)
    return path


def write_top_down(path: Path, columns: tuple[str, ...], *, size: int = 20) -> Path:
    """Chinese in columns from the right to the left, with the font inside the file."""
    font: Any = pymupdf.Font("china-s")  # type: ignore[no-untyped-call]
    content = []
    for place, column in enumerate(columns):
        glyphs = "".join(f"{font.has_glyph(ord(letter)):04x}" for letter in column)
        at = f"1 0 0 1 {WIDTH - 75 - place * size * 1.5} {HEIGHT - 62}"
        content.append(f"BT /F2 {size} Tf {at} Tm <{glyphs}> Tj ET")
    letters = sorted(set("".join(columns)))
    pairs = "\n".join(f"<{font.has_glyph(ord(c)):04x}> <{ord(c):04x}>" for c in letters)
    meaning = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def\n"
        "1 begincodespacerange <0000> <ffff> endcodespacerange\n"
        f"{len(letters)} beginbfchar\n{pairs}\nendbfchar endcmap end end"
    )
    objects = (
        (
            b"<< /Type /Font /Subtype /Type0 /BaseFont /AAAAAA+Fallback /Encoding /Identity-V "
            b"/DescendantFonts [7 0 R] /ToUnicode 10 0 R >>"
        ),
        (
            b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /AAAAAA+Fallback "
            b"/CIDToGIDMap /Identity /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) "
            b"/Supplement 0 >> /FontDescriptor 8 0 R /DW 1000 >>"
        ),
        (
            b"<< /Type /FontDescriptor /FontName /AAAAAA+Fallback /Flags 4 "
            b"/FontBBox [0 -200 1000 900] /ItalicAngle 0 /Ascent 880 /Descent -120 /CapHeight 700 "
            b"/StemV 80 /FontFile2 9 0 R >>"
        ),
        _stream(bytes(font.buffer)),
        _stream(meaning.encode()),
    )
    return write_pdf(path, "\n".join(content), fonts="/F2 6 0 R", objects=objects)


def _stream(content: bytes) -> bytes:
    return b"<< /Length %d >>\nstream\n%b\nendstream" % (len(content), content)
