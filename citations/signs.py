"""The marks between letters and digits that carry meaning.

`citations.normalizing` drops everything but letters and digits. What it dropped decides whether
two equal runs mean the same: `1.5` is not `15`, `p < 0.05` is not `p > 0.05`. This module reads the
signs between neighbouring characters back out of the text itself. Pure.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from citations.normalizing import Offsets, fold_character

LevelOf = Callable[[int, int], int]
"""`(offset, reference)`: 1 if the character at `offset` is raised against the one at `reference`,
-1 if lowered, 0 if level. Offsets are into page text."""
ApartOf = Callable[[int, int], bool]
"""`(offset, reference)`: whether the character stands too far from the one before to go on with it.
"""

DASHES = "-‐‑‒–—―−﹘﹣⸺⸻"
ALTERNATIVES = (
    *((dash, "-") for dash in DASHES[1:]),
    ("\u00ad", "-"),
    ("\x02", "-"),
    ("\ufffe", "-"),
    ("⩽", "≤"),
    ("≦", "≤"),
    ("⩾", "≥"),
    ("≧", "≥"),
    ("。", "."),
    ("｡", "."),
    ("、", ","),
    ("⁄", "/"),
    ("∕", "/"),
    ("∶", ":"),
    ("º", "°"),
    ("⊤", ">"),
    ("\uf02b", "+"),
    ("\uf02d", "-"),
    ("\uf03c", "<"),
    ("\uf03d", "="),
    ("\uf03e", ">"),
    ("\uf07e", "∼"),
    ("\uf02a", "∗"),
    ("\uf025", "%"),
    ("\uf02c", ","),
    ("\uf02e", "."),
    ("\uf02f", "/"),
    ("\uf0b7", "•"),
    ("\uf0d7", "·"),
    ("\uf0a2", "′"),
    ("\uf0a3", "≤"),
    ("\uf0b0", "°"),
    ("\uf0b1", "±"),
    ("\uf0b2", "″"),
    ("\uf0b3", "≥"),
    ("\uf0b4", "×"),
    ("\uf0b8", "÷"),
    ("\uf0b9", "≠"),
    ("\uf0bb", "≈"),
)
"""Other forms of the signs. U+00AD, U+0002 and U+FFFE are how extractors spell a hyphen at a line
end; the private-use ones are where the Symbol font leaves its signs; readers that do not know TeX's
symbol font copy its transpose sign as the `>` of the same code."""

SAME_SIGN = str.maketrans(dict(ALTERNATIVES))
COMPOUND = (
    ("<=", "≤"),
    (">=", "≥"),
    ("!=", "≠"),
    ("=/=", "≠"),
    ("/=", "≠"),
    ("+/-", "±"),
    ("+/−", "±"),
    ("+-", "±"),
    ("+−", "±"),
)
TOUCHING_SIGNS = frozenset(".,:/")
SPACED_SIGNS = frozenset("-+%‰‱°")
EVERYWHERE = frozenset("<>=≤≥≠≈±+")
COMPARISONS = frozenset("<>=≤≥≠≈")
CHECK_BOXES = frozenset("□☐☑☒✓✔✗✘♂♀")
DIRECTIONS = frozenset("▲▼△▽▴▾↗↘⇑⇓⬆⬇★☆")
"""Beside a number they say whether it rose or fell, or how good it is."""
PRIME = "′"
"""Behind a digit one is told from two, but they may be typed as apostrophes or left out."""
IGNORED_SYMBOLS = frozenset("|")
TILDES = frozenset("~∼")
"""Before a number: about so much. Between two they make a range, elsewhere they say nothing."""
MINUS = "−"
"""The one dash that is a minus wherever it stands."""
SOFT_DASH = "‐"
"""A dash between letters: it may be a hyphen, a dash or a minus, and it may be missing."""
UNKNOWN = "\ufffd"
OPTIONAL_HYPHEN = "-?"
BESIDE_NUMBERS = SPACED_SIGNS | DIRECTIONS
BESIDE_LEFT = "".join(TOUCHING_SIGNS | SPACED_SIGNS | DIRECTIONS) + MINUS + " \t\n"
BESIDE_RIGHT = "".join(DIRECTIONS) + "-+ \t\n$€£¥" + MINUS
APOSTROPHES = frozenset("'’‘ʼ＇")
"""Between two letters they tell `we’re` from `were`."""
LINE_END_MINUS = re.compile(r"\A−\s*\n\s*\Z")
LINE_END_HYPHEN = re.compile(r"\A(?:[-‐\u00ad]\s*\n\s*|[\x02\ufffe\u00ad]\s*)\Z")
FIRST_COMPOUND = 0xA9
"""Characters below stand for themselves alone; above, one may hold several (ﬁ, ½, ℃)."""
PLAIN_GAPS = frozenset({" ", "\n", ""})
NUMBER_GOES_ON = re.compile(r"\d(?=\d)")
MAY_BE_COMPOUND = re.compile("[\u00a9-\u4dff\ua000-\U0010ffff]")
"""What may fold to several characters, or stand raised or lowered by itself."""


def is_word_character(folded: str) -> bool:
    """Whether a folded character belongs to a script that writes words apart, or is a digit."""
    return folded < "\u0e00" or "\u1e00" <= folded < "\u2000"


@lru_cache(maxsize=4096)
def plain_form(character: str) -> str:
    """A dropped character with its compatibility form and variant spelling folded away.

    U+2212 stays: it alone is a minus even between letters or with a space behind it.
    """
    if character == MINUS:
        return MINUS
    if character in "´¨¯¸˘˙˚˛˜˝":
        return ""
    return unicodedata.normalize("NFKC", character.translate(SAME_SIGN)).translate(SAME_SIGN)


def is_unknown(character: str) -> bool:
    """Whether nobody can say which sign the page shows here: no code, or a font's private one."""
    return character == UNKNOWN or unicodedata.category(character) == "Co"


def plain_gap(gap: str) -> str:
    """A gap in the one spelling of its signs: `<=` and `⩽` are `≤`."""
    plain = "".join(map(plain_form, gap))
    for spelling, sign in COMPOUND:
        plain = plain.replace(spelling, sign)
    return plain


@lru_cache(maxsize=4096)
def _inner_signs(character: str) -> tuple[tuple[str, ...], str]:
    """What a compatibility character holds before each letter or digit, and after the last one."""
    expanded = unicodedata.normalize("NFKC", character).casefold()
    leads, lead = [], ""
    for part in expanded:
        if fold_character(part):
            leads.append(lead)
            lead = ""
        else:
            lead += part
    return tuple(leads), lead


@lru_cache(maxsize=1024)
def _own_level(character: str) -> int:
    """1 raised, -1 lowered, 2 set apart otherwise (circled, in a fraction), 0 plain."""
    kind = unicodedata.decomposition(character).partition(">")[0]
    if kind in {"", "<wide", "<font"}:
        return 0
    return {"<super": 1, "<sub": -1}.get(kind, 2)


@dataclass(frozen=True, slots=True)
class Marked:
    """Folded characters together with the text they came from: what signs are read out of."""

    folded: str
    starts: Offsets
    text: str
    level: LevelOf | None = None
    apart: ApartOf | None = None

    def gap(self, index: int) -> str:
        """The dropped text between folded characters `index - 1` and `index`; ends included."""
        count = len(self.folded)
        before = int(self.starts[index - 1]) if index > 0 else -1
        after = int(self.starts[index]) if index < count else len(self.text)
        lead, tail = "", ""
        if index < count and ord(self.text[after]) >= FIRST_COMPOUND:
            place = index - _first_of(self.starts, index)
            leads = _inner_signs(self.text[after])[0]
            lead = leads[place] if place < len(leads) else ""
        if before == after:
            return lead
        if index > 0 and ord(self.text[before]) >= FIRST_COMPOUND:
            tail = _inner_signs(self.text[before])[1]
        return tail + self.text[before + 1 : after] + lead

    def sign(self, index: int) -> str:
        """The signs between folded characters `index - 1` and `index` that carry meaning."""
        gap = self.gap(index)
        left = self.folded[index - 1] if index > 0 else ""
        right = self.folded[index] if index < len(self.folded) else ""
        if not gap:
            both = left.isdigit() and right.isdigit()
            return self._level_change(index) if both else ""
        return read_sign(left, gap, right)

    def _level_change(self, index: int) -> str:
        before, after = int(self.starts[index - 1]), int(self.starts[index])
        if before == after:
            return ""
        own, last = _own_level(self.text[after]), _own_level(self.text[before])
        if own != last:
            return f"^{own}"
        if own == 0 and self.level is not None:
            change = self.level(after, before)
            return f"^{change}" if change else ""
        return ""

    def are_apart(self, index: int, reference: int) -> bool:
        """Whether two folded characters clearly stand in two columns or cells."""
        if self.apart is None:
            return False
        return self.apart(int(self.starts[index]), int(self.starts[reference]))

    def is_raised(self, index: int, reference: int) -> bool:
        """Whether folded character `index` is set above or below its neighbour `reference`."""
        return self._level(index, reference) != 0

    def is_mark(self, index: int, reference: int) -> bool:
        """Whether it is set above it, as a footnote's mark is; what is set below is an index."""
        return self._level(index, reference) > 0

    def _level(self, index: int, reference: int) -> int:
        at, beside = int(self.starts[index]), int(self.starts[reference])
        own = _own_level(self.text[at])
        if own in {1, -1} or self.level is None:
            return own if own in {1, -1} else 0
        return self.level(at, beside)


def _first_of(starts: Offsets, index: int) -> int:
    """The first folded character that shares its source with `index`."""
    while index > 0 and starts[index - 1] == starts[index]:
        index -= 1
    return index


@lru_cache(maxsize=16384)
def read_sign(left: str, gap: str, right: str) -> str:
    """The signs of `gap` that count between two folded characters (empty at the text's ends)."""
    left_digit, right_digit = left.isdigit(), right.isdigit()
    if (left_digit != right_digit) and left and right and LINE_END_HYPHEN.match(gap):
        return OPTIONAL_HYPHEN
    if left.isalpha() and right.isalpha():
        if LINE_END_MINUS.match(gap):
            return SOFT_DASH
        if gap in APOSTROPHES:
            return "'"
    plain = plain_gap(gap)
    if left_digit and right_digit and plain == "^":
        return "^1"
    counted = "".join(_counted(plain, at, left=left, right=right) for at in range(len(plain)))
    if left_digit and right_digit and any(map(_is_visible, gap)):
        counted = _between_digits(plain, counted)
    return counted


def _is_visible(character: str) -> bool:
    return unicodedata.category(character) not in {"Cf", "Mn"}


@dataclass(frozen=True, slots=True)
class _Gap:
    """What stands before and after one sign of a gap, and the folded characters around it."""

    before: str
    after: str
    left: str
    right: str

    @property
    def is_beside_number(self) -> bool:
        return (self.left.isdigit() and not self.before.strip(BESIDE_LEFT)) or (
            self.right.isdigit() and not self.after.strip(BESIDE_RIGHT)
        )

    @property
    def is_bullet(self) -> bool:
        """Whether the sign begins a line, or the text, and stands apart from what follows."""
        return bool(self.after) and (not self.before or self.before[-1] == "\n")

    @property
    def unknown_counts(self) -> bool:
        """Whether a glyph that nobody knows may be the sign of a number."""
        is_before = self.right.isdigit() and not self.after.strip() and not self.is_bullet
        return is_before or (self.left.isdigit() and not self.before)

    def point_counts(self, sign: str) -> bool:
        """Whether a point, comma, colon or stroke belongs to a number: not that of `Fig.3`."""
        is_abbreviation = not self.before and self.left.isalpha() and sign != "/"
        if sign == "." and not is_word_character(self.left):
            is_abbreviation = False  # `约.5` is a half
        touches_right = self.right.isdigit() and not self.after and not is_abbreviation
        return touches_right or (self.left.isdigit() and not self.before.strip())


def _counted(plain: str, at: int, *, left: str, right: str) -> str:
    """What the sign at `at` of a gap stands for; nothing if it carries no meaning there."""
    sign = plain[at]
    if sign in EVERYWHERE or sign in CHECK_BOXES:
        return sign
    gap = _Gap(plain[:at], plain[at + 1 :], left, right)
    if sign in {"-", MINUS}:
        return "-" if gap.is_beside_number or sign == MINUS else SOFT_DASH
    if sign in TILDES:
        is_range = left.isdigit() and not gap.before.strip()
        return "~" if right.isdigit() and not (is_range or gap.after.strip()) else ""
    if sign in TOUCHING_SIGNS:
        counts = gap.point_counts(sign)
    elif is_unknown(sign):
        counts = gap.unknown_counts
    elif sign == PRIME:
        counts = left.isdigit() and not gap.before.strip(PRIME)
    elif sign in BESIDE_NUMBERS or unicodedata.category(sign) == "Sc":
        counts = gap.is_beside_number and not (
            sign in DIRECTIONS and gap.is_bullet and "\n" in gap.before
        )
    else:
        is_mathematical = unicodedata.category(sign) == "Sm" and ord(sign) > 127
        counts = is_mathematical and sign not in IGNORED_SYMBOLS
    return sign if counts else ""


def _between_digits(plain: str, counted: str) -> str:
    """Keep digits apart that something stands between, and `1, 000` apart from `1,000`."""
    if not counted:
        return "·" if plain == "·" else " "
    if not counted.strip(PRIME):
        return counted + " "
    if counted in {".", ","} and re.search(r"\s", plain):
        return counted + " "
    return counted


def same_sign(quoted: str, found: str) -> bool:
    """Whether the signs of a quote are those of the page, in one of their readings."""
    if quoted == found:
        return True
    if PRIME in quoted or PRIME in found:
        is_left_out = PRIME not in quoted or PRIME not in found
        return is_left_out and quoted.replace(PRIME, "") == found.replace(PRIME, "")
    if OPTIONAL_HYPHEN in {quoted, found}:
        return {quoted, found} <= {OPTIONAL_HYPHEN, "-", ""}
    if SOFT_DASH in quoted or SOFT_DASH in found:
        return not _readings(quoted).isdisjoint(_readings(found))
    return False


@lru_cache(maxsize=1024)
def _readings(sign: str) -> frozenset[str]:
    return frozenset({sign.replace(SOFT_DASH, ""), sign.replace(SOFT_DASH, "-")})


def inner_signs(marked: Marked, at: int, count: int) -> dict[int, str]:
    """The signs inside `count` folded characters from `at`: `{i: sign before character i of them}`.

    Most characters follow each other directly or behind a space and need no closer look.
    """
    starts = marked.starts[at : at + count]
    folded, text = marked.folded[at : at + count], marked.text
    closer = {match.start() + 1 for match in NUMBER_GOES_ON.finditer(folded)}
    first, last = int(starts[0]), int(starts[-1])
    compounds = [match.start() for match in MAY_BE_COMPOUND.finditer(text, first, last + 1)]
    if compounds:
        closer.update(np.searchsorted(starts, compounds).tolist())
    for index in (np.flatnonzero(np.diff(starts) != 1) + 1).tolist():
        before, after = int(starts[index - 1]), int(starts[index])
        if before == after or text[before + 1 : after] not in PLAIN_GAPS:
            closer.add(index)
    found = {index: marked.sign(at + index) for index in closer if 0 < index < count}
    return {index: sign for index, sign in found.items() if sign}


def same_signs(page: Marked, at: int, count: int, quoted: Mapping[int, str]) -> bool:
    """Whether `quoted`, the quote's `inner_signs`, are those of the page from `at` on."""
    found = inner_signs(page, at, count)
    return all(
        same_sign(quoted.get(index, ""), found.get(index, ""))
        for index in quoted.keys() | found.keys()
    )
