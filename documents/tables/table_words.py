"""Words of a page, rows of words, and stretches of them: what tables are read from. Pure.

Coordinates are points in a frame in which the text runs to the right and rows go down.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

CHINESE = "\u2e80"
"""The first of the Chinese signs."""
SPACES = (0x20, 0x0A, 0x09, 0xA0, 0x3000)
BREAKING_GAP = 0.35
"""A wider gap between letters ends a word even without a space; in letter heights."""
SLIGHT_GAP = 0.12
"""So wide a gap beside any sign but a Latin letter ends a word, since a cell may end there."""
CELL_GAP = 0.75
"""From this gap on two words are surely in different cells; in letter heights."""
BASELINE = 0.35
STACKED = 0.3
SMALL = 0.8
"""Words lower than this share of the usual height (superscripts) join the row they touch."""


@dataclass(frozen=True)
class Word:
    """Letters `[start, end)` of page text of one size without a gap between them."""

    start: int
    end: int
    text: str
    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def height(self) -> float:
        return self.y1 - self.y0

    @property
    def middle(self) -> float:
        return (self.x0 + self.x1) / 2

    @property
    def level(self) -> float:
        return (self.y0 + self.y1) / 2


@dataclass(frozen=True)
class Stretch:
    """Neighbouring words of one row, from left to right."""

    words: tuple[Word, ...]

    @cached_property
    def x0(self) -> float:
        return min(word.x0 for word in self.words)

    @cached_property
    def x1(self) -> float:
        return max(word.x1 for word in self.words)

    @cached_property
    def y0(self) -> float:
        return min(word.y0 for word in self.words)

    @cached_property
    def y1(self) -> float:
        return max(word.y1 for word in self.words)

    @cached_property
    def band(self) -> tuple[float, float]:
        """The usual upper and lower end of its words: accents and exponents reach out of it."""
        tops, bottoms = sorted(w.y0 for w in self.words), sorted(w.y1 for w in self.words)
        half = len(self.words) // 2
        return tops[half], bottoms[half]

    @property
    def middle(self) -> float:
        return (self.x0 + self.x1) / 2

    @property
    def width(self) -> float:
        return self.x1 - self.x0

    @cached_property
    def text(self) -> str:
        return " ".join(word.text for word in self.words)


@dataclass(frozen=True)
class TextRow(Stretch):
    """All words of a region that stand side by side."""

    def stretches(self, gap: float) -> list[Stretch]:
        """The row cut where the gap between two words is `gap` points or more."""
        groups: list[list[Word]] = [[self.words[0]]]
        reached = self.words[0].x1
        for word in self.words[1:]:
            if word.x0 - reached >= gap:
                groups.append([])
            groups[-1].append(word)
            reached = max(reached, word.x1)
        return [Stretch(tuple(group)) for group in groups]


def words_of(text: str, points: NDArray[np.float64], chosen: NDArray[np.bool_]) -> list[Word]:
    """The words that the `chosen` letters make, in text order; `points` are all letters' boxes."""
    codes = np.frombuffer(text.encode("utf-32-le", "replace"), "<u4")
    inked = chosen & ~np.isin(codes, SPACES) & (points[:, 3] > points[:, 1])
    indexes = np.flatnonzero(inked)
    if not len(indexes):
        return []
    starts = _word_starts(indexes, points[indexes], text)
    lower = np.minimum.reduceat(points[indexes, :2], starts).tolist()
    upper = np.maximum.reduceat(points[indexes, 2:], starts).tolist()
    firsts = indexes[starts].tolist()
    lasts = indexes[np.append(starts[1:], len(indexes)) - 1].tolist()
    return [
        Word(first, last + 1, text[first : last + 1], x0, y0, x1, y1)
        for first, last, (x0, y0), (x1, y1) in zip(firsts, lasts, lower, upper, strict=True)
    ]


def _word_starts(
    indexes: NDArray[np.intp], points: NDArray[np.float64], text: str
) -> NDArray[np.intp]:
    heights = points[1:, 3] - points[1:, 1]
    parted = np.diff(indexes) > 1
    gap = points[1:, 0] - points[:-1, 2]
    parted |= (gap > BREAKING_GAP * heights) | (gap < -2 * heights)
    for place in np.flatnonzero(~parted & (gap > SLIGHT_GAP * heights)).tolist():
        signs = text[indexes[place]], text[indexes[place + 1]]
        parted[place] = not all(sign.isalpha() and sign < CHINESE for sign in signs)
    overlap = np.minimum(points[1:, 3], points[:-1, 3]) - np.maximum(points[1:, 1], points[:-1, 1])
    parted |= overlap <= 0
    tall = np.maximum(heights, points[:-1, 3] - points[:-1, 1])
    parted |= np.abs(np.diff(points[:, 3] - points[:, 1])) > (1 - SMALL) * tall
    return np.flatnonzero(np.concatenate(([True], parted)))


def usual_height(words: Iterable[Word]) -> float:
    """The median height of the words' letters, each word counted by its length."""
    pairs = sorted((word.height, word.end - word.start) for word in words)
    half = sum(count for _, count in pairs) / 2
    for height, count in pairs:
        half -= count
        if half <= 0:
            return height
    return 0.0


def rows_of(words: Sequence[Word]) -> list[TextRow]:
    """The words as rows from top to bottom, each from left to right."""
    if not words:
        return []
    usual = usual_height(words)
    large = [word for word in words if word.height >= SMALL * usual]
    groups: list[list[Word]] = []
    base = 0.0
    for word in sorted(large, key=lambda word: word.y1):
        if groups and word.y1 - base <= BASELINE * usual:
            groups[-1].append(word)
        else:
            groups.append([word])
            base = word.y1
    _add_small([word for word in words if word.height < SMALL * usual], groups)
    rows = [TextRow(_from_left(group)) for group in groups]
    return sorted(rows, key=lambda row: (row.y0 + row.y1) / 2)


def _from_left(words: list[Word]) -> tuple[Word, ...]:
    """Words from left to right; of an index and an exponent at one place the index first."""
    line = sorted(words, key=lambda word: (word.x0, word.start))
    small = SMALL * max(word.height for word in line)
    for place in range(len(line) - 1):
        one, other = line[place], line[place + 1]
        near = other.x0 - one.x0 < STACKED * one.height and max(one.height, other.height) < small
        if near and one.level < other.level - STACKED * one.height:
            line[place], line[place + 1] = other, one
    return tuple(line)


def _add_small(words: list[Word], groups: list[list[Word]]) -> None:
    """Put each small word into the row that it touches most, else into a row of small words."""
    bands = [(min(w.y0 for w in group), max(w.y1 for w in group), group) for group in groups]
    left: list[Word] = []
    for word in words:
        best = max(
            bands,
            key=lambda band: (
                min(band[1], word.y1) - max(band[0], word.y0),
                -_distance(band[2], word),
            ),
            default=None,
        )
        if best and min(best[1], word.y1) - max(best[0], word.y0) > 0.1 * word.height:
            best[2].append(word)
        else:
            left.append(word)
    base = 0.0
    fresh: list[Word] | None = None
    for word in sorted(left, key=lambda word: word.y1):
        if fresh is None or word.y1 - base > BASELINE * word.height:
            fresh = []
            groups.append(fresh)
            base = word.y1
        fresh.append(word)


def _distance(group: list[Word], word: Word) -> float:
    return min(max(other.x0 - word.x1, word.x0 - other.x1, 0.0) for other in group)


def letters_in(text: str) -> int:
    """How wide a text is in Latin letters: a Chinese sign counts two."""
    return sum(2 if sign > CHINESE else 1 for sign in text)
