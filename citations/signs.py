"""The marks between letters and digits that carry meaning, and where a match may begin and end.

`citations.normalizing` drops everything but letters and digits. What it dropped decides whether
two equal runs mean the same: `1.5` is not `15`, `p < 0.05` is not `p > 0.05`. This module reads the
signs between neighbouring characters back out of the text itself. Pure.
"""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from citations.normalizing import Offsets, fold_character

LevelOf = Callable[[int, int], int]
"""`(offset, reference)`: 1 if the character at `offset` is raised against the one at `reference`,
-1 if lowered, 0 if level. Offsets are into page text."""

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
    ("\uf0a3", "≤"),
    ("\uf0b0", "°"),
    ("\uf0b1", "±"),
    ("\uf0b3", "≥"),
    ("\uf0b9", "≠"),
    ("\uf0bb", "≈"),
)
"""Other forms of the signs. U+00AD, U+0002 and U+FFFE are how extractors spell a hyphen at a line
end; the private-use ones are where the Symbol font leaves its signs; readers that do not know TeX's
symbol font copy its transpose sign as the `>` of the same code."""

SAME_SIGN = str.maketrans(dict(ALTERNATIVES))
COMPOUND = (("<=", "≤"), (">=", "≥"), ("!=", "≠"), ("+/-", "±"), ("+-", "±"))
TOUCHING_SIGNS = frozenset(".,:/")
SPACED_SIGNS = frozenset("-+%‰°")
EVERYWHERE = frozenset("<>=≤≥≠≈±")
COMPARISONS = frozenset("<>=≤≥≠≈")
CHECK_BOXES = frozenset("□☐☑☒✓✔✗✘")
IGNORED_SYMBOLS = frozenset("|~∼")
OPTIONAL_HYPHEN = "-?"
LINE_END_HYPHEN = re.compile(r"\A(?:[-‐\u00ad]\s*\n\s*|[\x02\ufffe\u00ad]\s*)\Z")
FINAL_POINTS = ".,:;。，、：；．"
FIRST_COMPOUND = 0xA9
"""Characters below stand for themselves alone; above, one may hold several (ﬁ, ½, ℃)."""
PLAIN_GAPS = frozenset({" ", "\n", ""})


def is_word_character(folded: str) -> bool:
    """Whether a folded character belongs to a script that writes words apart, or is a digit."""
    return folded < "\u0e00" or "\u1e00" <= folded < "\u2000"


@lru_cache(maxsize=4096)
def _plain(character: str) -> str:
    """A dropped character with its compatibility form and variant spelling folded away."""
    if character in "´¨¯¸˘˙˚˛˜˝":
        return ""
    return unicodedata.normalize("NFKC", character.translate(SAME_SIGN)).translate(SAME_SIGN)


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

    def is_raised(self, index: int, reference: int) -> bool:
        """Whether folded character `index` is set above or below its neighbour `reference`."""
        at, beside = int(self.starts[index]), int(self.starts[reference])
        if _own_level(self.text[at]) in {1, -1}:
            return True
        return self.level is not None and self.level(at, beside) != 0


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
    plain = "".join(map(_plain, gap))
    for spelling, sign in COMPOUND:
        plain = plain.replace(spelling, sign)
    if left_digit and right_digit and plain == "^":
        return "^1"
    counted = "".join(
        character
        for at, character in enumerate(plain)
        if _counts(plain, at, left=left, right=right)
    )
    if left_digit and right_digit and plain:
        counted = _between_digits(plain, counted)
    return counted


def _counts(plain: str, at: int, *, left: str, right: str) -> bool:
    sign = plain[at]
    if sign in EVERYWHERE or sign in CHECK_BOXES:
        return True
    before, after = plain[:at], plain[at + 1 :]
    beside_left = left.isdigit() and not before.strip(
        "".join(TOUCHING_SIGNS | SPACED_SIGNS) + " \t\n"
    )
    beside_right = right.isdigit() and not after.strip("-+ \t\n$€£¥")
    if sign in TOUCHING_SIGNS:
        is_abbreviation = not before and left.isalpha() and sign != "/"
        touches_right = right.isdigit() and not after and not is_abbreviation
        return touches_right or (left.isdigit() and not before.strip())
    if sign in SPACED_SIGNS:
        return beside_left or beside_right
    category = unicodedata.category(sign)
    if category == "Sc":
        return beside_left or beside_right
    return category == "Sm" and sign not in IGNORED_SYMBOLS and ord(sign) > 127


def _between_digits(plain: str, counted: str) -> str:
    """Keep digits apart that something stands between, and `1, 000` apart from `1,000`."""
    if not counted:
        return "·" if plain == "·" else " "
    if counted in {".", ","} and re.search(r"\s", plain):
        return counted + " "
    return counted


def same_sign(quoted: str, found: str) -> bool:
    if quoted == found:
        return True
    if OPTIONAL_HYPHEN in {quoted, found}:
        return {quoted, found} <= {OPTIONAL_HYPHEN, "-", ""}
    return False


SIGN_BEFORE_NUMBER = re.compile(r"(?:[-‐‑‒–—―]|[−+±<>≤≥≠≈$€£¥]\s*)\Z")
LEADING_POINT = re.compile(r"(?:\A|[\s(\[{=<>≤≥±≈~+\-−])\.\Z")
SIGN_AFTER_NUMBER = re.compile(r"\A(?:\s*[%‰°±′″]|\s*[$€£¥](?=\s|\Z)|\+)")
JOINT_OF_NUMBER = re.compile(r"\A(?:[.,/:·'’^~×]|[-‐‑‒–—―−\u00ad\x02\ufffe]\s*)\Z")
THOUSANDS_SPACE = re.compile(r"\A[ \u00a0\u2009\u202f]\Z")
REFERENCE_WORD_LENGTH = 3


def begins_cleanly(page: Marked, index: int) -> bool:
    """Whether a match may begin at folded character `index`: not inside a word or a number."""
    first = page.folded[index]
    gap = page.gap(index)
    if index:
        last = page.folded[index - 1]
        if _joins(page, index, last, gap, first):
            return page.is_raised(index - 1, index) and not (last.isdigit() and first.isdigit())
        if first.isdigit() and last.isdigit() and _is_joint(page, index, gap):
            return False
    if not first.isdigit():
        return True
    if LEADING_POINT.search(gap) and not (gap == "." and index):
        return False
    return not SIGN_BEFORE_NUMBER.search("".join(map(_fold_bound, gap)))


def begins_with_sign(page: Marked, index: int, quoted: str) -> bool:
    """Whether the signs that a quote puts before its first character stand there on the page."""
    found = page.sign(index)
    if same_sign(quoted, found):
        return True
    if quoted[0] not in COMPARISONS or not found.endswith(quoted):
        return False
    return bool(re.search(rf"\s{re.escape(quoted)}\s*\Z", "".join(map(_plain, page.gap(index)))))


def ends_cleanly(page: Marked, index: int) -> bool:
    """Whether a match may end before folded character `index`: not inside a word or a number."""
    last = page.folded[index - 1]
    gap = page.gap(index)
    if index < len(page.folded):
        following = page.folded[index]
        if _joins(page, index, last, gap, following):
            if last.isdigit() or not following.isdigit() or not page.is_raised(index, index - 1):
                return (
                    not last.isdigit() and following.isalpha() and page.is_raised(index, index - 1)
                )
            return _word_length(page.folded, index) >= REFERENCE_WORD_LENGTH
        if last.isdigit() and following.isdigit() and _is_joint(page, index, gap):
            return False
    if not last.isdigit():
        return True
    return not SIGN_AFTER_NUMBER.match("".join(map(_fold_bound, gap)))


def _fold_bound(character: str) -> str:
    """A sign in its one spelling; U+2212 stays, since only it is a minus when a space follows."""
    return character if character == "−" else _plain(character)


def _joins(page: Marked, index: int, last: str, gap: str, following: str) -> bool:
    """Whether two neighbours belong to one word, or one word broken at a line end."""
    if not (is_word_character(last) and is_word_character(following)):
        return bool(page.starts[index] == page.starts[index - 1])
    visible = "".join(
        c for c in gap if unicodedata.category(c) not in {"Cf", "Mn", "Cc"} or c in "\n\t"
    )
    if not visible:
        return True
    return last.isalpha() and following.isalpha() and bool(LINE_END_HYPHEN.match(gap))


def _is_joint(page: Marked, index: int, gap: str) -> bool:
    """Whether the gap between two digits holds one number together."""
    if JOINT_OF_NUMBER.match(gap):
        return True
    if not THOUSANDS_SPACE.match(gap):
        return False
    group = re.match(r"\d+", page.text[int(page.starts[index]) :])
    head = re.search(r"(?<!\d)\d{1,3}\Z", page.text[: int(page.starts[index - 1]) + 1])
    return bool(group and len(group[0]) == 3 and head)


def _word_length(folded: str, end: int) -> int:
    begin = end
    while begin > 0 and folded[begin - 1].isalpha() and is_word_character(folded[begin - 1]):
        begin -= 1
        if end - begin > REFERENCE_WORD_LENGTH:
            break
    return end - begin


def same_signs(page: Marked, at: int, quote_signs: Sequence[str]) -> bool:
    """Whether the signs inside the match at folded offset `at` are those of the quote.

    `quote_signs[i]` stands before the quote's folded character `i`; the first one is not compared.
    """
    starts = page.starts[at : at + len(quote_signs)].tolist()
    folded = page.folded[at : at + len(quote_signs)]
    text = page.text
    for index in range(1, len(quote_signs)):
        before, after = starts[index - 1], starts[index]
        is_number = folded[index].isdigit() and folded[index - 1].isdigit()
        if not is_number and (after == before + 1 or text[before + 1 : after] in PLAIN_GAPS):
            found = "" if ord(text[after]) < FIRST_COMPOUND else page.sign(at + index)
        else:
            found = page.sign(at + index)
        if quote_signs[index] != found and not same_sign(quote_signs[index], found):
            return False
    return True


def outer_sign_before(quote: Marked) -> str:
    """The signs that the quote itself puts before its first character: `-` in `-0.3`."""
    return read_sign("", quote.gap(0), quote.folded[0]) if quote.gap(0) else ""


def outer_sign_after(quote: Marked) -> str:
    """The signs that the quote itself puts after its last character: `%` in `15 %`."""
    gap = quote.gap(len(quote.folded))
    gap = re.split(r"[\"”»」』]", gap, maxsplit=1)[0].rstrip().rstrip(FINAL_POINTS + DASHES + "/ ")
    return read_sign(quote.folded[-1], gap, "") if gap else ""
