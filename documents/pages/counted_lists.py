"""Lists whose entries are counted: which rows open an entry. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from documents.pages.headings import is_known
from documents.pages.segments import Row

FEWEST_ENTRIES = 3
"""So many rows that count on are the beginnings of the entries of a list."""
FEWEST_BARE_ENTRIES = 5
BARE = " "
MOST_NUMBERED = 200
"""A run with more rows that begin with numbers is a table of numbers."""

_ENTRY = re.compile(
    r"^\s*(?:[\[［](\d{1,3})[\]］]|[(（](\d{1,3})[)）]|(\d{1,3})(?:[.)．、](?!\d)|\s))"
)


@dataclass(frozen=True, slots=True)
class _Numbered:
    """A row that begins with a number. `style` is how this is written; a bare one has no mark."""

    row: int
    number: int
    style: str


def counted_lists(rows: Sequence[Row], texts: list[str]) -> list[list[int]]:
    """Rows that open the entries of counted lists: "[1] …", "[2] …", "[3] …"."""
    left = [found for row, text in enumerate(texts) if (found := _numbered(row, text))]
    if len(left) > MOST_NUMBERED:
        return []
    lists: list[list[int]] = []
    while left:
        best = max((_counted_on(rows, left[k:]) for k in range(len(left))), key=len)
        if len(best) < (FEWEST_BARE_ENTRIES if best[0].style == BARE else FEWEST_ENTRIES):
            break
        lists.append([entry.row for entry in best])
        inside = range(best[0].row, best[-1].row + 1)
        left = [entry for entry in left if entry.row not in inside]
    return lists


def _numbered(row: int, text: str) -> _Numbered | None:
    found = _ENTRY.match(text)
    if found is None or is_known(text.strip()):
        return None
    style = text[found.start(found.lastindex or 0) - 1 : found.start(found.lastindex or 0)]
    mark = text[found.end(found.lastindex or 0)]
    return _Numbered(row, int(found[found.lastindex or 0]), f"{style.strip()}{mark}")


def _counted_on(rows: Sequence[Row], numbered: Sequence[_Numbered]) -> list[_Numbered]:
    """The first of these rows and those that count on from it; others between them are passed."""
    chain = [numbered[0]]
    for entry in numbered[1:]:
        last = chain[-1]
        follows = entry.number == last.number + 1 and entry.style == last.style
        if follows and _aligned(rows, last.row, entry.row):
            chain.append(entry)
    return chain


def _aligned(rows: Sequence[Row], one: int, other: int) -> bool:
    """Whether two rows begin at the same place, give or take a digit."""
    return abs(rows[one].u0 - rows[other].u0) < 1.1 * rows[one].size
