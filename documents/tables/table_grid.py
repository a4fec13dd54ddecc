"""Tables with rules around their cells. Pure."""

from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise

from documents.tables.drawn_rules import Rule
from documents.tables.table_columns import is_number
from documents.tables.table_draft import Draft, DraftCell, Region
from documents.tables.table_words import TextRow, Word, rows_of, usual_height

SAME_EDGE = 3.0
"""Rules nearer than this, in points, are one edge of the grid."""
BORDER = 0.6
"""Share of a cell's side that a rule must run along to part it from its neighbour."""
NEAR = 0.35
"""So near to each other words stand in one text, in letter heights."""
MOST_CELLS = 4000
LISTED = 3
"""So many lines at the height of a neighbour's lines are rows, if one of the two is a list."""
COLUMN_GAP = 1.5
"""So wide a gap in two lines of a cell, in letter heights, parts columns without a rule."""


def grid_table(region: Region) -> Draft | None:
    """The table whose cells rules bound on all sides; None where they do not."""
    xs = _edges([rule.at for rule in region.upright], region.box[0], region.box[2])
    ys = _edges([rule.at for rule in region.level], region.box[1], region.box[3])
    if len(xs) < 3 or len(ys) < 3 or len(xs) * len(ys) > MOST_CELLS:
        return None
    places = _merged_places(xs, ys, region)
    doubts = _doubts_about_rules(region, xs)
    words, loose = _words_by_place(region, xs, ys)
    if loose:
        doubts.append("a word stands on a rule")
    members: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for place, root in places.items():
        members[root].append(place)
    cells: list[DraftCell] = []
    for group in members.values():
        rows, columns = [r for r, _ in group], [c for _, c in group]
        height, width = max(rows) - min(rows) + 1, max(columns) - min(columns) + 1
        if height * width != len(group):
            doubts.append("a cell is no rectangle")
            continue
        mine = [word for place in group for word in words.get(place, ())]
        if mine:
            lines = tuple(row.words for row in rows_of(mine))
            cells.append(DraftCell(lines, min(rows), min(columns), height, width))
    if _holds_rows(cells, xs, usual_height(region.words)):
        return None
    return _named(cells, xs, ys, doubts)


def _edges(places: Sequence[float], low: float, high: float) -> list[float]:
    edges: list[float] = []
    for place in sorted([low, *places, high]):
        if not edges or place - edges[-1] > SAME_EDGE:
            edges.append(place)
    return edges


def _merged_places(xs: list[float], ys: list[float], region: Region) -> dict[tuple[int, int], int]:
    """For each place `(row, column)` of the grid, the number of the cell that it belongs to."""
    columns = len(xs) - 1
    parent = list(range((len(ys) - 1) * columns))

    def root(index: int) -> int:
        while parent[index] != index:
            parent[index] = parent[parent[index]]
            index = parent[index]
        return index

    for row in range(len(ys) - 1):
        for column in range(columns):
            index = row * columns + column
            if column + 1 < columns and not _parts(
                region.upright, xs[column + 1], ys[row], ys[row + 1]
            ):
                parent[root(index)] = root(index + 1)
            if row + 2 < len(ys) and not _parts(
                region.level, ys[row + 1], xs[column], xs[column + 1]
            ):
                parent[root(index)] = root(index + columns)
    return {(index // columns, index % columns): root(index) for index in range(len(parent))}


def _parts(rules: Sequence[Rule], at: float, start: float, end: float) -> bool:
    along = sum(
        max(0.0, min(rule.end, end) - max(rule.start, start))
        for rule in rules
        if abs(rule.at - at) <= SAME_EDGE
    )
    return along >= BORDER * (end - start)


def _words_by_place(
    region: Region, xs: list[float], ys: list[float]
) -> tuple[dict[tuple[int, int], list[Word]], bool]:
    words: dict[tuple[int, int], list[Word]] = defaultdict(list)
    loose = False
    for word in region.words:
        column = _slot(xs, word.middle)
        row = _slot(ys, word.level)
        words[row, column].append(word)
        for rule in region.upright:
            crosses = word.x0 + 1.5 < rule.at < word.x1 - 1.5
            loose |= crosses and rule.start < word.level < rule.end
    return words, loose


def _doubts_about_rules(region: Region, xs: list[float]) -> list[str]:
    """Whether words on both sides of an upright rule stand no farther apart than words of a text:
    what is too wide for its cell is printed into the next one."""
    for row in rows_of(region.words):
        for one, other in pairwise(sorted(row.words, key=lambda word: word.x0)):
            near = other.x0 - one.x1 < NEAR * min(one.height, other.height)
            parted = _slot(xs, one.middle) != _slot(xs, other.middle) and any(
                rule.start < one.level < rule.end and one.middle < rule.at < other.middle
                for rule in region.upright
            )
            if near and parted:
                return ["words run through a rule"]
    return []


def _slot(edges: list[float], value: float) -> int:
    return max(0, min(len(edges) - 2, sum(edge <= value for edge in edges) - 1))


def _holds_rows(cells: Sequence[DraftCell], xs: Sequence[float], height: float) -> bool:
    """Whether rules leave several rows, or several columns, of the table in one of its cells."""
    bands: dict[int, list[DraftCell]] = defaultdict(list)
    for cell in cells:
        bands[cell.row].append(cell)
        torn = sum(len(TextRow(line).stretches(COLUMN_GAP * height)) > 1 for line in cell.lines)
        if torn >= 2:
            return True
    return any(_side_by_side(band, xs, height) for band in bands.values())


def _side_by_side(band: Sequence[DraftCell], xs: Sequence[float], height: float) -> bool:
    """Whether lines of neighbouring cells belong together rather than to their own cells."""
    deep = [cell for cell in band if len(cell.lines) >= 2]
    for one, other in pairwise(deep):
        levels = [[max(w.y1 for w in line) for line in cell.lines] for cell in (one, other)]
        shared = sum(any(abs(a - b) < 0.3 * height for b in levels[1]) for a in levels[0])
        free = [_breaks_freely(cell, xs, height) for cell in (one, other)]
        if shared >= 2 and (all(free) or (any(free) and shared >= LISTED)):
            return True
    return False


def _breaks_freely(cell: DraftCell, xs: Sequence[float], height: float) -> bool:
    """Whether most lines of a cell end though the next word had had room in it."""
    left, right = xs[cell.column], xs[cell.column + cell.columns]
    pad = max(0.0, min(cell.x0 - left, 0.2 * (right - left)))
    free = 0
    for upper, lower in pairwise(cell.lines):
        width = max(w.x1 for w in upper) - min(w.x0 for w in upper)
        first = lower[0].x1 - lower[0].x0
        room = right - left - 2 * pad
        free += width + 0.3 * height + first < room
    return free > 0.5 * (len(cell.lines) - 1)


def _named(
    cells: list[DraftCell], xs: list[float], ys: list[float], doubts: list[str]
) -> Draft | None:
    """The grid with its header rows marked."""
    rows = sorted({cell.row for cell in cells})
    if len(rows) < 2 or len({cell.column for cell in cells}) < 2:
        return None
    count = len(xs) - 1
    last = _last_header_row(cells, rows, count)
    heads = [cell for cell in cells if cell.row <= last]
    body = [cell for cell in cells if cell.row > last]
    if not body:
        return None
    doubts += _doubts(heads, body, count)
    marked = [
        DraftCell(c.lines, c.row, c.column, c.rows, c.columns, is_header=c.row <= last)
        for c in cells
    ]
    return Draft(
        xs=tuple(xs),
        ys=tuple(ys),
        cells=tuple(marked),
        doubts=tuple(doubts),
        method="grid",
    )


def _last_header_row(cells: Sequence[DraftCell], rows: Sequence[int], count: int) -> int:
    """The first row, those that its cells reach down to, and those below its spanning cells."""
    last = rows[0]
    for row in rows:
        here = [cell for cell in cells if cell.row == row]
        if row > last:
            break
        title = len(here) == 1 and here[0].columns == count
        spanning = any(cell.columns > 1 for cell in here)
        deep = max(cell.row + cell.rows - 1 for cell in here)
        last = max(last, deep, *([row + 1] if title or spanning else [row]))
    return min(last, rows[-1])


def _doubts(heads: Sequence[DraftCell], body: Sequence[DraftCell], count: int) -> list[str]:
    doubts: list[str] = []
    for column in range(1, count):
        if not any(cell.covers(column) for cell in heads):
            doubts.append("a column has no header")
            break
    numbers = sum(_is_value(cell) for cell in heads)
    if numbers >= 0.5 * len(heads):
        doubts.append("headers are numbers")
    if _has_loose_words(body):
        doubts.append("words stand alone without a label")
    wide = sum(cell.columns == count for cell in (*heads, *body))
    if wide > 0.4 * len({cell.row for cell in (*heads, *body)}):
        doubts.append("rows of one cell")
    if any(cell.columns > 1 and cell.columns < count for cell in body):
        doubts.append("cells of the body span columns")
    return doubts


def _has_loose_words(body: Sequence[DraftCell]) -> bool:
    """Whether words, perhaps the name of a panel, are all that a row has, in one of its columns."""
    bands: dict[int, list[DraftCell]] = defaultdict(list)
    for cell in body:
        bands[cell.row].append(cell)
    alone = (band[0] for band in bands.values() if len(band) == 1)
    return any(cell.column and cell.columns == 1 and not _is_value(cell) for cell in alone)


def _is_value(cell: DraftCell) -> bool:
    """Whether digits make up most of a cell."""
    text = cell.text
    digits = sum(sign.isdigit() for sign in text)
    return is_number(text.split()[0]) or digits > sum(sign.isalpha() for sign in text)
