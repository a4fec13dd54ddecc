"""Boxes around rules that meet, and around grids that stand upon each other. Pure; in points."""

from collections.abc import Sequence

from documents.tables.drawn_rules import Box, Rules
from documents.tables.table_sheet import Sheet
from documents.tables.table_words import CELL_GAP, rows_of, usual_height

SAME_END = 5.0
"""Rules of one table end within this many points of each other."""
SHORTEST = 50.0
"""Least width of a table."""
LOWEST = 12.0
"""Least height of a table."""
TOUCHING = 2.5
"""Rules meet that are at most this far from each other."""
PANEL = 32.0
"""Height that a line between two parts of one grid may take."""


def grid_boxes(sheet: Sheet) -> list[Box]:
    """The boxes of grids, from the top; parts with a line of text between them are one grid."""
    return _stacked(sheet, _grids(sheet.rules))


def _grids(rules: Rules) -> list[Box]:
    """Boxes around level and upright rules that meet."""
    pieces: list[Box] = [(r.start, r.at, r.end, r.at) for r in rules.level]
    pieces += [(r.at, r.start, r.at, r.end) for r in rules.upright]
    first = len(rules.level)
    boxes: list[Box] = []
    for group in _meeting(pieces, first):
        level = sum(index < first for index in group)
        box = _around([pieces[index] for index in group])
        if level >= 2 and len(group) > level and _is_large(box):
            boxes.append(box)
    return boxes


def _stacked(sheet: Sheet, boxes: list[Box]) -> list[Box]:
    """Grids of one width with nothing but a line of text between them are one."""
    stacked: list[Box] = []
    for box in sorted(boxes, key=lambda box: box[1]):
        index = next((i for i, upper in enumerate(stacked) if _goes_on(sheet, upper, box)), None)
        if index is None:
            stacked.append(box)
        else:
            stacked[index] = _around([stacked[index], box])
    return stacked


def _goes_on(sheet: Sheet, upper: Box, lower: Box) -> bool:
    same = abs(upper[0] - lower[0]) <= SAME_END and abs(upper[2] - lower[2]) <= SAME_END
    if not same or not -TOUCHING <= lower[1] - upper[3] <= PANEL:
        return False
    words = sheet.inside((upper[0], upper[3], upper[2], lower[1]))
    starts = {word.start for word in words}
    rows = rows_of(words)
    single = all(len(row.stretches(CELL_GAP * usual_height(words))) == 1 for row in rows)
    return len(rows) <= 2 and single and not any(c[0] in starts for c in sheet.captions)


def _meeting(pieces: Sequence[Box], first: int) -> list[list[int]]:
    """Groups of rules that touch; from index `first` on they are upright."""
    parent = list(range(len(pieces)))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for upright in range(first, len(pieces)):
        x, y0, _, y1 = pieces[upright]
        for level in range(first):
            x0, y, x1, _ = pieces[level]
            if y0 - TOUCHING <= y <= y1 + TOUCHING and x0 - TOUCHING <= x <= x1 + TOUCHING:
                parent[root(upright)] = root(level)
    groups: dict[int, list[int]] = {}
    for index in range(len(pieces)):
        groups.setdefault(root(index), []).append(index)
    return list(groups.values())


def _around(boxes: Sequence[Box]) -> Box:
    return (
        min(box[0] for box in boxes),
        min(box[1] for box in boxes),
        max(box[2] for box in boxes),
        max(box[3] for box in boxes),
    )


def _is_large(box: Box) -> bool:
    return box[2] - box[0] >= SHORTEST and box[3] - box[1] >= LOWEST
