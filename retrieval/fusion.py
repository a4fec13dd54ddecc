"""Reciprocal rank fusion (Cormack, Clarke and Büttcher 2009), in two levels. Pure.

Ranks alone forget by how much a hit is better than the next: fused so, a good ranking is spoilt by
a worse one. A place therefore weighs by its score relative to the others of its ranking, as in
convex combination (Bruch, Gai and Ingber 2023).

Ranks start at 1. Ties go to the candidate that some ranking placed higher, then to the smaller id.
"""

from collections import defaultdict
from collections.abc import Sequence

K_WITHIN_QUERY = 60
K_OVER_QUERIES = 50

Ranking = Sequence[tuple[int, float]]
"""Chunk ids, best first, none twice, each with the weight of its place."""


def of_best(scores: Sequence[float]) -> list[float]:
    """Scores with a natural zero as shares of the best; below zero is none.

    >>> of_best([8.0, 4.0, -1.0])
    [1.0, 0.5, 0.0]
    """
    best = max(scores, default=0.0)
    return [max(0.0, score / best) if best > 0 else 1.0 for score in scores]


def of_range(scores: Sequence[float]) -> list[float]:
    """Scores without a natural zero, from 1 for the best to 0 for the least.

    >>> of_range([0.75, 0.5, 0.25])
    [1.0, 0.5, 0.0]
    >>> of_range([0.75])
    [1.0]
    """
    lowest = min(scores, default=0.0)
    width = max(scores, default=0.0) - lowest
    return [(score - lowest) / width if width > 0 else 1.0 for score in scores]


def fuse(rankings: Sequence[Ranking], *, k: int) -> list[tuple[int, float]]:
    """Candidates with their fused score, best first: the sum of `weight / (k + rank)`.

    Two rankings worked out by hand with k = 60: candidate 1 has 1/61 + .5/63, candidate 2 has
    .8/62 + 1/61, candidate 3 stands only in the second.

    >>> fused = fuse([[(1, 1.0), (2, 0.8)], [(2, 1.0), (3, 0.9), (1, 0.5)]], k=60)
    >>> [candidate for candidate, _ in fused]
    [2, 1, 3]
    >>> [round(score, 6) for _, score in fused]
    [0.029297, 0.02433, 0.014516]
    """
    scores: dict[int, float] = defaultdict(float)
    best_rank: dict[int, int] = {}
    for ranking in rankings:
        for rank, (candidate, weight) in enumerate(ranking, start=1):
            scores[candidate] += weight / (k + rank)
            best_rank[candidate] = min(rank, best_rank.get(candidate, rank))
    order = sorted(scores, key=lambda each: (-scores[each], best_rank[each], each))
    return [(candidate, scores[candidate]) for candidate in order]
