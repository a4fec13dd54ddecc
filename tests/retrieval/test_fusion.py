import pytest

from retrieval.fusion import K_OVER_QUERIES, K_WITHIN_QUERY, Ranking, fuse


def evenly(*candidates: int, weight: float = 1.0) -> Ranking:
    return [(candidate, weight) for candidate in candidates]


def test_the_constants_are_those_of_the_design() -> None:
    assert (K_WITHIN_QUERY, K_OVER_QUERIES) == (60, 50)


def test_scores_are_sums_of_reciprocal_ranks_from_one() -> None:
    fused = dict(fuse([evenly(10, 20), evenly(20, 30)], k=60))

    assert fused == pytest.approx({10: 1 / 61, 20: 1 / 62 + 1 / 61, 30: 1 / 62})


def test_weights_count_over_queries() -> None:
    fused = fuse([evenly(1, 2), evenly(2, 1, weight=0.5)], k=50)

    assert [candidate for candidate, _ in fused] == [1, 2]
    assert dict(fused) == pytest.approx({1: 1 / 51 + 0.5 / 52, 2: 1 / 52 + 0.5 / 51})


def test_ties_go_to_the_better_rank_then_to_the_smaller_id() -> None:
    assert [each for each, _ in fuse([evenly(5), evenly(3)], k=60)] == [3, 5]


def test_a_place_counts_by_its_own_weight() -> None:
    fused = fuse([[(1, 0.04), (2, 1.0)], evenly(2, 1)], k=60)

    assert [candidate for candidate, _ in fused] == [2, 1]
    assert dict(fused) == pytest.approx({2: 1 / 62 + 1 / 61, 1: 0.04 / 61 + 1 / 62})


@pytest.mark.parametrize("rankings", [[], [[]], [[], []]])
def test_nothing_fuses_to_nothing(rankings: list[list[tuple[int, float]]]) -> None:
    assert fuse(rankings, k=60) == []
