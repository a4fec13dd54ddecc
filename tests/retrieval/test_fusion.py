import pytest

from retrieval.fusion import K_OVER_QUERIES, K_WITHIN_QUERY, fuse


def test_the_constants_are_those_of_the_design() -> None:
    assert (K_WITHIN_QUERY, K_OVER_QUERIES) == (60, 50)


def test_scores_are_sums_of_reciprocal_ranks_from_one() -> None:
    fused = dict(fuse([[10, 20], [20, 30]], k=60))

    assert fused == pytest.approx({10: 1 / 61, 20: 1 / 62 + 1 / 61, 30: 1 / 62})


def test_weights_count_over_queries() -> None:
    fused = fuse([[1, 2], [2, 1]], k=50, weights=[1.0, 0.5])

    assert fused == [(1, pytest.approx(1 / 51 + 0.5 / 52)), (2, pytest.approx(1 / 52 + 0.5 / 51))]


def test_ties_go_to_the_better_rank_then_to_the_smaller_id() -> None:
    assert [each for each, _ in fuse([[5], [3]], k=60)] == [3, 5]


@pytest.mark.parametrize("rankings", [[], [[]], [[], []]])
def test_nothing_fuses_to_nothing(rankings: list[list[int]]) -> None:
    assert fuse(rankings, k=60) == []
