"""Lines drawn on a page, joined to the rules that a person sees. Pure.

Coordinates are points of the displayed page, origin at the top left.
"""

from collections.abc import Iterable
from dataclasses import dataclass

Box = tuple[float, float, float, float]

THICKEST = 3.0
"""A drawn rectangle is a rule up to this thickness."""
SHORTEST = 3.0
JOINING_GAP = 1.6
"""Pieces of one rule may lie this far apart; rules parted on purpose lie further."""
SAME_LEVEL = 1.6
MOST_PIECES = 20_000


@dataclass(frozen=True, slots=True)
class Stroke:
    """One drawn rectangle or line. `outlined`: its edges are drawn, not its inside."""

    box: Box
    outlined: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """A straight line at `at` from `start` to `end`: y and xs if it is level, else x and ys."""

    at: float
    start: float
    end: float

    @property
    def length(self) -> float:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Rules:
    """All level and all upright rules of a page, each in the order of their places."""

    level: tuple[Rule, ...] = ()
    upright: tuple[Rule, ...] = ()


NO_RULES = Rules()


def joined_rules(strokes: Iterable[Stroke]) -> Rules:
    """The rules of a page. Of too many strokes, as maps and plots have them, none is kept."""
    level: list[Rule] = []
    upright: list[Rule] = []
    for number, stroke in enumerate(strokes):
        if number >= MOST_PIECES:
            return NO_RULES
        for x0, y0, x1, y1 in _edges(stroke):
            if y1 - y0 <= THICKEST and x1 - x0 > y1 - y0:
                level.append(Rule((y0 + y1) / 2, x0, x1))
            elif x1 - x0 <= THICKEST:
                upright.append(Rule((x0 + x1) / 2, y0, y1))
    return Rules(tuple(_joined(level)), tuple(_joined(upright)))


def _edges(stroke: Stroke) -> list[Box]:
    x0, y0, x1, y1 = stroke.box
    if min(x1 - x0, y1 - y0) <= THICKEST:
        return [stroke.box]
    if not stroke.outlined:
        return []
    return [(x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1)]


def _joined(pieces: list[Rule]) -> list[Rule]:
    """Pieces at one level that touch, as one; what stays too short for a rule is dropped."""
    levels: list[list[Rule]] = []
    for piece in sorted(pieces, key=lambda piece: piece.at):
        if levels and piece.at - levels[-1][0].at <= SAME_LEVEL:
            levels[-1].append(piece)
        else:
            levels.append([piece])
    rules: list[Rule] = []
    for level in levels:
        rules += [rule for rule in _touching(level) if rule.length >= SHORTEST]
    return rules


def _touching(level: list[Rule]) -> list[Rule]:
    joined: list[Rule] = []
    for piece in sorted(level, key=lambda piece: piece.start):
        if joined and piece.start - joined[-1].end <= JOINING_GAP:
            last = joined[-1]
            joined[-1] = Rule(last.at, last.start, max(last.end, piece.end))
        else:
            joined.append(piece)
    return joined
