"""When a cell, a row label or a header path that was read is the one of hand-made truth. Pure.

Values are compared strictly, signs and decimal points included; only spaces, the several forms of
minus and dash, and compatibility forms (superscripts, letters of mathematics) are levelled. Labels
and headers are compared by their letters and digits.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from documents.pages.page_text import Cell, ParsedPage, Rect, Table
from documents.pages.truth_matching import folded

ENOUGH = 8
"""Folded characters from which on a label may be the beginning of the other one."""
WORDS = 3
"""Letters from which on a value counts as words, whose hyphens at line ends do not matter."""
ROOM = 0.01
"""How far outside of its cell's box the middle of the cell's characters may lie (page fraction)."""
_LEVELLED = str.maketrans({"−": "-", "–": "-", "—": "-", "‐": "-", "‑": "-", "∗": "*", "～": "~"})


@dataclass(frozen=True, slots=True)
class ReadCell:
    """A cell with values: its text, headers, middle, and whether its characters lie in its box."""

    text: str
    headers: tuple[str, ...]
    x: float
    is_in_place: bool


@dataclass(frozen=True, slots=True)
class Line:
    """A row that was read: its cells with values, its path, and what all its cells say."""

    cells: tuple[ReadCell, ...]
    path: tuple[str, ...]
    texts: tuple[str, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((*self.path, *self.texts)))

    def contains(self, value: str) -> bool:
        """Whether the value is part of one of the cells, but not all of it."""
        return any(levelled(value) in levelled(cell.text) for cell in self.cells)

    def has_path(self, row: Sequence[str]) -> bool:
        """Whether the row's own path names the groups and the label of truth."""
        return all(any(same_label(name, one) for one in self.path) for name in row)

    def is_misled(self, row: Sequence[str]) -> bool:
        """Whether the row's path names a group that truth does not: no cell of the row itself."""
        own = {_label(text) for text in self.texts}
        strange = [one for one in self.path if _label(one) not in own]
        return any(not any(same_label(name, one) for name in row) for one in strange)


def lines_of(table: Table, page: ParsedPage) -> tuple[Line, ...]:
    """The rows of a table that was read, without those that hold headers alone."""
    found = []
    for row in table.rows:
        cells = tuple(_read_cell(cell, page) for cell in row if not cell.is_header)
        path = max((cell.row_path for cell in row), key=len, default=())
        texts = tuple(cell.text for cell in row)
        if cells:
            found.append(Line(cells, path, texts))
    return tuple(found)


def _read_cell(cell: Cell, page: ParsedPage) -> ReadCell:
    x0, y0, x1, y1 = cell.rect
    boxes = [
        box
        for start, end in cell.spans
        for box in page.boxes[start:end].tolist()
        if box[2] > box[0]
    ]
    is_in_place = all(_is_inside(box, (x0, y0, x1, y1)) for box in boxes)
    middle = sum((box[0] + box[2]) / 2 for box in boxes) / len(boxes) if boxes else (x0 + x1) / 2
    return ReadCell(cell.text, cell.header_path, middle, is_in_place and bool(boxes))


def _is_inside(box: Sequence[float], rect: Rect) -> bool:
    x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
    return rect[0] - ROOM <= x <= rect[2] + ROOM and rect[1] - ROOM <= y <= rect[3] + ROOM


def levelled(value: str) -> str:
    """A value without spaces and with one form of each sign."""
    spelt = unicodedata.normalize("NFKC", value).translate(_LEVELLED).replace("±", "+-")
    return "".join(spelt.split())


def same_value(truth: str, read: str) -> bool:
    """Whether two cells say the same."""
    if levelled(truth) == levelled(read):
        return True
    letters = sum(character.isalpha() for character in truth)
    return letters >= WORDS and _label(truth) == _label(read)


def same_label(truth: str, read: str) -> bool:
    """Whether two row labels are the same; a long one may go on after the words of truth."""
    ours, theirs = _label(truth), _label(read)
    if not ours or not theirs:
        return levelled(truth) == levelled(read)
    return ours == theirs or (len(ours) >= ENOUGH and theirs.startswith(ours))


def _label(text: str) -> str:
    return folded(text.replace("∆", "Δ"))


def is_in_row(row: Sequence[str], line: Line, lines: Sequence[Line]) -> bool:
    """Whether `line` is the row of truth. Groups matter where several rows have its label."""
    label = row[-1]
    if not any(same_label(label, one) for one in line.labels):
        return False
    rivals = sum(any(same_label(label, one) for one in other.labels) for other in lines)
    if rivals == 1 or len(row) == 1:
        return True
    return all(any(same_label(group, one) for one in line.labels) for group in row[:-1])


def headers_agree(truth: Sequence[str], read: Sequence[str]) -> bool:
    """Whether a header path has all names of truth and no others, in whatever order."""
    needed = [_header(name) for name in truth if not name.endswith("?")]
    spared = [_header(name) for name in truth if name.endswith("?")]
    if not needed:
        return True
    names = [name for name in map(_header, read) if name]
    if "".join(names) in {"".join(needed), "".join([*spared, *needed])}:
        return True
    return sorted(name for name in names if name not in spared) == sorted(needed)


def headers_contradict(
    truth: Sequence[str], read: Sequence[str], columns: Sequence[Sequence[str]] = ()
) -> bool:
    """Whether a header path holds the name of another column or group of columns.

    That is a name of another of the `columns` of truth, or one that is no part of its own path.
    """
    own = [_header(name) for name in truth]
    joined = "".join(own)
    others = {_header(name) for path in columns for name in path}.difference(own)
    return any(
        name in others or (name not in own and (len(name) <= 2 or name not in joined))
        for name in map(_header, read)
        if name
    )


def _header(name: str) -> str:
    return _label(name.removesuffix("?")) or levelled(name)
