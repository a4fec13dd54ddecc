"""Whether two claims are wordings of one statement, as far as words and numbers tell. Pure."""

import re
from functools import lru_cache
from typing import Literal

from rapidfuzz import fuzz

Relation = Literal["same", "other", "unknown"]

SAME = 60
"""Likeness, of 100, from which two claims are taken for wordings of one statement."""
OTHER = 15
"""Likeness below which two claims in one script are taken for different statements."""
LEAST_UNITS = 3
"""Of a shorter claim the words tell nothing."""
STEM = 5
"""Letters by which forms of a word are taken for one."""

_IDEOGRAPHS = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]+")
_NUMBERS = re.compile(r"\d+(?:[.,]\d+)*")
_WORDS = re.compile(r"[^\W\d_]{3,}")
_IDLE_WORDS = """
the and for with that this from are was were has have had its their they not but than then also more
most such which these those into been being can may will would does did per
"""
_IDLE = frozenset(_IDLE_WORDS.split())


def relation(old: str, new: str) -> Relation:
    """How the claims relate; `unknown` after a translation, or where too little is said.

    >>> relation("Buyers paid a premium of 8.1 %", "They paid 8.1 % more, a real premium of buyers")
    'same'
    >>> relation("Buyers paid a premium of 8.1 %", "The lizards of the north lay fewer eggs")
    'other'
    >>> relation("Buyers paid a premium of 8.1 %", "买家支付了溢价")
    'unknown'
    """
    units = _units(old)
    if not units or not new.strip():
        return "unknown"
    likeness = alike(old, new)
    if likeness >= SAME:
        return "same"
    comparable = len(units) >= LEAST_UNITS and is_ideographic(old) == is_ideographic(new)
    return "other" if comparable and likeness < OTHER else "unknown"


def alike(old: str, new: str) -> float:
    """How much of `old` is said in `new`, of 100: by units of meaning, else by letters."""
    units = _units(old)
    if len(units) < LEAST_UNITS:
        return fuzz.token_set_ratio(old.casefold(), new.casefold())
    return 100 * len(units & _units(new)) / len(units)


def is_ideographic(text: str) -> bool:
    """Whether most of the text is written in Chinese characters."""
    ideographs = sum(map(len, _IDEOGRAPHS.findall(text)))
    return ideographs * 2 >= sum(map(len, _WORDS.findall(_IDEOGRAPHS.sub(" ", text))))


@lru_cache(maxsize=512)
def _units(text: str) -> frozenset[str]:
    """Numbers, stems of words, and pairs of Chinese characters."""
    folded = text.casefold()
    runs = _IDEOGRAPHS.findall(folded)
    pairs = {run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1))}
    words = {
        word[:STEM] for word in _WORDS.findall(_IDEOGRAPHS.sub(" ", folded)) if word not in _IDLE
    }
    return frozenset(words | pairs | set(_NUMBERS.findall(folded)))
