"""Highlights as rectangles on pages. Only confirmed places become marks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from documents.pages.page_text import Rect

INSET = 0.0012
"""How far a mark reaches over the letters, as a fraction of the page."""


@dataclass(frozen=True, slots=True)
class Marks:
    """Rectangles by physical page, as fractions of the displayed page, and the order of pages."""

    rects: Mapping[int, tuple[Rect, ...]] = field(default_factory=dict)

    @property
    def pages(self) -> list[int]:
        return list(self.rects)

    def next_page(self, number: int) -> int | None:
        """The page on which the place that ends on this page goes on."""
        pages = self.pages
        if number not in self.rects or pages.index(number) + 1 >= len(pages):
            return None
        return pages[pages.index(number) + 1]


def marks_of(places: Iterable[Mapping[str, Any]]) -> Marks:
    """Marks for stored places: `{"regions": [{"page", "rects"}]}`."""
    rects: dict[int, tuple[Rect, ...]] = {}
    for place in places:
        for region in place["regions"]:
            page = int(region["page"])
            found = tuple(_rect(corners) for corners in region["rects"])
            rects[page] = rects.get(page, ()) + found
    return Marks(rects)


def _rect(corners: Sequence[float]) -> Rect:
    x0, y0, x1, y1 = corners
    return (
        max(0.0, x0 - INSET),
        max(0.0, y0 - INSET / 2),
        min(1.0, x1 + INSET),
        min(1.0, y1 + INSET / 2),
    )
