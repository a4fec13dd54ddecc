"""Pages that are pictures of text, as a scanner makes them."""

from io import BytesIO
from pathlib import Path
from typing import Any

import pymupdf

LINES = (
    "The growth of the plants was measured in spring.",
    "Leaves were counted on every second morning of the week.",
    "No effect of the second treatment was found in 37 fields.",
)
CHINESE = (
    "植物的生长在春天进行了测量，",
    "每隔一天的早晨对叶片进行计数。",
    "第二种处理没有发现任何效果。",
)


def write_scan(path: Path, pages: tuple[str, ...], *, dpi: int = 150) -> Path:
    """A page for each word: `text`, `english`, `chinese`, `blank`; the middle two are pictures.

    `english:90` is a picture that lies on its side, turned clockwise by 90 degrees. In front of it,
    `words-of-` makes the same page with text instead of a picture.
    """
    with pymupdf.open() as opened:  # type: ignore[no-untyped-call]
        document: Any = opened
        for page in pages:
            kind, _colon, turn = page.removeprefix("words-of-").partition(":")
            lines = CHINESE if kind == "chinese" else LINES
            if kind == "blank":
                document.new_page()
            elif kind == "text" or page.startswith("words-of-"):
                _write(document, lines).set_rotation(int(turn or 0))
            else:
                _add_picture(document, lines, int(turn or 0), dpi)
        document.save(path, no_new_id=True)
    return path


def _write(document: Any, lines: tuple[str, ...]) -> Any:
    page = document.new_page()
    for number, line in enumerate(lines):
        font = "helv" if line.isascii() else "china-s"
        page.insert_text((72, 100 + 20 * number), line, fontsize=12, fontname=font)
    return page


def _add_picture(document: Any, lines: tuple[str, ...], turn: int, dpi: int) -> None:
    with pymupdf.open() as drawn:  # type: ignore[no-untyped-call]
        page = _write(drawn, lines)
        page.set_rotation(turn)
        picture = BytesIO(page.get_pixmap(dpi=dpi).tobytes("jpg", jpg_quality=70))
        width, height = page.rect.width, page.rect.height
    scan = document.new_page(width=width, height=height)
    scan.insert_image(scan.rect, stream=picture)
