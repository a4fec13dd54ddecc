"""When words read off a page count as the words of hand-made truth. Pure.

Truth keeps only the few words needed to know a place again, so both sides are folded: compatibility
forms spelt out, marks and case dropped, letters and digits kept.
"""

import unicodedata

from rapidfuzz import fuzz

ALIKE = 90.0
"""Least likeness (0 to 100) that counts as the same words: room for a lost accent or symbol."""
LABEL = 8
"""Folded characters that may stand before the words of truth: a number, a bullet, a marker."""


def folded(text: str) -> str:
    """Letters and digits alone, without case, accents, ligatures and width forms."""
    spelt = unicodedata.normalize("NFKD", text).casefold()
    return "".join(character for character in spelt if _counts(character))


def _counts(character: str) -> bool:
    """A letter or digit; a letter that only modifies, such as the caron of TeX, does not count."""
    return character.isalnum() and unicodedata.category(character) != "Lm"


def is_same(truth: str, read: str) -> bool:
    """Whether two whole texts are the same words."""
    ours, theirs = folded(truth), folded(read)
    if not ours or not theirs:
        return truth.strip() == read.strip()
    return ours == theirs or fuzz.ratio(ours, theirs) >= ALIKE


def begins_exactly(truth: str, read: str) -> bool:
    """Whether `read` begins with the words of truth, a short label before them allowed."""
    ours = folded(truth)
    if not ours:
        return read.strip().startswith(truth.strip())
    return ours in folded(read)[: len(ours) + LABEL]


def begins_alike(truth: str, read: str) -> bool:
    """Like `begins_exactly`, with room for a lost accent or symbol."""
    ours = folded(truth)
    return bool(ours) and fuzz.ratio(ours, folded(read)[: len(ours)]) >= ALIKE
