"""The headers of a table: which columns each stretch of its header rows names. Pure.

A level rule below a stretch says what it spans. Without one, a stretch names the column it stands
over, or, where it stands over several, those whose common middle is its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from documents.tables.drawn_rules import Rule
from documents.tables.table_columns import Column
from documents.tables.table_words import Stretch, TextRow, Word

HEADER_GAP = 0.5
"""From this gap on two words of a header row name different columns, in letter heights."""
PART_GAP = 0.28
"""Headers of neighbouring columns are this far apart at least."""
ALIGNED = 1.0
BESIDE = 0.3
"""A header whose lines reach up so far beside those of another one is not below it."""
SLIGHTLY_OFF = 0.015
CLOSER = 0.4
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

    def covers(self, column: int) -> bool:
        return self.first <= column <= self.last

    def meets(self, other: "Header") -> bool:
        """Whether both name a column in common."""
        return self.first <= other.last and other.first <= self.last


def find_headers(
    rows: Sequence[TextRow], columns: Sequence[Column], rules: Sequence[Rule], height: float
) -> list[Header]:
    """The headers in header `rows` from top to bottom; wrapped ones are joined."""
    headers: list[Header] = []
    for number, row in enumerate(rows):
        named = [any(h.first == h.last == c for h in headers) for c in range(len(columns))]
        band = _Band(number, columns, rules, rows[number + 1 :], named)
        for stretch in row.stretches(HEADER_GAP * height):
            headers += _placed(stretch, band)
    return _joined(_with_rivals(_spread(headers, columns, rows), columns, rows), rules)


def _spread(
    headers: list[Header], columns: Sequence[Column], rows: Sequence[TextRow]
) -> list[Header]:
    """Headers over one column that stand in the middle of several, beside columns without one."""
    spread = list(headers)
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
        named = [_words_below(column, below) for column in columns]
        bottom = max(word.y1 for word in header.words) - BESIDE * header.words[0].height
        free = [
            column not in taken and bool(words) and words[0].y0 > bottom
            for column, words in enumerate(named)
        ]
        inside = {c for c, words in enumerate(named) if words}
        block = {c for c in range(len(columns)) if free[c] and c >= header.first}
        if len(inside) > 1 and header.first in inside and inside == block | {header.first}:
            last = max(inside)
            middle = (min(w.x0 for w in header.words) + max(w.x1 for w in header.words)) / 2
            width = columns[last].x1 - columns[header.first].x0
            sure = _is_middle(middle, columns[header.first : last + 1], named[header.first :])
            off = abs((columns[header.first].x0 + columns[last].x1) / 2 - middle)
            sure = sure or off <= 0.5 * OFF_MIDDLE * width or len(inside) < len(columns) - 1
            spread[index] = replace(header, last=last, sure=header.sure and sure)
        else:
            spread[index] = _widened(header, columns, free, named)
    return spread


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
    middle = (min(w.x0 for w in header.words) + max(w.x1 for w in header.words)) / 2
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
        return replace(header, sure=(header.sure and not may_span) or _goes_on(header.first, named))
    sure = off <= 0.5 * OFF_MIDDLE * pitch and not _is_aligned(header, named[header.first])
    return replace(header, first=first, last=last, sure=sure)


def _is_aligned(header: Header, below: Sequence[Word]) -> bool:
    """Whether a header and the words below it begin or end at one place, as lines of a text do."""
    return (
        abs(min(w.x0 for w in header.words) - below[0].x0) < ALIGNED
        or abs(max(w.x1 for w in header.words) - below[-1].x1) < ALIGNED
    )


def _with_rivals(
    headers: list[Header], columns: Sequence[Column], rows: Sequence[TextRow]
) -> list[Header]:
    """The headers, those unsure that stand in the middle of another group of free columns too."""
    judged: list[Header] = []
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
        named = [_words_below(column, below) for column in columns]
        low, high = header.first, header.last
        while low > 1 and low - 1 not in taken and named[low - 1]:
            low -= 1
        while high + 1 < len(columns) and high + 1 not in taken and named[high + 1]:
            high += 1
        middle = (min(w.x0 for w in header.words) + max(w.x1 for w in header.words)) / 2
        inside = slice(header.first, header.last + 1)
        own = _off_middle(middle, columns[inside], named[inside])
        rivals = [
            (a, b)
            for a in range(low, high)
            for b in range(a + 1, high + 1)
            if (a, b) != (header.first, header.last)
            and all(named[c] for c in (a, b))
            and _off_middle(middle, columns[a : b + 1], named[a : b + 1]) <= own + CLOSER
        ]
        judged.append(replace(header, sure=header.sure and not rivals))
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


def _goes_on(column: int, named: Sequence[Sequence[Word]]) -> bool:
    """Whether a line of a header is no header by itself: it alone begins small, or it is a unit."""
    first = named[column][0].text
    small = [words[0].text[0].islower() for words in named if words]
    is_unit = first[0] in "(（[%" and not any(map(str.isdigit, first))
    return is_unit or (first[0].islower() and sum(small) == 1)


@dataclass(frozen=True, slots=True)
class _Band:
    """One header row: its number, the rows below it, and which columns are named above it."""

    number: int
    columns: Sequence[Column]
    rules: Sequence[Rule]
    below: Sequence[TextRow]
    named: Sequence[bool]


def _placed(stretch: Stretch, band: _Band) -> list[Header]:
    number, columns, below, named = band.number, band.columns, band.below, band.named
    is_leaf = not below
    lines = (stretch.words,)
    ruled = _under_rule(stretch, columns, band.rules, below)
    if ruled is not None:
        return [Header(lines, number, *ruled, last_row=number, ruled=True)]
    touched = _touched(stretch, columns)
    if len(touched) == 1:
        return [Header(lines, number, touched[0], touched[0], last_row=number)]
    free = [column for column in touched if not _named_below(columns[column], below)]
    if (is_leaf or len(free) == len(touched)) and not all(named[c] for c in touched):
        parts = _parts(stretch, columns, touched)
        if parts is not None:
            return [
                Header((part,), number, column, column, last_row=number) for column, part in parts
            ]
    group = columns[touched[0]].x0, columns[touched[-1]].x1
    off = abs((group[0] + group[1]) / 2 - stretch.middle)
    sure = off <= OFF_MIDDLE * (group[1] - group[0]) and not free
    sure = sure and not _may_be_several(stretch, columns, touched)
    return [Header(lines, number, touched[0], touched[-1], sure, number)]


def _may_be_several(stretch: Stretch, columns: Sequence[Column], touched: Sequence[int]) -> bool:
    """Whether the words of a stretch stand as if each belonged to another of the columns."""
    for column in (columns[index] for index in touched):
        words = [word for word in stretch.words if column.left <= word.middle < column.right]
        if not words:
            return False
        left, right = words[0].x0 - column.x0, column.x1 - words[-1].x1
        if min(abs(left), abs(right), abs(left - right) / 2) > ALIGNED:
            return False
    return True


def _under_rule(
    stretch: Stretch, columns: Sequence[Column], rules: Sequence[Rule], below: Sequence[TextRow]
) -> tuple[int, int] | None:
    """The columns over which the rule next below the stretch runs, if it belongs to the stretch."""
    lower = below[0].y1 if below else float("inf")
    found = [
        rule
        for rule in rules
        if stretch.y1 - 2 <= rule.at <= min(lower, stretch.y1 + 12)
        and rule.start - 2 <= stretch.middle <= rule.end + 2
        and rule.end - rule.start >= 0.8 * stretch.width
    ]
    if not found:
        return None
    rule = min(found, key=lambda rule: rule.at)
    under = [
        index
        for index, column in enumerate(columns)
        if min(column.x1, rule.end) - max(column.x0, rule.start)
        >= 0.5 * max(column.x1 - column.x0, 0.1)
    ]
    return (under[0], under[-1]) if under else None


def _touched(stretch: Stretch, columns: Sequence[Column]) -> list[int]:
    """The columns over which a stretch stands: at least one, without a gap between them."""
    over = [
        index
        for index, column in enumerate(columns)
        if min(column.x1, stretch.x1) - max(column.x0, stretch.x0)
        > 0.3 * min(max(column.x1 - column.x0, 0.1), stretch.width)
    ]
    if not over:
        return [
            min(
                range(len(columns)),
                key=lambda index: max(
                    columns[index].left - stretch.middle, stretch.middle - columns[index].right
                ),
            )
        ]
    return list(range(over[0], over[-1] + 1))


def _named_below(column: Column, below: Sequence[TextRow]) -> bool:
    return any(column.left <= word.middle < column.right for row in below for word in row.words)


def _words_below(column: Column, below: Sequence[TextRow]) -> list[Word]:
    """The words of the first of the rows `below` that has some in the column."""
    rows = ([w for w in row.words if column.left <= w.middle < column.right] for row in below)
    return next(filter(None, rows), [])


def _parts(
    stretch: Stretch, columns: Sequence[Column], touched: Sequence[int]
) -> list[tuple[int, tuple[Word, ...]]] | None:
    """The stretch cut into one header for each column, if no word stands over two of them."""
    parts: dict[int, list[Word]] = {column: [] for column in touched}
    reached = stretch.x0
    for word in stretch.words:
        home = next((c for c in touched if columns[c].left <= word.middle < columns[c].right), None)
        if home is None:
            return None
        others = (columns[c] for c in touched if c != home)
        if any(min(c.x1, word.x1) - max(c.x0, word.x0) > 0.25 * word.height for c in others):
            return None
        if not parts[home] and word.x0 - reached < PART_GAP * word.height and word.x0 > stretch.x0:
            return None
        reached = max(reached, word.x1)
        parts[home].append(word)
    if not all(words for column, words in parts.items() if column):
        return None
    return [(column, tuple(words)) for column, words in parts.items() if words]


def _joined(headers: list[Header], rules: Sequence[Rule]) -> list[Header]:
    """Headers with the lines below them that name the same columns, where no rule parts them."""
    joined: list[Header] = []
    for header in headers:
        above = next(
            (
                index
                for index, other in enumerate(joined)
                if (other.first, other.last) == (header.first, header.last)
                and other.last_row < header.row
                and not any(h.row > other.row and h.meets(header) for h in joined)
            ),
            None,
        )
        if above is None or _is_parted(joined[above], header, rules):
            joined.append(header)
            continue
        other = joined[above]
        joined[above] = replace(
            other,
            lines=other.lines + header.lines,
            sure=other.sure and header.sure,
            last_row=header.row,
        )
    return joined


def _is_parted(upper: Header, lower: Header, rules: Sequence[Rule]) -> bool:
    y0 = max(word.y0 for word in upper.lines[-1])
    y1 = min(word.y1 for word in lower.lines[0])
    x = (min(w.x0 for w in upper.words) + max(w.x1 for w in upper.words)) / 2
    return any(y0 < rule.at < y1 and rule.start <= x <= rule.end for rule in rules)
