"""Is what a page says its text also what a person sees on it? Judged page by page. Pure."""

import numpy as np

from documents.pages.letters import UNKNOWN, quarter_turns
from documents.pages.page_text import PageState
from documents.pages.raw_text import LINE_END, SPACE, Flags, Integers, RawText

MOST_UNKNOWN = 0.25
"""Share of letters without a meaning from which on a page counts as garbled."""

MOST_WESTERN = 0.15
MOST_ODD = 0.2
MOST_FAR_OFF = 0.2
"""Shares that make Western text suspect: of accented letters and signs among all letters, and
of those that stand as no language has them: signs inside words, capitals behind small letters.
"""
FEWEST_VOWELS = 0.17
"""Share of vowels among plain letters; English has .38, a page of gene names still .25."""

_VOWELS = np.array(list(map(ord, "aeiouy")), np.int32)
_ACCENTED = np.array([*range(0xC0, 0x100), *map(ord, "ŒœŠšŸŽžƒı")], np.int32)
_ACCENTED_SET = frozenset(_ACCENTED.tolist())
_SIGNS = np.array([*map(ord, "¢£¤¥¦¨ª¬¯´¸º¼½¾ˆ˜ˇ˘˙˚˛˝⁄‰‹›„‚¹")], np.int32)
_INSIDE_WORDS = frozenset("-‐‑’'.,·/_&:()[]«»“”")
"""Signs that stand between letters in real text: they tell nothing."""
MOST_IN_ODD_WORDS = 0.25
FEWEST_IN_ODD_WORDS = 12
"""Share and number of characters in words that no language has."""
MOST_OF_ONE_ROW = 0.15
FEWEST_OF_ONE_ROW = 30
"""Share of all ideographs, and number."""
_CJK_RANGES = (
    (0x2E80, 0x9FFF),
    (0xAC00, 0xD7AF),
    (0xF900, 0xFAFF),
    (0xFE30, 0xFE4F),
    (0xFF00, 0xFFEF),
    (0x20000, 0x3FFFF),
)


def is_cjk(code: int) -> bool:
    """Chinese, Japanese or Korean, their punctuation included: written without word gaps."""
    return any(low <= code <= high for low, high in _CJK_RANGES)


def page_state(text: str, raw: RawText) -> PageState:
    """`ok`, `no_text`, `garbled` or `unsupported_rotation`."""
    inked = raw.codes != SPACE
    codes = raw.codes[inked]
    if not len(codes) or (codes == UNKNOWN).all():
        return PageState.NO_TEXT
    odd_angle = quarter_turns(raw)[raw.line[inked]] < 0
    if odd_angle.mean() > 0.5:
        return PageState.UNSUPPORTED_ROTATION
    if _share_without_meaning(codes) > MOST_UNKNOWN or looks_like_mojibake(text):
        return PageState.GARBLED
    return PageState.OK


def _share_without_meaning(codes: Integers) -> float:
    """Unknown glyphs and private-use characters; Symbol fonts at U+F020 to U+F0FF don't count."""
    private = ((codes >= 0xE000) & (codes < 0xF900)) | (codes >= 0xF0000)
    symbols = (codes >= 0xF020) & (codes <= 0xF0FF)
    return float(((codes == UNKNOWN) | (private & ~symbols)).mean())


def looks_like_mojibake(text: str) -> bool:
    """Whether `text` is letters that no language writes like this.

    Four kinds: bytes of another encoding shown as Western letters ("ÖÐ¹úÈË"), glyph numbers shown
    as letters of far-off scripts ("ġǊԶʚ"), shifted alphabets without vowels ("7KLV LV WKH"), and
    Western letters shown as the ideographs of one row of the code ("杒来杳杵杬杴").
    """
    codes = np.frombuffer(text.encode("utf-32-le"), "<u4").astype(np.int32)
    lower = codes | 0x20
    ascii_letters = (lower >= 0x61) & (lower <= 0x7A) & (codes < 0x80)
    plain = int(ascii_letters.sum())
    accented, signs = np.isin(codes, _ACCENTED), np.isin(codes, _SIGNS)
    western = int(accented.sum() + signs.sum())
    cjk = int(((codes >= 0x3400) & (codes < 0xA000)).sum())
    suspect = western >= 15 and western > cjk and western > MOST_WESTERN * (plain + western)
    if suspect and _oddly_placed(codes, ascii_letters | accented, signs) > MOST_ODD * western:
        return True
    if _far_off(codes) > MOST_FAR_OFF * (plain + western + cjk):
        return True
    if _of_one_row(codes) > max(FEWEST_OF_ONE_ROW, MOST_OF_ONE_ROW * cjk):
        return True
    if western >= FEWEST_IN_ODD_WORDS // 2 and western > cjk and _mostly_odd_words(text):
        return True
    vowels = int(np.isin(lower[ascii_letters], _VOWELS).sum())
    return plain >= 200 and plain > 2 * cjk and vowels < FEWEST_VOWELS * plain


def _oddly_placed(codes: Integers, letters: Flags, signs: Flags) -> int:
    """Signs beside a letter, and capitals right behind a small letter where one has an accent."""
    beside = np.zeros(len(codes), bool)
    beside[1:] |= letters[:-1]
    beside[:-1] |= letters[1:]
    capital = letters & ((codes & 0x20) == 0)
    small = letters & ~capital
    foreign = codes > 0x7F
    turned = small[:-1] & capital[1:] & (foreign[:-1] | foreign[1:])
    return int((signs & beside).sum() + turned.sum())


def _mostly_odd_words(text: str) -> bool:
    """Whether much of the text is in words with accents and, between their letters, signs."""
    words = [word for word in text.split() if any(map(str.isalpha, word))]
    odd = sum(len(word) for word in words if _is_odd_word(word))
    return odd >= FEWEST_IN_ODD_WORDS and odd > MOST_IN_ODD_WORDS * sum(map(len, words))


def _is_odd_word(word: str) -> bool:
    if word.isascii() or not any(ord(letter) in _ACCENTED_SET for letter in word):
        return False
    return any(not sign.isalnum() and sign not in _INSIDE_WORDS for sign in word[1:-1])


def _of_one_row(codes: Integers) -> int:
    """How many ideographs stand in runs of three and more whose codes differ in the last byte only,
    and there as Western letters do. In Chinese texts that is never more than a fiftieth."""
    inked = codes[(codes != SPACE) & (codes != LINE_END)]
    last = inked & 0xFF
    is_one = (inked >= 0x4E00) & (inked < 0xA000) & (last > SPACE) & (last < 0x7F)
    same = is_one[1:] & is_one[:-1] & (inked[1:] >> 8 == inked[:-1] >> 8)
    middle = same[1:] & same[:-1]
    in_run = np.zeros(len(inked), bool)
    for shift in range(3):
        in_run[shift : shift + len(middle)] |= middle
    return int(in_run.sum())


def _far_off(codes: Integers) -> int:
    """How many letters stand in blocks that hardly any paper uses, if several such blocks occur."""
    far = codes[((codes >= 0x180) & (codes < 0x2B0)) | ((codes >= 0x500) & (codes < 0x590))]
    farther = codes[((codes >= 0x700) & (codes < 0x900)) | ((codes >= 0x1200) & (codes < 0x1E00))]
    both = np.concatenate((far, farther))
    return len(both) if len(both) >= 15 and len(np.unique(both >> 7)) >= 3 else 0
