"""Terms that mean the same in one library: an acronym and its words, one name in two scripts.

People add them, out of what the papers themselves introduce as `tip-speed ratio (TSR)` or from
what they know. A question that holds one of the two is searched by the tokens of both. Only what
somebody added counts: all acronyms of all papers at once made rankings worse (nDCG@10 by .01-.02).
"""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from documents.chunks.token_folding import folded
from documents.chunks.tokens import keyword_tokens, query_tokens

LONGEST_ACRONYM = 10
FEWEST_CAPITALS = 2
_IN_BRACKETS = re.compile(r"[(\uff08]([^()\s\uff08\uff09]{2,12})[)\uff09]")
_WORDS_BEFORE = 200
"""Characters in front of a bracket in which its words are looked for."""
_JOINTS = re.compile(r"[-\u2027/]|\s+")


@dataclass(frozen=True, slots=True)
class TermPair:
    term: str
    meaning: str


def tokens_with_terms(text: str, pairs: Iterable[TermPair]) -> list[str]:
    """The tokens to search by for `text`, and those of the other half of each pair it names."""
    tokens = query_tokens(text)
    plain = _plain(text)
    for pair in pairs:
        has_term, has_meaning = _holds(plain, pair.term), _holds(plain, pair.meaning)
        if has_term != has_meaning:
            other = pair.meaning if has_term else pair.term
            known = frozenset(tokens)
            tokens += [token for token in keyword_tokens(other) if token not in known]
    return tokens


def _holds(plain: str, words: str) -> bool:
    wanted = _plain(words)
    if not wanted or wanted not in plain:
        return False
    whole = r"(?<![a-z0-9])" + re.escape(wanted) + r"(?![a-z0-9])"
    return bool(re.search(whole, plain))


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    return _JOINTS.sub(" ", folded(text)).strip()


def introduced_terms(texts: Iterable[str], *, known: Collection[str] = ()) -> list[TermPair]:
    """Acronyms that the texts introduce and the words they stand for, the most frequent first.

    None of the `known` terms. Where texts differ in the words, the most frequent ones.
    """
    counts = Counter(pair for text in texts for pair in _introduced(text))
    best: dict[str, TermPair] = {}
    for pair, _ in sorted(counts.items(), key=lambda each: (-each[1], each[0].term)):
        best.setdefault(pair.term, pair)
    return [pair for pair in best.values() if pair.term not in known]


def _introduced(text: str) -> Iterator[TermPair]:
    for match in _IN_BRACKETS.finditer(text):
        term = match[1]
        if len(term) > LONGEST_ACRONYM or sum(map(str.isupper, term)) < FEWEST_CAPITALS:
            continue
        words = " ".join(text[max(0, match.start() - _WORDS_BEFORE) : match.start()].split())
        most = min(len(term) + 5, 2 * len(term))
        if meaning := _words_for(term, " ".join(words.split(" ")[-most:])):
            yield TermPair(term, meaning)


def _words_for(term: str, words: str) -> str:
    """The shortest end of `words` that has the signs of `term` in order and begins a word with the
    first (Schwartz and Hearst 2003); empty if there is none.

    >>> _words_for("TSR", "depends on the tip-speed ratio")
    'tip-speed ratio'
    """
    signs = [sign for sign in term.casefold() if sign.isalnum()]
    lower = words.casefold()
    if len(lower) != len(words):
        return ""
    at = len(words)
    for number, sign in reversed(list(enumerate(signs))):
        at = lower.rfind(sign, 0, at)
        while number == 0 and at > 0 and lower[at - 1].isalnum():
            at = lower.rfind(sign, 0, at)
        if at < 0:
            return ""
    return words[at:] if len(words) - at > len(term) else ""
