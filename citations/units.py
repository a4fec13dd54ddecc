"""Units whose meaning hangs on capital letters: mW is not MW, Mb is not MB. Pure."""

import re
import unicodedata
from collections.abc import Iterator

from citations.signs import Marked

UNIT = re.compile(
    r"(?:[yzafpnuµμmcdhkgtpezy]|da)?"
    r"(?:w|wh|hz|j|pa|v|va|a|ω|g|l|m|s|b|t|ev|bq|mol|n|k|f|h|c|lm|lx|gy|sv|bar|cal|bit|bits|byte"
    r"|bytes|bps|wp|w[ep])",
    re.IGNORECASE,
)
NO_DIFFERENCE = str.maketrans({"L": "l"})

UnitToken = tuple[int, str]
"""Where a unit begins in folded text, and its letters as written."""


def units_in(quote: Marked) -> Iterator[UnitToken]:
    """The units that stand directly behind a number of the quote."""
    folded = quote.folded
    for number in re.finditer(r"\d(?=[^\W\d_])", folded):
        start = number.end()
        if quote.gap(start).strip(" \u00a0\u2009\u202f\n-"):
            continue
        end = start + 1
        while end < len(folded) and folded[end].isalpha() and not quote.gap(end):
            end += 1
        written = _written(quote, start, end)
        if UNIT.fullmatch(written):
            yield start, written


def has_units_at(page: Marked, at: int, units: list[UnitToken]) -> bool:
    """Whether the match at folded offset `at` writes the units of the quote as the quote does."""
    for start, written in units:
        found = _written(page, at + start, at + start + len(written))
        if found.translate(NO_DIFFERENCE) != written.translate(NO_DIFFERENCE):
            return False
    return True


def _written(text: Marked, start: int, end: int) -> str:
    offsets = dict.fromkeys(text.starts[start:end].tolist())
    letters = "".join(text.text[offset] for offset in offsets)
    return unicodedata.normalize("NFKC", letters)
