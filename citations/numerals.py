"""Numbers that are written with more than digits: Chinese numerals, multipliers, powers. Pure."""

import re

NUMERALS = frozenset("〇零一二三四五六七八九十百千万亿萬億兆两兩廿卅壹贰叁肆伍陆柒捌玖拾佰仟")
NEGATIONS = ("负", "負", "零下")
FRACTION = "分之"
BASES = frozenset("百千万萬")
POINT = frozenset("点點")
MULTIPLIED = re.compile(r"\A\s*[余多几数來来]?[十百千万亿萬億兆成倍折]")
"""Behind a number: `15余万` is not `15`. After digits `成` means tenths, `折` a discount."""
GOES_ON = re.compile(
    r"\A\s*(?:[x×✕⋅·∙∗*]\s*10(?![\d.,])|[- ]?(?:hundred|thousand|million|billion|trillion|percent"
    r"|per\s+cent|per\s+mille?|percentage|mn|bn)\b)",
    re.IGNORECASE,
)


def _is_numeral(character: str) -> bool:
    return character in NUMERALS or character.isdigit()


def cuts_a_numeral(folded: str, index: int, gap: str) -> bool:
    """Whether the border before folded character `index` lies inside a number with Chinese parts.

    Only where a numeral stands on both sides, or a numeral and what makes it negative or a
    fraction: `一般` and `三个` begin and end as they like.
    """
    if index == 0 or index >= len(folded) or gap.strip():
        return False
    head, tail = folded[max(0, index - 3) : index], folded[index : index + 3]
    last, first = head[-1], tail[0]
    if (last in BASES and tail.startswith(FRACTION)) or (head + first).endswith(FRACTION):
        return True
    if _is_numeral(first) and (
        head.endswith((FRACTION, *NEGATIONS)) or (last in POINT and _is_numeral(head[-2:-1]))
    ):
        return True
    return _is_numeral(last) and (
        bool(MULTIPLIED.match(tail))
        or tail.startswith(FRACTION)
        or (first in POINT and _is_numeral(tail[1:2]))
        or (_is_numeral(first) and not (last.isdigit() and first.isdigit()))
    )


def number_goes_on(beyond: str) -> bool:
    """Whether what stands behind a number multiplies it: `2.3` of `2.3 × 10⁵`, `15` of `15 bn`."""
    return bool(GOES_ON.match(beyond))
