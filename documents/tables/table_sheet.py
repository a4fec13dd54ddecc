"""A page in the frame of one direction of its text: what tables are looked for on. Pure."""

from dataclasses import dataclass

from documents.tables.drawn_rules import Box, Rules
from documents.tables.table_frame import Frame
from documents.tables.table_words import Word


@dataclass(frozen=True, slots=True)
class Sheet:
    """What one frame of a page shows: words, rules, and the ranges of tables' captions."""

    text: str
    words: tuple[Word, ...]
    rules: Rules
    captions: tuple[tuple[int, int], ...]
    frame: Frame

    @property
    def width(self) -> float:
        return self.frame.size[0]

    @property
    def height(self) -> float:
        return self.frame.size[1]

    def inside(self, box: Box) -> tuple[Word, ...]:
        x0, y0, x1, y1 = box
        return tuple(w for w in self.words if x0 - 2 <= w.middle <= x1 + 2 and y0 <= w.level <= y1)

    def box_of(self, span: tuple[int, int]) -> Box | None:
        mine = [w for w in self.words if span[0] <= w.start < span[1]]
        if not mine:
            return None
        return (
            min(w.x0 for w in mine),
            min(w.y0 for w in mine),
            max(w.x1 for w in mine),
            max(w.y1 for w in mine),
        )
