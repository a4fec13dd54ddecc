"""The text of a cell: its lines joined as one reads them. Pure."""

from collections.abc import Iterable, Sequence

from documents.pages.legibility import is_cjk
from documents.pages.page_text import Cell, Rect

SOFT_HYPHEN = "\u00ad"
HYPHENS = ("-", "\u2010", SOFT_HYPHEN)


def joined_text(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """What `spans` of page text say, as one line.

    A hyphen at a line end before a small letter is dropped; Chinese lines meet without a space.
    """
    joined = ""
    for start, end in spans:
        for line in text[start:end].split("\n"):
            joined = _with_line(joined, " ".join(line.split()))
    return joined.replace(SOFT_HYPHEN, "")


def _with_line(before: str, line: str) -> str:
    if not before or not line:
        return before or line
    if before[-1] == SOFT_HYPHEN:
        return before[:-1] + line
    if before[-1] in HYPHENS and before[-2:-1].isalpha() and line[0].islower():
        return before[:-1] + line
    if is_cjk(ord(before[-1])) and is_cjk(ord(line[0])):
        return before + line
    return f"{before} {line}"


def row_rect(cells: Sequence[Cell]) -> Rect:
    """The box around cells that begin in one row, without the rows below that they cover."""
    x0, y0, x1, y1 = zip(*(cell.rect for cell in cells), strict=True)
    flat = [cell.rect[3] for cell in cells if cell.rows == 1]
    return min(x0), min(y0), max(x1), max(flat or y1)
