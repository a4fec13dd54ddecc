"""Keyword tokens: the same code for the text of papers and for what people type."""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from snowballstemmer import stemmer

from documents.chinese_words import chinese_words

TOKENIZER = 1
"""Edition of what this module returns. Terms of an older one are made anew in the background."""

HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0003134f"
OTHER_UNSPACED = "\u3040-\u30ff\u31f0-\u31ff\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Scripts without spaces between words, beside Han: kana, Thai, Lao, Burmese, Khmer."""


def _listed(words: str) -> list[str]:
    return words.split()


GREEK = dict(
    zip(
        "αβγδεζηθικλμνξοπρστυφχψωςϑϕϵ",
        _listed(
            "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi"
            " rho sigma tau upsilon phi chi psi omega sigma theta phi epsilon"
        ),
        strict=True,
    )
)
LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i"}
)
SIGNS = str.maketrans(
    {
        "\u00ad": None,  # soft hyphen
        "\u200b": None,
        "\u200c": None,
        "\u200d": None,
        "\u2060": None,
        "\ufeff": None,
        "\u0002": "-",  # PDFium's and PyMuPDF's mark of a line-end hyphen
        "‐": "-",
        "‑": "-",
        "‒": "-",
        "–": "-",
        "−": "-",
        "’": "'",
        "ʼ": "'",
        "≤": "<=",
        "≥": ">=",
    }
)
STOP_WORDS = frozenset(
    _listed("""
    a about also an and are as at be been being but by can could did do does for from had has
    have how if in into is it its may might no nor not of on or our should so such than that
    the their them then there these they this those to was we were what when where which whom
    whose why will with would you your i he she his her me my
    """)
)
CHINESE_STOP_WORDS = frozenset(
    _listed("""
    的 了 在 是 和 与 及 或 也 都 而 对 从 为 以 于 被 把 将 其 该 这 那 之 吗 呢 吧 啊 什么 怎么
    如何 哪些 哪个 哪 为什么 多少 是否 以及 这个 那个 这些 那些 我们 他们
    """)
)

BROKEN = "\u2027"
"""Stands for a hyphen at a line end, which may belong to the word or not."""
SHORT_PART = 3

_BEFORE = rf"(?<![^\W_{HAN}{OTHER_UNSPACED}])"
_AFTER = rf"(?![^\W_{HAN}{OTHER_UNSPACED}])"
_LINE_END_HYPHEN = re.compile(r"(?<=\w)-[^\S\n]*\n\s*(?=\w)")
_HAN_LINE_END = re.compile(rf"(?<=[{HAN}{OTHER_UNSPACED}])[^\S\n]*\n\s*(?=[{HAN}{OTHER_UNSPACED}])")
_SPACED_HAN = re.compile(rf"(?<![{HAN}])[{HAN}](?: [{HAN}])+(?![{HAN}])")
_LONE_GREEK = re.compile(r"(?<![\u0370-\u03ff])[α-ωϑϕϵ](?![\u0370-\u03ff])")
_MICRO_UNIT = re.compile(r"(?<![^\W\d_])μ(?=[mglsav]\b)")
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)|\d{1,3}(?:,\d{3})+(?!\d)|\d+"
_WORD = rf"[^\W_{HAN}{OTHER_UNSPACED}]+(?:'[^\W\d_{HAN}{OTHER_UNSPACED}]+)*"
_PIECE = re.compile(
    rf"(?P<han>[{HAN}]+)"
    rf"|(?P<unspaced>[{OTHER_UNSPACED}]+)"
    rf"|(?P<relation>{_BEFORE}[a-z]{{1,3}}\s?(?:<=|>=|[<>=])\s?(?:{_NUMBER}){_AFTER})"
    rf"|(?P<percent>{_BEFORE}(?:{_NUMBER})\s?[%‰])"
    rf"|(?P<amount>{_BEFORE}(?:{_NUMBER})(?:\s?(?:[kmnuc]?[mgl]|kg|mol|[mnu]mol|ml|dl|iu|mv|k?pa"
    rf"|[kmg]?hz|[kmg]b|°c)){_AFTER})"
    rf"|(?P<decimal>{_BEFORE}(?:{_NUMBER}){_AFTER})"
    rf"|(?P<compound>{_WORD}(?:[-/{BROKEN}]{_WORD})+)"
    rf"|(?P<word>{_WORD})"
)
_AMOUNT = re.compile(rf"(?P<number>{_NUMBER})\s?(?P<unit>\D+)")
_RELATION = re.compile(rf"(?P<name>[a-z]+)\s?(?P<sign>[<>=]+)\s?(?P<number>{_NUMBER})")


def keyword_tokens(text: str) -> list[str]:
    """Return the tokens of `text` in order, repeats kept.

    Case, accents, width, typographic forms and English endings are folded; Greek letters go by
    name. A compound gives its parts, and the joined form where it is a name (`il-6`: il, 6, il6) or
    the hyphen stands at a line end. A number with a sign or unit gives both (`1.5 %`: 1.5%, 1.5).
    Chinese gives dictionary words, and for the words that no dictionary has every pair of
    neighbouring characters.
    """
    return [token for piece in _PIECE.finditer(_folded(text)) for token in _tokens_of(piece)]


def _folded(text: str) -> str:
    text = unicodedata.normalize("NFKC", text.translate(SIGNS)).translate(SIGNS)
    text = _LINE_END_HYPHEN.sub(BROKEN, text)
    text = _HAN_LINE_END.sub("", text)
    text = _SPACED_HAN.sub(lambda match: match[0].replace(" ", ""), text)
    if text.isascii():
        return text.casefold()
    text = _without_accents(text.casefold()).translate(LETTERS)
    text = _MICRO_UNIT.sub("u", text)
    return _LONE_GREEK.sub(lambda match: GREEK[match[0]], text)


def _without_accents(text: str) -> str:
    apart = unicodedata.normalize("NFD", text)
    kept = "".join(letter for letter in apart if not "\u0300" <= letter <= "\u036f")
    return unicodedata.normalize("NFC", kept)


def _tokens_of(piece: re.Match[str]) -> Iterator[str]:
    text = piece[0]
    match piece.lastgroup:
        case "han":
            yield from _chinese(text)
        case "unspaced":
            yield from _pairs(text) if len(text) > 1 else (text,)
        case "percent":
            number = _number(text[:-1].rstrip())
            yield from (number + text[-1], number)
        case "amount":
            yield from _amount(text)
        case "relation":
            yield from _relation(text)
        case "decimal":
            yield _number(text)
        case "compound":
            yield from _compound(text)
        case _:
            yield from _word(text)


def _chinese(run: str) -> Iterator[str]:
    if len(run) == 1:
        if run not in CHINESE_STOP_WORDS:
            yield run
        return
    words = list(chinese_words(run))
    yield from (word for word in words if word not in CHINESE_STOP_WORDS)
    for pair in _pairs(run):
        if pair not in words and not CHINESE_STOP_WORDS & set(pair):
            yield pair


def _pairs(run: str) -> Iterator[str]:
    return (run[at : at + 2] for at in range(len(run) - 1))


def _number(digits: str) -> str:
    digits = digits.replace(",", "")
    return "0" + digits if digits.startswith(".") else digits


def _amount(text: str) -> Iterator[str]:
    match = _AMOUNT.fullmatch(text)
    assert match is not None
    number, unit = _number(match["number"]), match["unit"]
    yield from (number + unit, number, unit)


def _relation(text: str) -> Iterator[str]:
    match = _RELATION.fullmatch(text)
    assert match is not None
    number = _number(match["number"])
    yield from (match["name"] + match["sign"] + number, match["name"], number)


def _compound(text: str) -> Iterator[str]:
    for part in re.split(f"[-/{BROKEN}]", text):
        yield from _word(part)
    for compound in text.split("/"):
        parts = re.split(f"[-{BROKEN}]", compound)
        if BROKEN in compound or (len(parts) > 1 and any(map(_is_name_part, parts))):
            yield _stemmed("".join(parts))


def _is_name_part(part: str) -> bool:
    """Whether a compound of such a part is often written as one word: `il-6`, `t-cell`, `x-ray`."""
    return len(part) <= SHORT_PART or not part.isalpha()


def _word(word: str) -> Iterator[str]:
    if word not in STOP_WORDS:
        yield _stemmed(word)


_english = stemmer("english")


@lru_cache(maxsize=1 << 17)
def _stemmed(word: str) -> str:
    stem: str = _english.stemWord(word)
    return stem
