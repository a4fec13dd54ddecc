"""Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009), in two levels. Pure.

Ranks start at 1. Ties go to the candidate that some ranking placed higher, then to the smaller id.
"""

from collections import defaultdict
from collections.abc import Sequence

K_WITHIN_QUERY = 60
K_OVER_QUERIES = 50

Ranking = Sequence[tuple[int, float]]
"""Chunk ids, best first, none twice, each with the weight of its place."""


def evenly(candidates: Sequence[int], weight: float = 1.0) -> Ranking:
    """A ranking whose places all weigh the same."""
    return [(candidate, weight) for candidate in candidates]


def fuse(rankings: Sequence[Ranking], *, k: int) -> list[tuple[int, float]]:
    """Candidates with their fused score, best first: the sum of `weight / (k + rank)`.

    Two rankings of three candidates, worked out by hand with k = 60:
    candidate 1 has 1/61 + 1/63, candidate 2 has 1/62 + 1/61, candidate 3 stands only in the first.

    >>> fused = fuse([evenly([1, 2, 3]), evenly([2, 9, 1])], k=60)
    >>> [candidate for candidate, _ in fused]
    [2, 1, 9, 3]
    >>> [round(score, 6) for _, score in fused]
    [0.032522, 0.032266, 0.016129, 0.015873]
    """
    scores: dict[int, float] = defaultdict(float)
    best_rank: dict[int, int] = {}
    for ranking in rankings:
        for rank, (candidate, weight) in enumerate(ranking, start=1):
            scores[candidate] += weight / (k + rank)
            best_rank[candidate] = min(rank, best_rank.get(candidate, rank))
    order = sorted(scores, key=lambda each: (-scores[each], best_rank[each], each))
    return [(candidate, scores[candidate]) for candidate in order]
