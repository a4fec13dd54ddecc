"""Fold text so that a quote and the page it was taken from become equal. Pure.

What stays are letters, digits and accents, folded: NFKC, case, radicals, detached accents. Spaces,
punctuation, hyphens, zero-width and control characters vanish; those of them that carry meaning
are compared afterwards, on the page text itself (`citations.signs`). Every character of the folded
text knows the character of the page text that it came from.
"""

import unicodedata
import zlib
from dataclasses import dataclass
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray
from zlib_ng import zlib_ng

from citations.cjk_radicals import IDEOGRAPHS

NORMALIZER = 1
"""Stored normalised text of another version is made anew."""

TABLE_SIZE = 0x20000
DETACHED_ACCENTS = {
    "´": "\u0301",
    "`": "\u0300",
    "¨": "\u0308",
    "ˆ": "\u0302",
    "˜": "\u0303",
    "ˇ": "\u030c",
    "˘": "\u0306",
    "˙": "\u0307",
    "˚": "\u030a",
    "˝": "\u030b",
    "¯": "\u0304",
    "¸": "\u0327",
    "˛": "\u0328",
}
"""Spacing accents, as TeX fonts leave them beside their letter, and the combining mark of each."""

FOLLOWING_ACCENTS = "¸˛"
QUOTE_LIKE_ACCENTS = "´`"
VOWELS = frozenset("aeiouyAEIOUYıw")
DOTLESS = {"ı": "i", "ȷ": "j"}
MODIFIER_LETTERS = range(0x2B9, 0x2E0)
VARIATION_SELECTORS = range(0xFE00, 0xFE10)

Offsets = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Normalized:
    """Folded text, and for each of its characters the offset in page text that it came from.

    `starts` never decreases; characters of one ligature share an offset.
    """

    text: str
    starts: Offsets

    def source(self, start: int, end: int, page_text: str) -> tuple[int, int]:
        """The run of `page_text` that folded characters `[start, end)` came from, with marks."""
        first, last = int(self.starts[start]), int(self.starts[end - 1]) + 1
        while last < len(page_text) and unicodedata.category(page_text[last]) == "Mn":
            last += 1
        return first, last


@lru_cache(maxsize=8192)
def fold_character(character: str) -> str:
    """The letters, digits and marks that one character folds to; often one, sometimes none."""
    folded = unicodedata.normalize("NFKC", character).casefold()
    folded = unicodedata.normalize("NFKC", "".join(IDEOGRAPHS.get(c, c) for c in folded))
    if character in DETACHED_ACCENTS:
        return ""
    return "".join(c for c in folded if _is_kept(c))


def _is_kept(character: str) -> bool:
    point = ord(character)
    if point in MODIFIER_LETTERS or point in VARIATION_SELECTORS:
        return False
    return character.isalnum() or unicodedata.category(character) in {"Mn", "Mc"}


@dataclass(frozen=True, slots=True)
class _Table:
    counts: NDArray[np.int32]
    first: NDArray[np.uint32]
    special: NDArray[np.bool_]


@cache
def _table() -> _Table:
    """Folding of every code point below `TABLE_SIZE`: how many characters, and the first one.

    `special` marks what needs its neighbours to be folded: marks and detached accents.
    """
    counts = np.zeros(TABLE_SIZE, np.int32)
    first = np.zeros(TABLE_SIZE, np.uint32)
    special = np.zeros(TABLE_SIZE, bool)
    for point in range(TABLE_SIZE):
        character = chr(point)
        category = unicodedata.category(character)
        if category in {"Cn", "Cs", "Co"}:
            continue
        folded = fold_character.__wrapped__(character)
        counts[point] = len(folded)
        if folded:
            first[point] = ord(folded[0])
        special[point] = category in {"Mn", "Mc"} or character in DETACHED_ACCENTS
    return _Table(counts, first, special)


def normalize(text: str) -> Normalized:
    """Fold `text`. About a tenth of a millisecond for a page."""
    table = _table()
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    inside = np.minimum(points, TABLE_SIZE - 1)
    counts = table.counts[inside].copy()
    changed: dict[int, str] = {}
    if len(points) and (points >= TABLE_SIZE).any():
        for offset in np.flatnonzero(points >= TABLE_SIZE).tolist():
            changed[offset] = fold_character(text[offset])
    special = table.special[inside]
    if special.any():
        changed |= _attach_accents(text, np.flatnonzero(special).tolist())
    for offset, folded in changed.items():
        counts[offset] = len(folded)
    starts = np.repeat(np.arange(len(points), dtype=np.int32), counts)
    out = np.zeros(len(starts), "<u4")
    begins = np.cumsum(counts) - counts
    single = counts == 1
    out[begins[single]] = table.first[inside[single]]
    for offset in np.flatnonzero(counts > 1).tolist():
        changed.setdefault(offset, fold_character(text[offset]))
    for offset, folded in changed.items():
        begin = begins[offset]
        out[begin : begin + len(folded)] = [ord(c) for c in folded]
    return Normalized(out.tobytes().decode("utf-32-le", "surrogatepass"), starts)


def _attach_accents(text: str, offsets: list[int]) -> dict[int, str]:
    """Put marks and detached accents onto their letters.

    Returns, for each offset that changes, what its character folds to now.
    """
    changed: dict[int, str] = {}
    marks: dict[int, str] = {}
    for offset in offsets:
        character = text[offset]
        if character not in DETACHED_ACCENTS:
            base = offset - 1
            while base in changed and changed[base] == "":
                base -= 1
            if base >= 0 and (base in marks or fold_character(text[base])):
                marks[base] = marks.get(base, "") + character
                changed[offset] = ""
            continue
        base_of_accent = _letter_under(text, offset)
        if base_of_accent is not None:
            marks[base_of_accent] = marks.get(base_of_accent, "") + DETACHED_ACCENTS[character]
    for base, accents in marks.items():
        letter = DOTLESS.get(text[base], text[base])
        composed = unicodedata.normalize("NFKC", letter + accents).casefold()
        changed[base] = "".join(c for c in unicodedata.normalize("NFKC", composed) if _is_kept(c))
    return changed


def _letter_under(text: str, offset: int) -> int | None:
    """Which neighbour a detached accent belongs to: the next letter, as TeX writes it, or the last.

    None where it is a quotation mark, an apostrophe or a tilde in an address.
    """
    accent = text[offset]
    before = text[offset - 1] if offset else " "
    if accent in QUOTE_LIKE_ACCENTS and not before.isalpha() and accent == "`":
        return None
    if before == "/":
        return None
    order = (offset - 1, offset + 1) if accent in FOLLOWING_ACCENTS else (offset + 1, offset - 1)
    for at in order:
        if 0 <= at < len(text) and text[at].isalpha() and _composes(text[at], accent):
            return at
    return None


def _composes(letter: str, accent: str) -> bool:
    if accent in QUOTE_LIKE_ACCENTS and letter not in VOWELS:
        return False
    letter = DOTLESS.get(letter, letter)
    return len(unicodedata.normalize("NFC", letter + DETACHED_ACCENTS[accent])) == 1


def pack_starts(starts: Offsets) -> bytes:
    """Store a map compactly: gaps between offsets in one byte each, longer ones after them."""
    gaps = np.diff(starts, prepend=np.int32(0))
    short = np.where(gaps < 255, gaps, 255).astype(np.uint8)
    long = gaps[gaps >= 255].astype("<i4")
    head = np.array([len(short)], "<i4").tobytes()
    return zlib.compress(head + short.tobytes() + long.tobytes(), 6)


def unpack_starts(packed: bytes) -> Offsets:
    """The map that `pack_starts` stored."""
    if not packed:
        return np.zeros(0, np.int32)
    raw = zlib_ng.decompress(packed)
    count = int(np.frombuffer(raw[:4], "<i4")[0])
    gaps = np.frombuffer(raw[4 : 4 + count], np.uint8).astype(np.int32)
    gaps[gaps == 255] = np.frombuffer(raw[4 + count :], "<i4")
    return np.cumsum(gaps, dtype=np.int32)
