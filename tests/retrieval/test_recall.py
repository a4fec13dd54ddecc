"""How the two legs of a query become one ranking."""

import pytest

from retrieval.bm25 import Hit
from retrieval.planning import Query
from retrieval.recall import QueryRecall, fused_legs
from retrieval.vectors import VectorHit

QUERY = Query("need", 1.0, "user")
NEAR = (VectorHit(1, 0.9), VectorHit(2, 0.8), VectorHit(3, 0.7))


def chunks(found: QueryRecall) -> list[int]:
    return [chunk for chunk, _ in fused_legs(found)]


def test_a_chance_hit_of_another_language_never_outranks_meaning() -> None:
    stray = Hit(chunk=9, score=12.0, share=0.15)
    found = QueryRecall(QUERY, (stray, Hit(3, 11.0, 0.1)), NEAR)

    assert chunks(found) == [1, 2, 3]
    assert found.strays == (stray, Hit(3, 11.0, 0.1))
    assert found.trace().stray_keywords == 2


def test_the_one_keyword_hit_goes_before_the_nearest_vector() -> None:
    found = QueryRecall(QUERY, (Hit(3, 12.0, 1.0),), NEAR)

    assert chunks(found)[0] == 3


def test_a_hit_weighs_by_its_score_and_not_by_its_place_alone() -> None:
    far_ahead = (Hit(8, 20.0, 0.9), Hit(9, 2.0, 0.3))
    close_behind = (Hit(8, 20.0, 0.9), Hit(9, 19.0, 0.9))

    assert chunks(QueryRecall(QUERY, far_ahead, NEAR)) == [8, 1, 2, 9, 3]
    assert chunks(QueryRecall(QUERY, close_behind, NEAR)) == [8, 9, 1, 2, 3]


def test_the_best_of_both_legs_has_the_weight_of_its_query() -> None:
    query = Query("need", 0.8, "user")
    found = QueryRecall(query, (Hit(1, 12.0, 1.0),), NEAR)

    assert fused_legs(found)[0] == pytest.approx((1, 0.8))


def test_no_near_chunk_is_lost_however_alike_they_are() -> None:
    alike = tuple(VectorHit(chunk, 0.8) for chunk in (1, 2, 3))

    assert chunks(QueryRecall(QUERY, (), alike)) == [1, 2, 3]
    assert chunks(QueryRecall(QUERY, (), NEAR)) == [1, 2, 3]


def test_keywords_alone_keep_every_hit() -> None:
    found = QueryRecall(QUERY, (Hit(9, 12.0, 0.1), Hit(3, 2.0, 0.05)), (), alone=True)

    assert chunks(found) == [9, 3]
    assert found.strays == ()
