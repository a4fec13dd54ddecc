"""Little PDFs with tables for tests: words at places, and lines."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import pymupdf

SIZE = 10
FONT = "helv"
CHINESE = "china-s"


class Canvas:
    """A document to draw on; places are points, text stands on its base line."""

    def __init__(self) -> None:
        self.document: Any = pymupdf.open()  # type: ignore[no-untyped-call]
        self.page: Any = None
        self.turn()

    def turn(self) -> None:
        """Begin the next page."""
        self.page = self.document.new_page()

    def put(self, x: float, y: float, text: str, *, align: str = "left", font: str = FONT) -> None:
        width = pymupdf.get_text_length(text, fontname=font, fontsize=SIZE)
        start = {"left": x, "right": x - width, "centre": x - width / 2}[align]
        self.page.insert_text((start, y), text, fontsize=SIZE, fontname=font)

    def row(self, y: float, places: Sequence[float], texts: Iterable[str], **how: Any) -> None:
        """One text at each place; the first one, the label, always from the left."""
        for number, (x, text) in enumerate(zip(places, texts, strict=True)):
            self.put(x, y, text, **({**how, "align": "left"} if number == 0 else how))

    def rule(self, x0: float, x1: float, y: float) -> None:
        self.page.draw_line((x0, y), (x1, y), width=0.6)

    def wall(self, x: float, y0: float, y1: float) -> None:
        self.page.draw_line((x, y0), (x, y1), width=0.6)

    def save(self, path: Path) -> Path:
        self.document.save(path, no_new_id=True)
        self.document.close()
        return path
