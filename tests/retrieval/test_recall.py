"""How the two legs of a query become one ranking."""

from retrieval.bm25 import Hit
from retrieval.planning import Query
from retrieval.recall import QueryRecall, fused_legs
from retrieval.vectors import VectorHit

QUERY = Query("need", 1.0, "user")
NEAR = (VectorHit(1, 0.9), VectorHit(2, 0.8), VectorHit(3, 0.7))


def test_a_chance_hit_of_another_language_never_outranks_meaning() -> None:
    stray = Hit(chunk=9, score=12.0, share=0.15)
    found = QueryRecall(QUERY, (stray, Hit(3, 11.0, 0.1)), NEAR)

    assert fused_legs(found) == [1, 2, 3]
    assert found.strays == (stray, Hit(3, 11.0, 0.1))
    assert found.trace().stray_keywords == 2


def test_a_hit_that_holds_the_whole_query_weighs_as_much_as_a_near_vector() -> None:
    found = QueryRecall(QUERY, (Hit(3, 12.0, 1.0),), NEAR)

    assert fused_legs(found)[0] == 3


def test_a_hit_that_holds_more_of_the_query_weighs_more() -> None:
    much = QueryRecall(QUERY, (Hit(9, 12.0, 0.9),), NEAR)
    little = QueryRecall(QUERY, (Hit(9, 12.0, 0.3),), NEAR)

    assert fused_legs(much).index(9) <= fused_legs(little).index(9)
    assert fused_legs(little)[-1] == 9


def test_keywords_alone_keep_every_hit() -> None:
    found = QueryRecall(QUERY, (Hit(9, 12.0, 0.1), Hit(3, 2.0, 0.05)), (), alone=True)

    assert fused_legs(found) == [9, 3]
    assert found.strays == ()
