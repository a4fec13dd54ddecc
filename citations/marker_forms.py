"""The forms of a citation marker, and of what only looks like one. Pure."""

import re

OPENERS, CLOSERS = r"\[【［", r"\]】］"
NUMBER = r"[0-9０-９]{1,6}"
JOINT = r"\s{0,3}[,，、;；\-–—‐‑~～]\s{0,3}"
MARKER = re.compile(
    rf"[{OPENERS}]\s{{0,3}}\^?({NUMBER}(?:{JOINT}{NUMBER}){{0,40}})\s{{0,3}}(?:†[^\]】］\n]{{0,60}})?[{CLOSERS}]"
)
MARKER_START = re.compile(
    rf"[{OPENERS}]\s{{0,3}}\^?(?:{NUMBER}(?:{JOINT}{NUMBER}){{0,40}}(?:{JOINT}|\s{{0,3}})"
    r"(?:[,，、;；\-–—‐‑~～]\s{0,3})?(?:†[^\]】］\n]{0,60})?)?"
)
NUMBERED_BRACKET = re.compile(
    rf"[{OPENERS}](\s{{0,3}}\^?{NUMBER}(?:{JOINT}{NUMBER}){{0,40}}\s{{0,3}}"
    rf"(?:†[^\]】］\n]{{0,60}})?)[{CLOSERS}]"
)
ESCAPED_OPEN, ESCAPED_CLOSE = "⟦", "⟧"
WIDEST_RANGE = 50
CONTEXT = 40
"""As much of the text before a bracket tells an interval from a marker."""
BEFORE_INTERVAL = re.compile(
    r"(?:\b(?:C\.?I\.?|CrI|HDI|IQR|(?i:intervals?|ranges?|ranging|ranged|bounds))"
    r"|置信区间|可信区间|区间|范围|四分位距)"
    r"[\s,，:：=≈(（]{0,4}(?:(?:of|is|was|from|为|是|在)[\s:：]{0,3})?\Z"
    r"|[=≈∈∉∊]\s{0,3}\Z"
)
FIRST_YEAR, LAST_YEAR = 1500, 2099


def escape_brackets(text: str) -> str:
    """Spell bracketed numbers of a document so that nobody takes them for markers.

    >>> escape_brackets("as shown [12] and [3, 4]")
    'as shown ⟦12⟧ and ⟦3, 4⟧'
    """
    return NUMBERED_BRACKET.sub(rf"{ESCAPED_OPEN}\1{ESCAPED_CLOSE}", text)


def unescape_brackets(text: str) -> str:
    """Undo `escape_brackets` in text that a model copied."""
    return text.replace(ESCAPED_OPEN, "[").replace(ESCAPED_CLOSE, "]")


def marker_numbers(inside: str) -> list[int]:
    """The numbers of a marker, ranges written out; a senseless range gives its ends.

    >>> marker_numbers("3, 5-7")
    [3, 5, 6, 7]
    """
    numbers: list[int] = []
    parts = re.split(r"\s*([,，、;；\-–—‐‑~～])\s*", inside.strip())
    previous = int(parts[0])
    numbers.append(previous)
    for joint, digits in zip(parts[1::2], parts[2::2], strict=True):
        number = int(digits)
        if joint not in ",，、;；" and 0 < number - previous <= WIDEST_RANGE:
            numbers.extend(range(previous + 1, number))
        numbers.append(number)
        previous = number
    return list(dict.fromkeys(numbers))


def is_interval(inside: str, before: str) -> bool:
    """Whether a bracket with two rising numbers is an interval, by the text before it.

    >>> is_interval("3, 5", "a rise of 4 % (95 % CI "), is_interval("3, 5", "as two studies say ")
    (True, False)
    """
    ends = [int(digits) for digits in re.findall(NUMBER, inside)]
    if len(ends) != 2 or ends[0] >= ends[1]:
        return False
    return ends[0] == 0 or bool(BEFORE_INTERVAL.search(before))


def is_year(inside: str) -> bool:
    """Whether a bracket holds what can be a year of publication and nothing else.

    >>> is_year("1970"), is_year("70")
    (True, False)
    """
    digits = inside.strip()
    return digits.isdigit() and FIRST_YEAR <= int(digits) <= LAST_YEAR
