"""Which lines in the body of a table go on with the row of cells above them. Pure."""

from collections.abc import Sequence

from documents.tables.table_columns import SIGNS, is_number
from documents.tables.table_draft import BodyRow
from documents.tables.table_row_paths import names_a_panel
from documents.tables.table_words import Word

INDENT = 0.45
"""Line heights that a label stands further left than those of its group."""
FULL = 0.6
"""A line that goes on below fills at least this share of its column."""
SPACED = 0.2
"""Share of rows with a rule or a wider gap above, from which on these part the rows."""


def _is_panel(row: BodyRow) -> bool:
    """Whether a line is the name of a panel, which goes on with nothing."""
    label = row.cells.get(0)
    return label is not None and names_a_panel(" ".join(word.text for word in label[0]))


class Joins:
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
        self.spaced = sum(parted[1:]) >= SPACED * max(1, len(rows) - 1) and not any(
            not apart and _has_values(above) and 0 in row.cells and _has_values(row)
            for above, row, apart in zip(rows, rows[1:], parted[1:], strict=False)
        )
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
        self.wraps_large = any(
            near
            and 0 in row.cells
            and len(row.cells) > 1
            and not self.key_columns <= set(row.cells)
            and not _has_values(row)
            and not _begins_small(row.cells[0][0])
            for row, near in zip(rows, close, strict=True)
        )
        """Some line that surely goes on with a row begins with a large letter."""
        labels = [line for row in rows if not row.is_wide for line in row.cells.get(0, ())]
        self.single_words = all(
            len(line) == 1 and line[0].text.isascii() and line[0].text[-1] != "-" for line in labels
        )
        """Each line of labels is one word: nothing says which of them are wrapped."""

    def continues(self, above: BodyRow, row: BodyRow, following: Sequence[BodyRow]) -> bool | None:
        """Whether the line `row` goes on with the row above; None if that is not clear."""
        if above.is_wide or row.is_wide or _is_panel(row):
            return False
        if _has_values(row):
            return None if self._may_have_begun(above, row) else False
        if _is_panel(above):
            return False if 0 not in row.cells or self._fits(above, row, 0) else None
        return self._goes_on(above, row, following)

    def _goes_on(self, above: BodyRow, row: BodyRow, following: Sequence[BodyRow]) -> bool | None:
        if not set(row.cells) <= set(above.cells):
            return self._label_goes_on(above, row, following)
        if not row.values and self._heads(above, row, following):
            return False
        if any(_are_numbers(above.cells[c][-1]) and _is_name(row.cells[c][0]) for c in row.values):
            return None
        return self._wraps(above, row, following)

    def _wraps(self, above: BodyRow, row: BodyRow, following: Sequence[BodyRow]) -> bool | None:
        """The same of a line whose cells all stand below others."""
        fits = [self._fits(above, row, column) for column in row.cells]
        is_full = bool(self.key_columns) and self.key_columns <= set(row.cells)
        if is_full and (0 in row.cells or any(fits)):
            return False if any(fits) or self._is_complete(above, row) else None
        if self.single_words and set(row.cells) == {0}:
            return None
        if any(fits) and not self.spaced:
            return self._without_evidence(row, fits)
        return None if self._may_be_another(above, row, following) else True

    def _may_be_another(self, above: BodyRow, row: BodyRow, following: Sequence[BodyRow]) -> bool:
        """Whether a line that had had no room above may be another row all the same."""
        if set(row.cells) != {0}:
            return not self.spaced and _may_be_a_row(above, row)
        if following and self._may_begin_below(following[0]):
            return True
        had_room = self.spaced and self._fits(above, row, 0) and _is_name(row.cells[0][0])
        return had_room or (not self.spaced and self._may_begin(row))

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

    def _may_begin_below(self, below: BodyRow) -> bool:
        """Whether the row below has values beside a label that began on a line above them."""
        first = below.cells.get(0, [()])[0]
        return bool(below.values) and 0 not in self.small and _begins_small(first)

    def _may_begin(self, row: BodyRow) -> bool:
        """Whether a line of a label may be the name of a group rather than go on with a label."""
        first = row.cells[0][0][0].text[0]
        if self.wraps_large or (first.islower() and 0 not in self.small):
            return False
        return first.isalpha()

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
            if is_open(upper) or (column not in self.small and _begins_small(lines[0])):
                return True
        return False

    def _fits(self, above: BodyRow, row: BodyRow, column: int) -> bool:
        """Whether a cell's line ended though the next word had had room."""
        upper = above.cells[column]
        if is_open(upper):
            return False
        return _would_fit(upper[-1], row.cells[column][0], self.extents[column][1], self.height)

    def _is_short(self, above: BodyRow, column: int) -> bool:
        """Whether a cell's line leaves so much of its column free that it hardly goes on."""
        left, right = self.extents[column]
        return max(w.x1 for w in above.cells[column][-1]) - left < FULL * (right - left)

    def _heads(self, above: BodyRow, row: BodyRow, following: Sequence[BodyRow]) -> bool:
        """Whether a label alone begins a group: it stands further left than what is around it."""
        if _begins_small(row.cells[0][0]) or is_open(above.cells[0]):
            return False
        x = _left(row) + INDENT * self.height
        after = following[0] if following else None
        return x < _left(above) or (
            after is not None and 0 in after.cells and not after.is_wide and x < _left(after)
        )

    def _may_have_begun(self, above: BodyRow, row: BodyRow) -> bool:
        """Whether a label without values may be the first line of the next row's: all other rows
        are parted."""
        is_alone = set(above.cells) == {0} and 0 in row.cells and not _is_panel(above)
        return self.spaced and is_alone and _left(row) <= _left(above) + INDENT * self.height

    def _label_goes_on(
        self, above: BodyRow, row: BodyRow, following: Sequence[BodyRow]
    ) -> bool | None:
        """A row whose label began on a line of its own."""
        if 0 not in row.cells or 0 not in above.cells:
            return False
        if set(above.cells) != {0}:
            return None if self.spaced and not _has_values(above) else False
        if self._fits(above, row, 0):
            return None if self.spaced else False
        if _left(row) > _left(above) + INDENT * self.height:
            after = following[0] if following else None
            is_group = after is not None and 0 in after.cells and _left(after) >= _left(row) - 1
            return False if is_group else None
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


def _may_be_a_row(above: BodyRow, row: BodyRow) -> bool:
    """Whether each cell of a line begins as a cell of its own does, and none was left open."""
    return all(
        _is_name(lines[0]) and not is_open(above.cells[column])
        for column, lines in row.cells.items()
    )


def _are_numbers(line: tuple[Word, ...]) -> bool:
    return all(is_number(word.text) or word.text in SIGNS for word in line)


def _is_name(line: tuple[Word, ...]) -> bool:
    """Whether a line is words alone, the first with a large letter or Chinese."""
    signs = "".join(word.text for word in line)
    return signs[0].isalpha() and not signs[0].islower() and not any(map(str.isdigit, signs))


def _is_divided(word: str) -> bool:
    return word[-1] in "-\u2010" and word[-2].isalpha()


def is_open(lines: Sequence[tuple[Word, ...]]) -> bool:
    """Whether a bracket was opened and not closed."""
    text = "".join(word.text for line in lines for word in line)
    opened = sum(text.count(sign) for sign in "(（[")
    return opened > sum(text.count(sign) for sign in ")）]")


def _begins_small(line: tuple[Word, ...]) -> bool:
    return bool(line) and line[0].text[:1].islower() and len(line[0].text) > 2


def _left(row: BodyRow) -> float:
    return min(word.x0 for line in row.cells[0] for word in line)
