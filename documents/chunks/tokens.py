"""Keyword tokens: the same code for the text of papers and for what people type."""

import re
from collections.abc import Iterator
from functools import lru_cache

from snowballstemmer import stemmer

from documents.chunks.chinese_words import chinese_words
from documents.chunks.token_folding import BROKEN, GREEK, HAN, OTHER_UNSPACED, folded

TOKENIZER = 2
"""Edition of what this module returns. Terms of an older one are made anew in the background."""


def _listed(words: str) -> list[str]:
    return words.split()


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
    对于 关于 由于 因为 是因为 所以 因此 从而 从此 之一 之间 之后 之前 其他 其中 从中 与其 在于
    以后 以前 以来 以便 以致 为何 何时 何处 此外 然而 而且 并且 但是 为了 是指
    """)
)
PARTICLES = frozenset("的了是在吗呢吧啊")
"""Function words that are hardly ever part of a name, as 和, 对 or 以 are."""

SHORT_PART = 3
NAME_PARTS = frozenset(GREEK.values()) | frozenset(
    _listed("""
    anti auto counter cross hyper hypo infra inter intra macro meta micro mini mono multi nano over
    para poly post proto pseudo quasi retro semi super supra tele tetra trans ultra under
    """)
)
"""Beginnings and parts that are written with a hyphen or without."""
LONGEST = 64
"""Characters of a token: what is longer is no word."""

WEAK = "\0"
"""Stands before a pair of Chinese characters that are neighbours by chance."""
LOOSE = "\1"
"""Stands before another pair with a function word in it: hardly a name, but it may be meant."""
SHORT_RUN = 3
"""Chinese characters that somebody types on purpose, particles included."""

_BEFORE = rf"(?<![^\W_{HAN}{OTHER_UNSPACED}])"
_AFTER = rf"(?![^\W_{HAN}{OTHER_UNSPACED}])"
_NUMBER = r"(?:\d{1,3}(?:,\d{3})+|\d+)?(?:\.\d+)|\d{1,3}(?:,\d{3})+(?!\d)|\d+"
_WORD = rf"[^\W_{HAN}{OTHER_UNSPACED}]+(?:'[^\W\d_{HAN}{OTHER_UNSPACED}]+)*"
_PIECE = re.compile(
    rf"(?P<han>[{HAN}]+)"
    rf"|(?P<unspaced>[{OTHER_UNSPACED}]+)"
    rf"|(?P<relation>{_BEFORE}[a-z]{{1,3}}\d?\s?(?:<=|>=|[<>=])\s?(?:{_NUMBER}){_AFTER})"
    rf"|(?P<percent>{_BEFORE}(?:{_NUMBER})\s?[%‰])"
    rf"|(?P<amount>{_BEFORE}(?:{_NUMBER})(?:\s?(?:[kmnuc]?[mgl]|kg|mol|[mnu]mol|ml|dl|iu|mv|k?pa"
    rf"|[kmg]?hz|[kmg]b|°c|ms|min|h|k?da|k?bp|[km]?ev|[km]w|kv|kj|db|rpm|pp[mb])){_AFTER})"
    rf"|(?P<decimal>{_BEFORE}(?:{_NUMBER}){_AFTER}(?!-[a-z]))"
    rf"|(?P<compound>{_WORD}(?:[-/{BROKEN}]{_WORD})+)"
    rf"|(?P<word>{_WORD})"
)
_NUMBERED = re.compile(r"(?P<word>[a-z]{4,40})\d+")
_AMOUNT = re.compile(rf"(?P<number>{_NUMBER})\s?(?P<unit>\D+)")
_RELATION = re.compile(rf"(?P<name>[a-z]+\d?)\s?(?P<sign>[<>=]+)\s?(?P<number>{_NUMBER})")


def keyword_tokens(text: str) -> list[str]:
    """Return the tokens of `text` in order, repeats kept.

    Case, accents, width, typographic forms, English endings and the two Chinese scripts are folded;
    Greek letters go by name. A compound gives its parts, and the joined form where it is a name
    (`il-6`: il, 6, il6) or the hyphen stands at a line end. A number with a sign or unit gives both
    (`1.5 %`: 1.5%, 1.5), and a word with a number at its end the word as well. Chinese gives
    dictionary words and every other pair of neighbouring characters.
    """
    return [_unmarked(token) for token in _tokens(text)]


def query_tokens(text: str) -> list[str]:
    """The tokens of `text` to search by: `keyword_tokens` without the pairs of Chinese characters
    that are neighbours by chance, unless there is nothing else.
    """
    tokens = list(_tokens(text))
    strong = [token for token in tokens if not token.startswith(WEAK)]
    return [_unmarked(token) for token in strong or tokens]


def content_tokens(text: str) -> list[str]:
    """What a sentence is weighed by: `query_tokens` without any pair that holds a function word."""
    strong = [token for token in _tokens(text) if not token.startswith((WEAK, LOOSE))]
    return strong or query_tokens(text)


def _unmarked(token: str) -> str:
    return token.lstrip(WEAK + LOOSE)


def _tokens(text: str) -> Iterator[str]:
    for piece in _PIECE.finditer(folded(text)):
        yield from (token[:LONGEST] for token in _tokens_of(piece))


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
    words = chinese_words(run)
    yield from (word for word in words if word not in CHINESE_STOP_WORDS)
    known = frozenset(words) | CHINESE_STOP_WORDS
    for pair in _pairs(run):
        if pair not in known:
            yield (_mark(pair) if len(run) > SHORT_RUN else "") + pair


def _mark(pair: str) -> str:
    """Neighbours of which one is a particle, or both are function words, belong to no name."""
    if not PARTICLES.isdisjoint(pair) or CHINESE_STOP_WORDS.issuperset(pair):
        return WEAK
    return "" if CHINESE_STOP_WORDS.isdisjoint(pair) else LOOSE


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
    return len(part) <= SHORT_PART or not part.isalpha() or part in NAME_PARTS


def _word(word: str) -> Iterator[str]:
    if word in STOP_WORDS:
        return
    if "'" in word:
        yield from _with_apostrophe(word.removesuffix("'s"))
        return
    yield _stemmed(word[:LONGEST])
    if numbered := _NUMBERED.fullmatch(word):
        yield _stemmed(numbered["word"])


def _with_apostrophe(word: str) -> Iterator[str]:
    first, *rest = word.split("'")
    yield _stemmed("".join((first, *rest))[:LONGEST])
    if len(first) == 1:  # o'brien, l'analyse
        yield from map(_stemmed, rest)


_english = stemmer("english")


@lru_cache(maxsize=1 << 17)
def _stemmed(word: str) -> str:
    stem: str = _english.stemWord(word)
    return stem
