"""Headers that stand over several columns: over which of them, and whether that is sure. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from documents.tables.table_columns import Column
from documents.tables.table_words import TextRow, Word

ALIGNED = 1.0
BESIDE = 0.3
"""A header whose lines reach up so far beside those of another one is not below it."""
SLIGHTLY_OFF = 0.015
CLOSER = 0.4
PART_GAP = 0.28
"""Headers of neighbouring columns are this far apart at least, in letter heights."""
OFF_MIDDLE = 0.12
"""A spanning header may stand this share of its columns' width beside their middle."""


@dataclass(frozen=True, slots=True)
class Header:
    """Lines of words that name columns `[first, last]`; `row` counts header rows from 0."""

    lines: tuple[tuple[Word, ...], ...]
    row: int
    first: int
    last: int
    sure: bool = True
    last_row: int = 0
    ruled: bool = False
    """A rule below it says what it spans."""

    @property
    def words(self) -> list[Word]:
        return [word for line in self.lines for word in line]

    @property
    def middle(self) -> float:
        return (min(w.x0 for w in self.words) + max(w.x1 for w in self.words)) / 2

    def covers(self, column: int) -> bool:
        return self.first <= column <= self.last

    def meets(self, other: "Header") -> bool:
        """Whether both name a column in common."""
        return self.first <= other.last and other.first <= self.last


def spread(
    headers: list[Header], columns: Sequence[Column], rows: Sequence[TextRow]
) -> list[Header]:
    """Headers over one column that stand in the middle of several, beside columns without one."""
    widened = list(headers)
    named_below = _names_below(columns, rows)
    for index, header in enumerate(headers):
        below = rows[header.row + 1 :]
        if header.first != header.last or header.ruled or not header.first or not below:
            continue
        if any(h.row < header.row and h.first == h.last == header.first for h in headers):
            continue  # a header is no wider than the one above it
        taken = {
            column
            for other in headers
            if other.row == header.row and other is not header
            for column in range(other.first, other.last + 1)
        }
        named = named_below(header.row)
        bottom = max(word.y1 for word in header.words) - BESIDE * header.words[0].height
        free = [
            column not in taken and bool(words) and words[0].y0 > bottom
            for column, words in enumerate(named)
        ]
        inside = {c for c, words in enumerate(named) if words}
        block = {c for c in range(len(columns)) if free[c] and c >= header.first}
        if len(inside) > 1 and header.first in inside and inside == block | {header.first}:
            last = max(inside)
            middle = header.middle
            width = columns[last].x1 - columns[header.first].x0
            sure = _is_middle(middle, columns[header.first : last + 1], named[header.first :])
            off = abs((columns[header.first].x0 + columns[last].x1) / 2 - middle)
            sure = sure or off <= 0.5 * OFF_MIDDLE * width or len(inside) < len(columns) - 1
            widened[index] = replace(header, last=last, sure=header.sure and sure)
        else:
            widened[index] = _widened(header, columns, free, named)
    return widened


def _widened(
    header: Header,
    columns: Sequence[Column],
    free: Sequence[bool],
    named: Sequence[Sequence[Word]],
) -> Header:
    """The header over those `free` columns in whose middle it stands; `named` are words below."""
    low = high = header.first
    while low > 1 and free[low - 1]:
        low -= 1
    while high + 1 < len(columns) and free[high + 1]:
        high += 1
    if not free[header.first] or low == high:
        return header
    middle = header.middle
    groups = [
        (abs((columns[a].x0 + columns[b].x1) / 2 - middle), b - a, a, b)
        for a in range(low, header.first + 1)
        for b in range(header.first, high + 1)
    ]
    single = next(off for off, more, _, _ in groups if not more)
    off, more, first, last = min(groups)
    pitch = columns[last].x1 - columns[first].x0
    if not more or single - off < 0.1 * pitch:
        may_span = any(
            more and _is_middle(middle, columns[a : b + 1], named[a : b + 1])
            for _, more, a, b in groups
        )
        return replace(header, sure=(header.sure and not may_span) or _goes_on(header, named))
    sure = off <= 0.5 * OFF_MIDDLE * pitch and not _is_aligned(header, named[header.first])
    return replace(header, first=first, last=last, sure=sure)


def _is_aligned(header: Header, below: Sequence[Word]) -> bool:
    """Whether a header and the words below it begin or end at one place, as lines of a text do."""
    return (
        abs(min(w.x0 for w in header.words) - below[0].x0) < ALIGNED
        or abs(max(w.x1 for w in header.words) - below[-1].x1) < ALIGNED
    )


def with_rivals(
    headers: list[Header], columns: Sequence[Column], rows: Sequence[TextRow]
) -> list[Header]:
    """The headers, those unsure that stand in the middle of another group of free columns too."""
    judged: list[Header] = []
    named_below = _names_below(columns, rows)
    for header in headers:
        below = rows[header.row + 1 :]
        if header.first == header.last or header.ruled or not below:
            judged.append(header)
            continue
        taken = {
            c
            for other in headers
            if other.row <= header.row <= other.last_row and other is not header
            for c in range(other.first, other.last + 1)
        }
        named = named_below(header.row)
        low, high = header.first, header.last
        while low > 1 and low - 1 not in taken and named[low - 1]:
            low -= 1
        while high + 1 < len(columns) and high + 1 not in taken and named[high + 1]:
            high += 1
        middle = header.middle
        inside = slice(header.first, header.last + 1)
        own = _off_middle(middle, columns[inside], named[inside])
        is_rivalled = header.sure and any(
            _off_middle(middle, columns[a : b + 1], named[a : b + 1]) <= own + CLOSER
            for a in range(low, high)
            for b in range(a + 1, high + 1)
            if (a, b) != (header.first, header.last) and named[a] and named[b]
        )
        judged.append(replace(header, sure=header.sure and not is_rivalled))
    return judged


def _off_middle(middle: float, columns: Sequence[Column], named: Sequence[Sequence[Word]]) -> float:
    """Points from a place to the middle of neighbouring columns, with their headers or without."""
    left = min([columns[0].x0, *(word.x0 for word in named[0])])
    right = max([columns[-1].x1, *(word.x1 for word in named[-1])])
    sides = ((left, right), (columns[0].x0, columns[-1].x1))
    return min(abs((x0 + x1) / 2 - middle) for x0, x1 in sides)


def _is_middle(middle: float, columns: Sequence[Column], named: Sequence[Sequence[Word]]) -> bool:
    """Whether a place is the middle of neighbouring columns, with their headers or without."""
    left = min([columns[0].x0, *(word.x0 for word in named[0])])
    right = max([columns[-1].x1, *(word.x1 for word in named[-1])])
    return _off_middle(middle, columns, named) <= 1 + SLIGHTLY_OFF * (right - left)


def _goes_on(header: Header, named: Sequence[Sequence[Word]]) -> bool:
    """Whether the line below a header is none by itself: it alone begins small and is aligned with
    the header, or it is a unit."""
    below = named[header.first]
    first = below[0].text
    small = [words[0].text[0].islower() for words in named if words]
    is_unit = first[0] in "(（[%" and not any(map(str.isdigit, first))
    begins_large = not header.words[0].text[0].islower()
    middle = (below[0].x0 + below[-1].x1) / 2
    is_aligned = _is_aligned(header, below) or abs(middle - header.middle) < ALIGNED
    is_small = first[0].islower() and sum(small) == 1 and begins_large
    return is_unit or (is_small and is_aligned)


def _names_below(
    columns: Sequence[Column], rows: Sequence[TextRow]
) -> Callable[[int], list[list[Word]]]:
    """What names each column below a row; many headers of one row ask for it."""
    return cache(lambda row: [_words_below(column, rows[row + 1 :]) for column in columns])


def _words_below(column: Column, below: Sequence[TextRow]) -> list[Word]:
    """The words of the first of the rows `below` that has some in the column, none cut off."""
    for row in below:
        inside = [w for w in row.words if column.left <= w.middle < column.right]
        if inside:
            phrases = row.stretches(PART_GAP * inside[0].height)
            whole = [p for p in phrases if column.left <= p.middle < column.right]
            return [word for phrase in whole for word in phrase.words] or inside
    return []
