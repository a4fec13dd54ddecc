"""Where a match may begin and end: never inside a word, never inside a number with its marks. Pure.

A border is refused in doubt. What a quote itself puts before its first and behind its last letter
belongs to the match; only what stands beyond it on the page is judged here.
"""

import re
import unicodedata

from citations.numerals import NUMERALS, cuts_a_numeral, number_goes_on
from citations.signs import (
    COMPARISONS,
    LINE_END_HYPHEN,
    MINUS,
    SOFT_DASH,
    Marked,
    is_unknown,
    is_word_character,
    plain_form,
    plain_gap,
    same_sign,
)

DASH = "-‐‑‒–—―−⁻"
SIGN_BEFORE_NUMBER = re.compile(
    rf"(?:[{DASH}]|[−⁻+⁺±∓<>≤≥≠≈≃≅≲≳⪅⪆≪≫≮≯∼~∝$€£¥]\s*|[=(<>≤≥±≈\[{{~]\s*[{DASH}]\s+)\Z"
)
"""A spaced dash is a minus behind an operator or a bracket; elsewhere it parts two clauses."""
SIGN_BEFORE_LETTER = re.compile(r"(?:[−+±∓¬√∛∂∇∑∏∫]|(?<=[ \t(\[=])-)\Z")
LEADING_POINT = re.compile(r"(?:\A|[\s(\[{=<>≤≥±≈~+\-−])\.\Z")
SIGN_AFTER_NUMBER = re.compile(r"\A(?:\s*[%‰°±′″]|\s*[$€£¥](?=\s|\Z)|[+⁺])")
JOINT_OF_NUMBER = re.compile(
    rf"\A(?:[.,:·'’^~∼˜‧]|\s*[×✕⋅∙∗*/⁄]\s*| : | · |[{DASH}\u00ad\x02\ufffe]\s*|[+⁺]|[°′″]\s?)\Z"
)
POWER = re.compile(rf"\A[ \u00a0\u2009\u202f]?[{DASH}+⁺]?[ \u00a0\u2009\u202f]?\Z")
THOUSANDS_SPACE = re.compile(r"\A(?:[^\S\n]|[^\S\n]*\n[^\S\n]*)\Z")
"""No number goes on behind an empty line."""
COMMA_AND_SPACE = re.compile(r"\A[,.][^\S\n]\Z")
HYPHEN_IN_WORD = re.compile(r"\A[-‐‑−\u00ad\x02\ufffe](?:[ \t]*\n\s*)?\Z")
APOSTROPHE = re.compile(r"\A['’ʼ＇´`′]\Z")
UNIT = re.compile(r"\d\s*[^\W\d_]{1,4}\Z")
UNIT_GOES_ON = re.compile(r"\A ?[/·⋅∙] ?[^\W\d_]")
SIGNS_BY_THEMSELVES = COMPARISONS | frozenset("+-±$€£¥")
"""What begins anew behind a space, whatever stands before: `-3` in `of -5, -3 points`."""
REFERENCE_WORD_LENGTH = 3


def may_begin(page: Marked, index: int, quoted: str) -> bool:
    """Whether a match may begin at folded character `index`, behind the signs `quoted` if any."""
    if not quoted.strip(SOFT_DASH):
        return _begins_cleanly(page, index, with_dash=bool(quoted))
    return _begins_with_sign(page, index, quoted) and not _sign_joins_numbers(page, index, quoted)


def may_end(page: Marked, index: int, quoted: str) -> bool:
    """Whether a match may end before folded character `index`, with the signs `quoted` if any."""
    if not quoted:
        return _ends_cleanly(page, index)
    found = page.sign(index).replace(SOFT_DASH, "")
    if not found.startswith(quoted) or found[len(quoted) :].startswith(quoted[-1]):
        return False
    last, gap = page.folded[index - 1], page.gap(index)
    following = page.folded[index] if index < len(page.folded) else ""
    if last.isdigit() and following.isdigit() and _is_joint(page, index, gap):
        return False
    if last.isdigit() and number_goes_on(_beyond(page, index)):
        return False
    if quoted[-1] in "+-" and following.isdigit():
        return gap[-1:].isspace()
    return not (quoted[-1] == "°" and following.isalpha() and plain_form(gap[-1:]) == "°")


def _begins_cleanly(page: Marked, index: int, *, with_dash: bool) -> bool:
    first, gap = page.folded[index], page.gap(index)
    if index:
        last = page.folded[index - 1]
        if _joins(page, index, last, gap, first):
            return page.is_mark(index - 1, index) and not (last.isdigit() and first.isdigit())
        if _is_one(page, index, last, gap, first):
            return False
    plain = plain_gap(gap)
    if not first.isdigit():
        is_cut = cuts_a_numeral(page.folded, index, gap)
        return not (is_cut or (not with_dash and SIGN_BEFORE_LETTER.search(plain)))
    if LEADING_POINT.search(gap) and not (gap == "." and index):
        return False
    if cuts_a_numeral(page.folded, index, gap) or _unknown_before(gap):
        return False
    return not SIGN_BEFORE_NUMBER.search(plain)


def _ends_cleanly(page: Marked, index: int) -> bool:
    last, gap = page.folded[index - 1], page.gap(index)
    if index < len(page.folded):
        following = page.folded[index]
        if _joins(page, index, last, gap, following):
            return _ends_before_a_mark(page, index, last)
        if _is_one(page, index, last, gap, following):
            return False
    if cuts_a_numeral(page.folded, index, gap):
        return False
    beyond = _beyond(page, index)
    if not (last.isdigit() or last in NUMERALS):
        head = page.text[: int(page.starts[index - 1]) + 1][-8:]
        return not (UNIT.search(head) and UNIT_GOES_ON.match(beyond))
    if _unknown_after(gap) or number_goes_on(beyond):
        return False
    return not SIGN_AFTER_NUMBER.match("".join(map(plain_form, gap)))


def _beyond(page: Marked, index: int) -> str:
    """What the page says behind the last character of a match."""
    at = int(page.starts[index - 1]) + 1
    return page.text[at : at + 40]


def _begins_with_sign(page: Marked, index: int, quoted: str) -> bool:
    """Whether the signs that a quote puts before its first character stand there on the page."""
    found = page.sign(index)
    if same_sign(quoted, found):
        return True
    if quoted[0] not in SIGNS_BY_THEMSELVES or not found.endswith(quoted):
        return False
    gap = plain_gap(page.gap(index)).replace(MINUS, "-")
    space = r"\s*" if quoted[0] in COMPARISONS else ""
    return bool(re.search(rf"\s{re.escape(quoted)}{space}\Z", gap))


def _sign_joins_numbers(page: Marked, index: int, quoted: str) -> bool:
    """Whether the quote's first sign is the inside of a number or a range: `.5` of `1.5`."""
    if index == 0 or not (page.folded[index].isdigit() and page.folded[index - 1].isdigit()):
        return False
    if not quoted.strip("".join(COMPARISONS) + "±"):
        return False
    return not re.search(r"\s\S+\Z", page.gap(index))


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


def _ends_before_a_mark(page: Marked, index: int, last: str) -> bool:
    """Whether what joins the last character is a raised mark, as of a footnote, and no power."""
    if last.isdigit() or not page.is_mark(index, index - 1):
        return False
    return _word_length(page, index) >= REFERENCE_WORD_LENGTH


def _is_one(page: Marked, index: int, last: str, gap: str, following: str) -> bool:
    """Whether the visible gap between two neighbours holds one word or one number together."""
    if not (is_word_character(last) and is_word_character(following)):
        return False
    if last.isdigit() and following.isdigit():
        return _is_joint(page, index, gap)
    if HYPHEN_IN_WORD.match(gap):
        return True
    if not APOSTROPHE.match(gap):
        return False
    return last.isalpha() or following == "s"


def _is_joint(page: Marked, index: int, gap: str) -> bool:
    """Whether the gap between two digits holds one number together."""
    if JOINT_OF_NUMBER.match(gap) or JOINT_OF_NUMBER.match(plain_gap(gap)):
        return True
    if POWER.match(gap) and page.is_raised(index, index - 1):
        return True
    if not (THOUSANDS_SPACE.match(gap) or COMMA_AND_SPACE.match(gap)):
        return False
    if THOUSANDS_SPACE.match(gap) and page.are_apart(index, index - 1):
        return False
    group = re.match(r"\d+", page.text[int(page.starts[index]) :])
    head = re.search(r"(?<!\d)\d{1,3}\Z", page.text[: int(page.starts[index - 1]) + 1])
    if not (group and len(group[0]) == 3 and head):
        return False
    return bool(THOUSANDS_SPACE.match(gap)) or group[0].startswith("0")


def _unknown_before(gap: str) -> bool:
    """Whether a glyph without a known code may be the sign of the number behind it."""
    seen = gap.rstrip()
    if not seen or not is_unknown(plain_form(seen[-1])[-1:] or " "):
        return False
    is_bullet = len(seen) < len(gap) and (len(seen) == 1 or seen[-2] == "\n")
    return not is_bullet


def _unknown_after(gap: str) -> bool:
    seen = gap.lstrip(" \u00a0\u2009\u202f")
    return bool(seen) and is_unknown(plain_form(seen[0])[:1] or " ")


def _word_length(page: Marked, end: int) -> int:
    """Letters of the word before folded character `end`; no more than matter are counted."""
    begin = end
    while begin > 0 and page.folded[begin - 1].isalpha() and end - begin < REFERENCE_WORD_LENGTH:
        begin -= 1
        if page.gap(begin):
            break
    return end - begin
