"""Whether the text of a table is what a person sees: fonts may pass signs off as others. Pure."""

from collections.abc import Sequence
from functools import lru_cache

from documents.pages.legibility import is_cjk
from documents.tables.table_words import Word

FEWEST_LETTERS = 0.5
"""Share of letters and digits among the signs of a table."""
MOST_RARE = 0.1
"""Share of characters hardly ever written among the Chinese ones."""
BIG5_COMMON = 0xC9
"""First byte from which on Big5 has its second level."""


def is_gibberish(words: Sequence[Word]) -> bool:
    """Whether there are too many signs, or Chinese characters that nobody writes, for a table."""
    signs = "".join(word.text for word in words)
    if sum(sign.isalnum() for sign in signs) < FEWEST_LETTERS * len(signs):
        return True
    chinese = [sign for sign in signs if is_cjk(ord(sign)) and sign.isalpha()]
    return sum(map(_is_rare, chinese)) > MOST_RARE * len(chinese)


@lru_cache(maxsize=8192)
def _is_rare(sign: str) -> bool:
    """Neither among the characters of GB 2312 nor among the common ones of Big5, nor kana."""
    if not "\u4e00" <= sign <= "\u9fff":
        return False
    try:
        sign.encode("gb2312")
    except UnicodeEncodeError:
        try:
            return sign.encode("big5")[0] >= BIG5_COMMON
        except UnicodeEncodeError:
            return True
    return False
