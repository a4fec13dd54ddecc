"""How well sentences answer a question, without a language model; and whether well enough. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from chat.quotable import Quotable

Similarity = Callable[[str, Sequence[str]], Sequence[float]]
"""How near sentences come to a question: 0 as unrelated texts do, 1 as plain answers do.

All 0 where no embedder can tell.
"""
Tokens = Callable[[str], Sequence[str]]
Weights = Callable[[Sequence[str]], Sequence[float]]
"""The idf of keyword tokens in the library; a token that it never uses weighs most."""

MOST_COMPARED = 48
"""Sentences whose meaning is compared: the embedder takes some milliseconds for each."""
COVERAGE_SHARE = 1.33
"""What full coverage adds to the nearness, which spans hardly more than 1.2 in practice."""


@dataclass(frozen=True, slots=True)
class Scored:
    """`coverage` is the share of the question's idf that the sentence has."""

    sentence: Quotable
    coverage: float
    nearness: float

    @property
    def score(self) -> float:
        return self.nearness + COVERAGE_SHARE * self.coverage


@dataclass(frozen=True, slots=True)
class Measures:
    similarity: Similarity
    tokens: Tokens
    weights: Weights


def scored(question: str, sentences: Sequence[Quotable], measures: Measures) -> list[Scored]:
    """The sentences most worth a look with their scores, best first."""
    wanted = _weighted_tokens(question, measures)
    coverages = [_coverage(wanted, set(measures.tokens(each.text))) for each in sentences]
    order = sorted(range(len(sentences)), key=lambda at: (-coverages[at], at))
    compared = _spread(order, sentences)
    nearness = measures.similarity(question, [sentences[at].text for at in compared])
    found = [
        Scored(sentences[at], coverages[at], near)
        for at, near in zip(compared, nearness, strict=True)
    ]
    return sorted(found, key=lambda each: (-each.score, each.sentence.number, each.sentence.order))


def _weighted_tokens(question: str, measures: Measures) -> dict[str, float]:
    tokens = list(dict.fromkeys(measures.tokens(question)))
    return dict(zip(tokens, measures.weights(tokens), strict=True))


def _coverage(wanted: Mapping[str, float], present: set[str]) -> float:
    total = sum(wanted.values())
    return sum(idf for token, idf in wanted.items() if token in present) / total if total else 0.0


def _spread(order: Sequence[int], sentences: Sequence[Quotable]) -> list[int]:
    """Half by coverage, half from the best passages: across languages no word is shared."""
    taken = dict.fromkeys(order[: MOST_COMPARED // 2])
    best_first = sorted(order, key=lambda at: (sentences[at].number, sentences[at].order))
    taken.update(dict.fromkeys(best_first))
    return list(taken)[:MOST_COMPARED]
