"""Where blocks begin: the rows of one run, told apart by gaps, type, indents and numbers. Pure."""

from collections.abc import Sequence
from itertools import pairwise

from documents.pages.counted_lists import counted_lists
from documents.pages.headings import is_known, is_numbered_row
from documents.pages.raw_text import Integers, RawText
from documents.pages.segments import Row

INDENT = 0.8
"""A row this much, in font sizes, right of the others is indented."""
ALIKE = 0.12
"""Share by which font sizes inside one block may differ."""
SHORT_LINE = 0.75
"""Share of the width below which a closed line ends a paragraph."""
NOT_FULL = 0.9
"""Share of the width that a heading inside a run does not reach."""
WIDER = 0.4
"""So much wider than usual, in font sizes, is a gap that parts blocks."""
LONGEST_NUMBER = 6
NEAR = 2
ALIGNED = 2.0
"""Points within which rows begin at one place."""
FAR = 1.2
"""Gap inside a counted list, in font sizes, that parts even what no number parts."""
RAISED = 0.85
"""A mark is at most this much of the size of its row."""
HYPHENS = frozenset((0x2D, 0xAD, 0x2010, 0x2011))

_OPEN_END = ",;，、；（("
_STOPS = '.!?。！？”"’:：…'


def block_openings(rows: Sequence[Row], raw: RawText) -> list[bool]:
    """Per row of one run, whether a new block begins with it."""
    codes = raw.codes
    texts = [row.words(codes) for row in rows]
    breaks = _breaks(rows, codes, texts)
    left, right = _left_edge(rows), max(row.u1 for row in rows)
    cuts = [0, *(i for i in range(1, len(rows)) if breaks[i]), len(rows)]
    stretches = [rows[start:end] for start, end in pairwise(cuts)]
    hanging = _hanging_in_gaps(stretches, left)
    openings: list[bool] = []
    for stretch, hangs in zip(stretches, hanging, strict=True):
        edge = left if hangs or len(stretch) < 3 else min(row.u0 for row in stretch)
        # A running head above a column, of another width, must not make all its lines short.
        end = right if len(stretch) < 4 else max(row.u1 for row in stretch)
        openings += _paragraphs(stretch, codes, edge, end, hanging=hangs)
    for index in range(1, len(rows)):
        openings[index] |= _opens_note(rows[index], raw) and _is_end(
            texts[index - 1], rows[index - 1], left, right
        )
    for entries in counted_lists(rows, texts):
        for index in range(entries[0], entries[-1] + 1):
            inside = index not in entries and not _is_apart(rows, texts, index)
            openings[index] = index in entries or (openings[index] and not inside)
    return openings


def _breaks(rows: Sequence[Row], codes: Integers, texts: list[str]) -> list[bool]:
    """Rows before which a block ends whatever the paragraphs: gaps, other type, headings."""
    usual = _usual_gap(rows)
    right = max(row.u1 for row in rows)
    left = min(row.u0 for row in rows)
    breaks = [True]
    for upper, lower in pairwise(rows):
        goes_on = _word_goes_on(upper, lower, codes)
        breaks.append(not goes_on and _differ(upper, lower, usual, codes, right))
    for index in _heading_rows(rows, texts, left, right):
        breaks[index] = True
        if index + 1 < len(rows) and not _stands_out_with(rows[index], rows[index + 1]):
            breaks[index + 1] = True
    return breaks


def _usual_gap(rows: Sequence[Row]) -> float:
    """The gap between lines of one paragraph; entries of two lines have as many wide ones."""
    gaps = sorted(lower.v0 - upper.v1 for upper, lower in pairwise(rows))
    if not gaps:
        return 0.0
    middle, narrow = gaps[len(gaps) // 2], gaps[len(gaps) // 4]
    return narrow if middle > narrow + WIDER * rows[0].size else middle


def _word_goes_on(upper: Row, lower: Row, codes: Integers) -> bool:
    """A word is divided between the rows, so they belong together."""
    alike = abs(lower.size - upper.size) <= ALIKE * max(upper.size, lower.size)
    first, last = _first_code(lower, codes), _last_code(upper, codes)
    return alike and last in HYPHENS and chr(first).islower()


def _first_code(row: Row, codes: Integers) -> int:
    return int(codes[row.segments[0].first])


def _last_code(row: Row, codes: Integers) -> int:
    return int(codes[row.segments[-1].last])


def _differ(upper: Row, lower: Row, usual_gap: float, codes: Integers, right: float) -> bool:
    size = max(upper.size, lower.size)
    if (
        lower.v0 - upper.v1 > usual_gap + WIDER * size
        or abs(lower.size - upper.size) > ALIKE * size
    ):
        return True
    if lower.bold == upper.bold:
        return False
    # Bold words inside a paragraph, not a heading: the line is full and the sentence goes on.
    full = upper.u1 > right - 2 * size
    return not (full and chr(_first_code(lower, codes)).islower())


def _heading_rows(rows: Sequence[Row], texts: list[str], left: float, right: float) -> list[int]:
    """Rows inside a run of one type that are headings by their number or by their words."""
    found: list[int] = []
    for index, (row, text) in enumerate(zip(rows, texts, strict=True)):
        if len(row.segments) > 1 and row.segments[-1].u0 - row.segments[0].u1 > 3 * row.size:
            continue
        plain = text.strip()
        if not (is_known(plain) or is_numbered_row(plain)):
            continue
        above, below = rows[index - 1] if index else None, rows[min(index + 1, len(rows) - 1)]
        marked = row.italic and not below.italic
        short = row.u1 < left + NOT_FULL * (right - left)
        ended = above is None or index == 0 or _is_end(texts[index - 1], above, left, right)
        begins = index + 1 == len(rows) or not texts[index + 1].strip()[:1].islower()
        if (short or marked) and ended and begins:
            found.append(index)
    return found


def _stands_out_with(row: Row, following: Row) -> bool:
    """Both are bold or italic: a heading of several lines."""
    return (row.bold and following.bold) or (row.italic and following.italic)


def _is_end(text: str, row: Row, left: float, right: float) -> bool:
    plain = text.rstrip()
    return plain[-1:] in _STOPS or row.u1 < left + SHORT_LINE * (right - left)


def _is_apart(rows: Sequence[Row], texts: list[str], index: int) -> bool:
    """Whether a row can't be of one entry with the row before it: a wide gap, a heading."""
    upper, lower = rows[index - 1], rows[index]
    headed = is_known(texts[index - 1].strip()) or is_known(texts[index].strip())
    return headed or lower.v0 - upper.v1 > FAR * lower.size


def _opens_note(row: Row, raw: RawText) -> bool:
    """Whether a row begins with a raised mark, as footnotes do."""
    first = row.segments[0].first
    return bool(raw.size[first] < RAISED * row.size) and (
        chr(int(raw.codes[first])).isdigit() or chr(int(raw.codes[first])) in "*†‡§¶∗"
    )


def _left_edge(rows: Sequence[Row]) -> float:
    """Where the leftmost rows begin, one that stands alone there left aside."""
    starts = sorted(row.u0 for row in rows)
    shared = (low for low, high in pairwise(starts) if high - low < ALIGNED)
    return next(shared, starts[0])


def _hanging_in_gaps(stretches: Sequence[Sequence[Row]], left: float) -> list[bool]:
    """Which stretches are entries, with gaps between them, that begin further out than they go on.

    One alone might be anything; of two near each other both are.
    """
    shapes = [_hangs(rows, left) for rows in stretches]
    return [
        shape and any(shapes[max(0, k - NEAR) : k] + shapes[k + 1 : k + 1 + NEAR])
        for k, shape in enumerate(shapes)
    ]


def _hangs(rows: Sequence[Row], left: float) -> bool:
    first, *rest = rows
    inset = left + INDENT * first.size
    return bool(rest) and first.u0 <= inset and all(row.u0 > inset for row in rest)


def _paragraphs(
    rows: Sequence[Row], codes: Integers, left: float, right: float, *, hanging: bool
) -> list[bool]:
    """Openings inside one stretch of rows of one type without gaps."""
    hanging = hanging or _is_hanging(rows, codes, left, right)
    openings = [True]
    for upper, lower in pairwise(rows):
        if _word_goes_on(upper, lower, codes):
            openings.append(False)
            continue
        if _centred(upper, lower, right) or _hangs_from_number(upper, lower):
            openings.append(False)
            continue
        short = upper.u1 < left + SHORT_LINE * (right - left) and _is_closed(upper, lower, codes)
        openings.append(_new_paragraph(upper, lower, left, short=short, hanging=hanging))
    return openings


def _hangs_from_number(upper: Row, lower: Row) -> bool:
    """The lower row begins below what stands behind the number, or bullet, of the upper one."""
    if len(upper.segments) < 2 or upper.segments[0].letters > LONGEST_NUMBER:
        return False
    return abs(upper.segments[1].u0 - lower.u0) < 0.5 * lower.size


def _centred(upper: Row, lower: Row, right: float) -> bool:
    """Rows of different length around one middle, as of a title."""
    size = max(upper.size, lower.size)
    middle = upper.u0 + upper.u1 - lower.u0 - lower.u1
    uneven = min(abs(upper.u0 - lower.u0), abs(upper.u1 - lower.u1)) > INDENT * size
    return uneven and abs(middle) < size and min(upper.u1, lower.u1) < right - size


def _is_hanging(rows: Sequence[Row], codes: Integers, left: float, right: float) -> bool:
    """Whether the rows that are not indented are the ones that open an entry."""
    inset = [row.u0 > left + INDENT * row.size for row in rows]
    if len(rows) < 3 or sum(inset) < len(rows) / 2:
        return False
    outwards = inwards = 0
    for (upper, _), (was, now) in zip(pairwise(rows), pairwise(inset), strict=True):
        if was == now:
            continue
        closed = chr(_last_code(upper, codes)) in _STOPS
        ends = closed or upper.u1 < left + NOT_FULL * (right - left)
        if was:
            outwards += ends
        else:
            inwards += ends
    return outwards >= inwards and not (inset[0] and outwards == inwards)


def _is_closed(upper: Row, lower: Row, codes: Integers) -> bool:
    """Nothing says that the sentence goes on from row to row."""
    last, first = chr(_last_code(upper, codes)), chr(_first_code(lower, codes))
    return ord(last) not in HYPHENS and last not in _OPEN_END and not first.islower()


def _new_paragraph(upper: Row, lower: Row, left: float, *, short: bool, hanging: bool) -> bool:
    upper_inset = upper.u0 > left + INDENT * upper.size
    lower_inset = lower.u0 > left + INDENT * lower.size
    if hanging:
        return upper_inset and not lower_inset
    if lower_inset:
        return not upper_inset
    return short
