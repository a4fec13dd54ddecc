"""Measures of a ranking against the relevant ones, each 0 to 1. Pure. Ranks start at 1."""

import math
from collections.abc import Collection, Sequence
from typing import TypeVar

Item = TypeVar("Item", int, str)


def ndcg(ranking: Sequence[Item], relevant: Collection[Item], depth: int) -> float:
    """Normalised discounted cumulative gain (Järvelin and Kekäläinen 2002), relevant or not.

    One of two relevant ones at rank 2: (1/log2 3) / (1/log2 2 + 1/log2 3) = .6309 / 1.6309.

    >>> round(ndcg(["x", "a"], {"a", "b"}, 10), 4)
    0.3869
    """
    gain = sum(
        1 / math.log2(rank + 1)
        for rank, each in enumerate(ranking[:depth], start=1)
        if each in relevant
    )
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(relevant), depth) + 1))
    return gain / best if best else 0.0


def recall(ranking: Sequence[Item], relevant: Collection[Item], depth: int) -> float:
    """The share of the relevant ones that stand among the first `depth`.

    >>> recall(["x", "a"], {"a", "b"}, 10)
    0.5
    """
    return len(set(ranking[:depth]) & set(relevant)) / len(relevant) if relevant else 0.0


def reciprocal_rank(ranking: Sequence[Item], relevant: Collection[Item]) -> float:
    """One over the rank of the first relevant one, 0 if there is none.

    >>> reciprocal_rank(["x", "a"], {"a", "b"})
    0.5
    """
    for rank, each in enumerate(ranking, start=1):
        if each in relevant:
            return 1 / rank
    return 0.0
