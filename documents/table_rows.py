"""The body of a table without level rules: which lines of text are one row of cells. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from documents.drawn_rules import Rule
from documents.table_columns import NUMBER_GAP, Column, is_number
from documents.table_words import Stretch, TextRow, Word

WIDE_GAP = 0.5
TIGHT = 1.12
"""Lines of one cell are at most this many times the table's narrowest line pitch apart."""
INDENT = 0.45

_PANEL = re.compile(r"^(?:panel|part|面板|板块)\s*[A-Z\dIVX一二三]", re.IGNORECASE)


@dataclass
class BodyRow:
    """One row of cells: per column its lines of words. `wide` is one cell over all columns."""

    top: float
    bottom: float
    cells: dict[int, list[tuple[Word, ...]]] = field(default_factory=dict)
    is_wide: bool = False
    last_top: float = 0.0
    ruled_above: bool = False

    @property
    def label(self) -> str:
        lines = self.cells.get(0, [])
        return " ".join(word.text for line in lines for word in line)

    @property
    def values(self) -> list[int]:
        return [column for column in self.cells if column > 0]


@dataclass
class Body:
    rows: list[BodyRow]
    doubts: list[str]


def find_rows(
    lines: Sequence[TextRow], columns: Sequence[Column], rules: Sequence[Rule], height: float
) -> Body:
    """The rows of cells that body `lines` make; `rules` run over the whole width."""
    doubts: list[str] = []
    placed = [_placed(line, columns, height, doubts) for line in lines]
    for above, below in pairwise(placed):
        below.ruled_above = any(above.top < rule.at < below.bottom for rule in rules)
    if any(below.top < above.bottom - 0.35 * height for above, below in pairwise(placed)):
        doubts.append("rows overlap")
    pitches = [below.bottom - above.bottom for above, below in pairwise(placed)]
    tight = TIGHT * min((p for p in pitches if p > 0.5 * height), default=0.0)
    spaced = _are_spaced(placed, pitches, tight)
    rights = [_right(placed, column) for column in range(len(columns))]
    rows: list[BodyRow] = []
    for row, pitch in zip(placed, [0.0, *pitches], strict=True):
        goes_on = bool(rows) and not row.ruled_above and pitch <= tight
        verdict = _continues(rows[-1], row, rights, height, spaced=spaced) if goes_on else False
        if verdict is None or (goes_on and not verdict and _breaks_off(rows[-1], row)):
            doubts.append("a line may go on with the row above")
        if verdict:
            _append(rows[-1], row)
        else:
            rows.append(row)
    return Body(rows, doubts)


def _are_spaced(rows: Sequence[BodyRow], pitches: Sequence[float], tight: float) -> bool:
    """Whether rules or wider pitches part the rows: lines at the narrow pitch are then wrapped."""
    parted = sum(
        row.ruled_above or pitch > tight for row, pitch in zip(rows[1:], pitches, strict=True)
    )
    return parted >= 0.2 * len(pitches)


def _right(rows: Sequence[BodyRow], column: int) -> float:
    """How far a column's lines reach; 0 for one of single short words, which never wrap."""
    lines = [line for row in rows if not row.is_wide for line in row.cells.get(column, ())]
    wraps = any(len(line) > 1 or len(line[0].text) > 8 for line in lines)
    return max((word.x1 for line in lines for word in line), default=0.0) if wraps else 0.0


def _breaks_off(above: BodyRow, row: BodyRow) -> bool:
    """Whether a cell ends as no cell does though the next line was taken for another row."""
    for column, lines in row.cells.items():
        upper = above.cells.get(column)
        if upper and not above.is_wide and not row.is_wide:
            last = max(upper[-1], key=lambda word: word.x1).text
            if last[-1] in ",，、;；(（-\u00ad" and len(last) > 1:
                return True
            if column and lines[0][0].text[:1].islower() and len(lines[0][0].text) > 2:
                return True
    return False


def _placed(line: TextRow, columns: Sequence[Column], height: float, doubts: list[str]) -> BodyRow:
    stretches = line.stretches(WIDE_GAP * height)
    row = BodyRow(line.y0, line.y1, last_top=line.y0)
    over = {c for s in stretches for c in _straddled(s, columns, height)}
    if over and len(stretches) == 1:
        row.is_wide = True
        row.cells[0] = [line.words]
        return row
    if over:
        doubts.append("a cell reaches into the next column")
    by_column: dict[int, list[Word]] = {}
    for word in line.words:
        by_column.setdefault(_home(word, columns), []).append(word)
    row.cells = {column: [tuple(words)] for column, words in sorted(by_column.items())}
    return row


def _straddled(stretch: Stretch, columns: Sequence[Column], height: float) -> list[int]:
    """The columns whose left edge runs through a stretch, not through a gap beside numbers."""
    words = stretch.words
    crossed: list[int] = []
    for index, column in enumerate(columns[1:], start=1):
        before = [word for word in words if word.middle < column.left]
        after = [word for word in words if word.middle >= column.left]
        if not before or not after:
            word = words[0]
            only = len(words) == 1 and word.x0 < column.left - 0.5 * height
            if only and word.x1 > column.left + 0.5 * height:
                crossed.append(index)
            continue
        last, first = max(before, key=lambda w: w.x1), min(after, key=lambda w: w.x0)
        is_value = is_number(first.text) and first.text[0] not in "([（"
        if not is_value or first.x0 - last.x1 < NUMBER_GAP * height:
            crossed.append(index)
    return crossed


def _home(word: Word, columns: Sequence[Column]) -> int:
    for index, column in enumerate(columns):
        if word.middle < column.right:
            return index
    return len(columns) - 1


def _continues(
    above: BodyRow, row: BodyRow, rights: Sequence[float], height: float, *, spaced: bool
) -> bool | None:
    """Whether the line `row` goes on with the cells of the row above; None if that is not clear."""
    if above.is_wide or row.is_wide:
        return False
    if all(_is_value(line) for c, lines in row.cells.items() if c for line in lines) and row.values:
        return False
    if not set(row.cells) <= set(above.cells):
        return _label_goes_on(above, row, rights, height)
    if 0 in row.cells and row.values and not spaced:
        return False
    fits = [
        _would_fit(above.cells[column][-1], lines[0], rights[column], height)
        for column, lines in row.cells.items()
    ]
    if not any(fits):
        return True
    if all(fits) and (0 in row.cells or not row.values):
        return False
    lower = [lines[0][0].text[:1].islower() for lines in row.cells.values()]
    if all(low or not fit for low, fit in zip(lower, fits, strict=True)) and 0 not in row.cells:
        return True
    return None


def _label_goes_on(
    above: BodyRow, row: BodyRow, rights: Sequence[float], height: float
) -> bool | None:
    """A row whose label began on a line of its own."""
    if above.values or set(above.cells) != {0} or 0 not in row.cells:
        return False
    first = row.cells[0][0][0]
    hangs = first.text[:1].islower() or first.text[:1] in "(（"
    if _would_fit(above.cells[0][-1], row.cells[0][0], rights[0], height):
        return False
    return True if hangs else None


def _would_fit(
    above: tuple[Word, ...], below: tuple[Word, ...], right: float, height: float
) -> bool:
    """Whether the first word of the line below had had room at the end of the line above."""
    if not right:
        return True
    last = max(above, key=lambda word: word.x1)
    if last.text[-1:] in "-\u00ad\u2010" and len(last.text) > 1:
        return False
    first = below[0]
    width = first.x1 - first.x0
    if len(first.text) > 1 and ord(first.text[0]) > 0x2E80:
        width /= len(first.text)  # Chinese lines break anywhere
        return last.x1 + width <= right + 0.05 * height
    return last.x1 + 0.2 * height + width <= right + 0.05 * height


def _is_value(line: tuple[Word, ...]) -> bool:
    digits = sum(is_number(word.text) for word in line)
    return digits >= 0.5 * len(line)


def _append(above: BodyRow, row: BodyRow) -> None:
    for column, lines in row.cells.items():
        above.cells.setdefault(column, []).extend(lines)
    above.bottom = max(above.bottom, row.bottom)
    above.last_top = row.top


def row_paths(rows: Sequence[BodyRow], height: float) -> list[tuple[str, ...]]:
    """Per row the panel that it stands in, the rows it is indented under, and its own label."""
    parents: list[tuple[float, str, bool]] = []
    paths: list[tuple[str, ...]] = []
    label = ""
    for index, row in enumerate(rows):
        own = row.label
        if row.is_wide or (own and not row.values and _heads(rows, index, height)):
            x = _left(row)
            is_panel = bool(_PANEL.match(own)) or row.is_wide or row.ruled_above
            parents = [] if is_panel else [p for p in parents if p[2] or p[0] < x - INDENT * height]
            paths.append((*(name for _, name, _ in parents), own))
            parents.append((x, own, is_panel))
            label = ""
            continue
        if own:
            x = _left(row)
            parents = [p for p in parents if p[2] or p[0] <= x - INDENT * height]
            label = own
        path = [name for _, name, _ in parents]
        paths.append((*path, label) if label else tuple(path))
    return paths


def _left(row: BodyRow) -> float:
    return min(word.x0 for line in row.cells[0] for word in line)


def _heads(rows: Sequence[BodyRow], index: int, height: float) -> bool:
    """Whether a row without values names the rows below it."""
    row = rows[index]
    if index + 1 >= len(rows):
        return False
    after = rows[index + 1]
    if _PANEL.match(row.label) or row.ruled_above:
        return True
    if 0 not in after.cells or not after.values:
        return False
    return index == 0 or _left(after) > _left(row) + INDENT * height
