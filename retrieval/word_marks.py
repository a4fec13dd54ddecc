"""Where the words of a query stand in a text, told by the tokens that find it. Pure.

A word is marked only if its own keyword tokens, made by the code that made those of the index, are
among the query's. So a marked word really is one that was looked for, whatever its ending, case or
script; a passage found by its meaning alone has none.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache

from documents.chunks import tokens
from documents.chunks.token_folding import HAN, OTHER_UNSPACED, folded
from retrieval.library_terms import TermPair, tokens_with_terms

Stretch = tuple[int, int]
"""Start and end as code points."""

_UNSPACED = rf"[{HAN}{OTHER_UNSPACED}]"
_LETTER = rf"[^\W_{HAN}{OTHER_UNSPACED}]"
_HYPHENS = "-\u2010\u2011\u2012\u2013\u2212/"
_LINE_END = r"[-\u2010\u00ad][^\S\n]*\n\s*"
_RUN = re.compile(rf"{_UNSPACED}(?:\s*\n\s*(?={_UNSPACED})|{_UNSPACED})*")
_COMPOUND = re.compile(
    rf"(?:\d[\d.,]*\d|{_LETTER})"
    rf"(?:[.,'’](?=\d)|{_LETTER}|\u00ad|(?:{_LINE_END}|[{_HYPHENS}])(?={_LETTER}))*"
)
_WORD = re.compile(rf"\d+(?:[.,]\d+)+|{_LETTER}+")
_ALL_UNSPACED = re.compile(rf"{_UNSPACED}+")


def query_tokens(query: str, terms: Iterable[TermPair] = ()) -> frozenset[str]:
    """What a word must have one of to be marked; `terms` are those of the library."""
    return frozenset(tokens_with_terms(query, terms))


def marked_words(text: str, wanted: Collection[str]) -> list[Stretch]:
    """The stretches of `text` whose tokens are among `wanted`, in order, none overlapping.

    >>> text = "Reputations of sellers: seller-\\nspecific premia."
    >>> [text[start:end] for start, end in marked_words(text, query_tokens("seller reputation"))]
    ['Reputations', 'sellers', 'seller']
    """
    if not wanted:
        return []
    return _joined(sorted({*_spaced(text, wanted), *_unspaced(text, wanted)}))


def _spaced(text: str, wanted: Collection[str]) -> Iterator[Stretch]:
    """Words, and whole compounds where only their joined form was looked for: `IL-6` for `il6`."""
    for compound in _COMPOUND.finditer(text):
        parts = list(_WORD.finditer(compound[0]))
        hits = [part for part in parts if not _tokens(part[0]).isdisjoint(wanted)]
        if len(hits) == len(parts) or _is_joined_form(compound[0], parts, wanted):
            yield compound.span()
            continue
        for part in hits:
            yield compound.start() + part.start(), compound.start() + part.end()


def _is_joined_form(compound: str, parts: Sequence[re.Match[str]], wanted: Collection[str]) -> bool:
    own = _tokens(compound).difference(*(_tokens(part[0]) for part in parts))
    return len(parts) > 1 and not own.isdisjoint(wanted)


def _unspaced(text: str, wanted: Collection[str]) -> Iterator[Stretch]:
    """Wanted words of scripts without spaces, also where a line end cuts them."""
    looked_for = [token for token in wanted if _ALL_UNSPACED.fullmatch(token)]
    if not looked_for:
        return
    for run in _RUN.finditer(text):
        at = [run.start() + place for place, sign in enumerate(run[0]) if not sign.isspace()]
        letters = "".join(_letter(text[place]) for place in at)
        for token in looked_for:
            found = letters.find(token)
            while found >= 0:
                yield at[found], at[found + len(token) - 1] + 1
                found = letters.find(token, found + 1)


@lru_cache(maxsize=1 << 15)
def _letter(sign: str) -> str:
    """One letter as the tokens write it, so that other forms of it meet."""
    letter = folded(sign)
    return letter if len(letter) == 1 else sign


@lru_cache(maxsize=1 << 16)
def _tokens(word: str) -> frozenset[str]:
    return frozenset(tokens.keyword_tokens(word))


def _joined(stretches: Iterable[Stretch]) -> list[Stretch]:
    """Overlapping and touching stretches as one."""
    joined: list[Stretch] = []
    for start, end in stretches:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined


def best_window(text: str, marks: Iterable[Stretch], starts: Iterable[int], *, length: int) -> int:
    """Of the offsets `starts`, the first from which `length` code points show most marked words.

    Different words count before more of the same.
    """
    stretches = list(marks)

    def worth(start: int) -> tuple[int, int]:
        seen = [text[a:b].casefold() for a, b in stretches if start <= a and b <= start + length]
        return len(set(seen)), len(seen)

    return max(sorted(starts), key=lambda start: (*worth(start), -start), default=0)
