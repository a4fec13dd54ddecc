"""The page turned so that text of one direction runs to the right and its rows go down. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from documents.pages.page_text import Rect
from documents.tables.drawn_rules import Box, Rule, Rules

Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Frame:
    """Text of `turn` 0, 1, 2, 3 runs right, down, left, up on a page of that size in points.

    Coordinates in the frame are points from the corner where its first row begins.
    """

    turn: int
    width: float
    height: float

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of the turned page."""
        return (self.height, self.width) if self.turn in (1, 3) else (self.width, self.height)

    def seen(self, points: Points) -> Points:
        """Boxes, shape (n, 4), in points of the page, as they stand in the frame."""
        x0, y0, x1, y1 = points.T
        w, h = self.width, self.height
        sides = {
            1: (y0, w - x1, y1, w - x0),
            2: (w - x1, h - y1, w - x0, h - y0),
            3: (h - y1, x0, h - y0, x1),
        }
        return np.column_stack(sides[self.turn]) if self.turn else points

    def seen_rules(self, rules: Rules) -> Rules:
        """The page's rules in the frame."""
        w, h = self.width, self.height
        if self.turn == 1:
            level = [Rule(w - r.at, r.start, r.end) for r in rules.upright]
            return _rules(level, [Rule(r.at, w - r.end, w - r.start) for r in rules.level])
        if self.turn == 2:
            level = [Rule(h - r.at, w - r.end, w - r.start) for r in rules.level]
            return _rules(level, [Rule(w - r.at, h - r.end, h - r.start) for r in rules.upright])
        if self.turn == 3:
            level = [Rule(r.at, h - r.end, h - r.start) for r in rules.upright]
            return _rules(level, [Rule(h - r.at, r.start, r.end) for r in rules.level])
        return rules

    def on_page(self, box: Box) -> Rect:
        """A box of the frame as fractions of the displayed page."""
        u0, v0, u1, v1 = box
        w, h = self.width, self.height
        x0, y0, x1, y1 = {
            1: (w - v1, u0, w - v0, u1),
            2: (w - u1, h - v1, w - u0, h - v0),
            3: (v0, h - u1, v1, h - u0),
        }.get(self.turn, box)
        return _share(x0, w), _share(y0, h), _share(x1, w), _share(y1, h)


def _rules(level: Sequence[Rule], upright: Sequence[Rule]) -> Rules:
    return Rules(_in_order(level), _in_order(upright))


def _in_order(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    return tuple(sorted(rules, key=lambda rule: (rule.at, rule.start)))


def _share(edge: float, side: float) -> float:
    return min(1.0, max(0.0, float(edge) / side))
