"""The headers of a table: which columns each stretch of its header rows names. Pure.

A level rule below a stretch says what it spans. Without one, a stretch names the column it stands
over, or, where it stands over several, those whose common middle is its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from documents.tables.drawn_rules import Rule
from documents.tables.table_columns import Column
from documents.tables.table_header_spans import (
    ALIGNED,
    OFF_MIDDLE,
    PART_GAP,
    Header,
    spread,
    with_rivals,
)
from documents.tables.table_words import Stretch, TextRow, Word

HEADER_GAP = 0.5
"""From this gap on two words of a header row name different columns, in letter heights."""


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
    return _joined(with_rivals(spread(headers, columns, rows), columns, rows), rules)


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
        sure = not _reaches_a_cell(stretch, columns, touched[0])
        return [Header(lines, number, touched[0], touched[0], sure, number)]
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
    return all(_stands_in(stretch, columns[index]) for index in touched)


def _reaches_a_cell(stretch: Stretch, columns: Sequence[Column], own: int) -> bool:
    """Whether the ends of a stretch stand in the columns beside its own as headers of those do."""
    beside = [columns[index] for index in (own - 1, own + 1) if 0 <= index < len(columns)]
    return any(_stands_in(stretch, column) for column in beside)


def _stands_in(stretch: Stretch, column: Column) -> bool:
    """Whether there are words of a stretch in the column, and they stand as its cells do."""
    words = [word for word in stretch.words if column.left <= word.middle < column.right]
    if not words:
        return False
    left, right = words[0].x0 - column.x0, column.x1 - words[-1].x1
    return min(abs(left), abs(right), abs(left - right) / 2) <= ALIGNED


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
