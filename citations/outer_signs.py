"""The signs that a quote puts before its first character and behind its last one. Pure."""

import re

from citations.signs import (
    COMPARISONS,
    DASHES,
    SOFT_DASH,
    Marked,
    plain_gap,
    read_sign,
)

FINAL_POINTS = ".,:;。，、：；．"
UNIT_SIGNS = frozenset("%‰‱°")
OPENING_BRACKET = re.compile(r"[(\[{（［｛]")


def outer_sign_before(quote: Marked) -> str:
    """The signs that the quote itself puts before its first character: `-` in `-0.3`."""
    return read_sign("", quote.gap(0), quote.folded[0]) if quote.gap(0) else ""


def outer_sign_after(quote: Marked) -> str:
    """The signs that the quote itself puts after its last character: `%` in `15 %`."""
    gap = quote.gap(len(quote.folded))
    gap = re.split(r"[\"”»」』]", gap, maxsplit=1)[0].rstrip().rstrip(FINAL_POINTS + DASHES + "/ ")
    return read_sign(quote.folded[-1], gap, "").replace(SOFT_DASH, "") if gap else ""


def same_before_bracket(quote: Marked, page: Marked, end: int) -> bool:
    """Whether both compare alike before a bracket that opens behind a match: `x {`, `x = {`.

    `end` is the folded character of the page before which the match ends.
    """
    quoted, found = quote.gap(len(quote.folded)), page.gap(end)
    if not (OPENING_BRACKET.search(quoted) and OPENING_BRACKET.search(found)):
        return True
    return _compared(quoted) == _compared(found)


def same_unit_before(quote: Marked, page: Marked, at: int) -> bool:
    """Whether a quote that opens with the sign of a unit, `% of all`, does so on the page too."""
    quoted = set(plain_gap(quote.gap(0))) & UNIT_SIGNS
    return not quoted or quoted == set(plain_gap(page.gap(at))) & UNIT_SIGNS


def _compared(gap: str) -> set[str]:
    return set(plain_gap(OPENING_BRACKET.split(gap, maxsplit=1)[0])) & COMPARISONS
