"""What is not clear about the headers of a table: each doubt makes the table unreliable. Pure."""

from collections.abc import Sequence
from itertools import pairwise

from documents.tables.table_header_spans import Header


def doubts_about(headers: Sequence[Header], count: int) -> list[str]:
    """What is not clear in a table of `count` columns: one without a name of its own, headers over
    each other's columns."""
    doubts: list[str] = []
    if any(_is_title(header, headers) for header in headers):
        doubts.append("a title stands among the headers")
    for one, other in pairwise(sorted(headers, key=lambda h: (h.row, h.first))):
        if one.row == other.row and one.first == other.first and one.last == other.last:
            doubts.append("two headers over one column")
    if any(_is_torn(header) for header in headers):
        doubts.append("lines of a header stand beside each other")
    if any(not header.sure for header in headers):
        doubts.append("a header stands between columns")
    if _lost_their_group(headers):
        doubts.append("two columns have one name")
    return doubts + _nameless(headers, count) + _overlaps(headers)


def _is_torn(header: Header) -> bool:
    """Whether a line of a header stands wholly beside the one above it: two columns were missed."""
    ends = [(min(w.x0 for w in line), max(w.x1 for w in line)) for line in header.lines]
    return any(a0 > b1 or b0 > a1 for (a0, a1), (b0, b1) in pairwise(ends))


def _lost_their_group(headers: Sequence[Header]) -> bool:
    """Whether two columns of one row have one name that a line above others like it would part.

    Of "Boys" and "Girls" above "Mean SD Mean SD", one may have been joined with the "Mean" below.
    """
    alone = [h for h in headers if h.first == h.last]
    joined = [h for h in alone if h.row < h.last_row]
    spanned = [h for h in headers if h.first < h.last]
    names: dict[tuple[int, str], list[Header]] = {}
    for header in alone:
        if header.row == header.last_row and not any(header.meets(s) for s in spanned):
            text = " ".join(word.text for word in header.words)
            names.setdefault((header.row, text), []).append(header)
    return any(
        len(same) > 1 and any(header.last_row == row for header in joined)
        for (row, _text), same in names.items()
    )


def _is_title(header: Header, headers: Sequence[Header]) -> bool:
    """Whether one line over the first and other columns stands alone, without a rule below it."""
    alone = not any(other.row == header.row for other in headers if other is not header)
    return alone and header.first == 0 < header.last and not header.ruled


def _nameless(headers: Sequence[Header], count: int) -> list[str]:
    for index in range(1, count):
        leaves = [header for header in headers if header.covers(index)]
        if not leaves:
            return ["a column has no header"] if count > 2 else []
        last = max(leaves, key=lambda header: header.row)
        if last.first != last.last:
            return ["columns share their last header"]
    return []


def _overlaps(headers: Sequence[Header]) -> list[str]:
    for index, one in enumerate(headers):
        for other in headers[index + 1 :]:
            meet = one.meets(other)
            same_row = one.row <= other.last_row and other.row <= one.last_row
            if meet and same_row:
                return ["headers overlap"]
    return []
