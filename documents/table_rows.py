"""The body of a table without level rules: which lines of text are one row of cells. Pure."""

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
OVERLAP = 0.25
FULL = 0.6
"""A line that goes on below fills at least this share of its column."""
SPACED = 0.2


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
    placed = _level([_placed(line, columns, height, doubts) for line in lines], height, doubts)
    for above, below in pairwise(placed):
        below.ruled_above = any(above.top < rule.at < below.bottom for rule in rules)
    pitches = [below.bottom - above.bottom for above, below in pairwise(placed)]
    tight = TIGHT * min((p for p in pitches if p > 0.5 * height), default=0.0)
    close = [False, *(p <= tight for p in pitches)]
    joins = _Joins(placed, close, [_extent(placed, c) for c in range(len(columns))], height)
    rows: list[BodyRow] = []
    for index, row in enumerate(placed):
        goes_on = bool(rows) and close[index] and not row.ruled_above
        verdict = joins.continues(rows[-1], row, placed[index + 1 :]) if goes_on else False
        if verdict is None or (goes_on and not verdict and joins.breaks_off(rows[-1], row)):
            doubts.append("a line may go on with the row above")
        if verdict:
            _append(rows[-1], row)
        else:
            rows.append(row)
    return Body(rows, doubts + _doubts(rows))


def _doubts(rows: Sequence[BodyRow]) -> list[str]:
    doubts: list[str] = []
    if rows and not rows[0].label and rows[0].values:
        doubts.append("the first row has no label")
    if any(_are_values(row.cells[column]) for row in rows for column in row.values):
        doubts.append("values stand above each other in one cell")
    return doubts


def _are_values(lines: Sequence[tuple[Word, ...]]) -> bool:
    """Whether several lines of one cell could each be a value by itself."""
    return len(lines) > 1 and all(
        is_number(line[0].text) and line[0].text[0] not in "([" and not _is_open([line])
        for line in lines
    )


def _level(rows: list[BodyRow], height: float, doubts: list[str]) -> list[BodyRow]:
    """Rows, those that overlap made one: a label in the middle of its wrapped cells."""
    level: list[BodyRow] = []
    for row in rows:
        if not level or row.top >= level[-1].bottom - OVERLAP * height:
            level.append(row)
            continue
        if row.is_wide or level[-1].is_wide:
            doubts.append("rows overlap")
        both = [c for c in row.cells if c in level[-1].cells]
        if any(
            level[-1].cells[c][-1][0].y1 > row.cells[c][0][0].y0 + OVERLAP * height for c in both
        ):
            doubts.append("rows overlap")
        _append(level[-1], row)
    return level


def _extent(rows: Sequence[BodyRow], column: int) -> tuple[float, float]:
    """From where to where a column's lines run; nothing if its words are short: they never wrap."""
    lines = [line for row in rows if not row.is_wide for line in row.cells.get(column, ())]
    if not any(len(line) > 1 or _letters(line[0].text) > 8 for line in lines):
        return 0.0, 0.0
    words = [word for line in lines for word in line]
    return min(word.x0 for word in words), max(word.x1 for word in words)


def _letters(text: str) -> int:
    return sum(2 if ord(sign) > 0x2E80 else 1 for sign in text)


def _is_divided(word: str) -> bool:
    return word[-1] in "-\u2010" and word[-2].isalpha()


def _is_open(lines: Sequence[tuple[Word, ...]]) -> bool:
    """Whether a bracket was opened and not closed."""
    text = "".join(word.text for line in lines for word in line)
    opened = sum(text.count(sign) for sign in "(（[")
    return opened > sum(text.count(sign) for sign in ")）]")


def _begins_small(line: tuple[Word, ...]) -> bool:
    return line[0].text[:1].islower() and len(line[0].text) > 2


def _placed(line: TextRow, columns: Sequence[Column], height: float, doubts: list[str]) -> BodyRow:
    stretches = line.stretches(WIDE_GAP * height)
    row = BodyRow(*line.band, last_top=line.band[0])
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


class _Joins:
    """Decides which lines go on with the row above, from what all rows of the table look like."""

    def __init__(
        self,
        rows: Sequence[BodyRow],
        close: Sequence[bool],
        extents: Sequence[tuple[float, float]],
        height: float,
    ) -> None:
        self.extents, self.height = extents, height
        parted = [row.ruled_above or not near for row, near in zip(rows, close, strict=True)]
        self.spaced = sum(parted[1:]) >= SPACED * max(1, len(rows) - 1)
        """Rules or wider gaps stand between the rows: lines at the narrow pitch may be wrapped."""
        openers = [row for row, apart in zip(rows, parted, strict=True) if apart or not self.spaced]
        share = 1.0 if self.spaced else 0.6
        self.key_columns = {
            column
            for column in range(1, len(extents))
            if sum(column in row.cells for row in openers) >= share * len(openers)
        }
        """Columns that every row fills."""
        self.small = {c for c in range(len(extents)) if _begin_small(rows, c)}
        """Columns whose cells begin with small letters."""
        labels = [line for row in rows if not row.is_wide for line in row.cells.get(0, ())]
        self.single_words = all(
            len(line) == 1 and line[0].text.isascii() and line[0].text[-1] != "-" for line in labels
        )
        """Each line of labels is one word: nothing says which of them are wrapped."""

    def continues(self, above: BodyRow, row: BodyRow, following: Sequence[BodyRow]) -> bool | None:
        """Whether the line `row` goes on with the row above; None if that is not clear."""
        if above.is_wide or row.is_wide or _has_values(row):
            return False
        if not set(row.cells) <= set(above.cells):
            return self._label_goes_on(above, row)
        if not row.values and self._heads(above, row, following):
            return False
        fits = [self._fits(above, row, column) for column in row.cells]
        if self.key_columns <= set(row.cells) and (0 in row.cells or any(fits)):
            return False if any(fits) or self._is_complete(above, row) else None
        if self.single_words and set(row.cells) == {0}:
            return None
        if self.spaced or not any(fits):
            return True
        return self._without_evidence(row, fits)

    def _is_complete(self, above: BodyRow, row: BodyRow) -> bool:
        """Whether a row that fills all columns is one by itself: its table wraps elsewhere."""
        return self.spaced or any(self._is_short(above, column) for column in row.cells)

    def _without_evidence(self, row: BodyRow, fits: Sequence[bool]) -> bool | None:
        if 0 in row.cells:
            return False if all(fits) else None
        small = all(
            c not in self.small and _begins_small(lines[0]) for c, lines in row.cells.items()
        )
        return True if small else None

    def breaks_off(self, above: BodyRow, row: BodyRow) -> bool:
        """Whether a cell ends as no cell does though the next line was taken for another row."""
        if above.is_wide or row.is_wide:
            return False
        for column, lines in row.cells.items():
            upper = above.cells.get(column)
            if not upper:
                continue
            last = max(upper[-1], key=lambda word: word.x1).text
            if len(last) > 1 and (last[-1] in ",，、;；(（\u00ad" or _is_divided(last)):
                return True
            if _is_open(upper) or (column not in self.small and _begins_small(lines[0])):
                return True
        return False

    def _fits(self, above: BodyRow, row: BodyRow, column: int) -> bool:
        """Whether a cell's line ended though the next word had had room."""
        upper = above.cells[column]
        if _is_open(upper):
            return False
        return _would_fit(upper[-1], row.cells[column][0], self.extents[column][1], self.height)

    def _is_short(self, above: BodyRow, column: int) -> bool:
        """Whether a cell's line leaves so much of its column free that it hardly goes on."""
        left, right = self.extents[column]
        return max(w.x1 for w in above.cells[column][-1]) - left < FULL * (right - left)

    def _heads(self, above: BodyRow, row: BodyRow, following: Sequence[BodyRow]) -> bool:
        """Whether a label alone begins a group: it stands further left than what is around it."""
        if _begins_small(row.cells[0][0]) or _is_open(above.cells[0]):
            return False
        x = _left(row) + INDENT * self.height
        after = following[0] if following else None
        return x < _left(above) or (
            after is not None and 0 in after.cells and not after.is_wide and x < _left(after)
        )

    def _label_goes_on(self, above: BodyRow, row: BodyRow) -> bool | None:
        """A row whose label began on a line of its own."""
        if set(above.cells) != {0} or 0 not in row.cells:
            return False
        if self._fits(above, row, 0):
            return False
        first = row.cells[0][0][0].text[:1]
        return True if first.islower() or first in "(（" else None


def _begin_small(rows: Sequence[BodyRow], column: int) -> bool:
    cells = [row.cells[column] for row in rows if column in row.cells]
    return sum(lines[0][0].text[:1].islower() for lines in cells) > 0.3 * len(cells)


def _has_values(row: BodyRow) -> bool:
    """Whether all cells but the label are numbers."""
    return bool(row.values) and all(
        _is_value(line) for column in row.values for line in row.cells[column]
    )


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


def _left(row: BodyRow) -> float:
    return min(word.x0 for line in row.cells[0] for word in line)
