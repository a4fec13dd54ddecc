import pytest

from retrieval.planning import plan_without_model


@pytest.mark.parametrize(
    ("need", "terms"),
    [
        ("What do the papers say about disulfide bridges?", "disulfide bridges"),
        ("请介绍一下注意力机制在图像分割中的优点是什么？", "注意力机制在图像分割中"),
    ],
)
def test_a_question_also_searches_its_key_terms(need: str, terms: str) -> None:
    own, key = plan_without_model(need).queries

    assert own.text == need
    assert own.origin == "user"
    assert terms in key.text
    assert key.weight < own.weight


@pytest.mark.parametrize("need", ["disulfide bridge", "为什么？", "", "  PET   hydrolase "])
def test_bare_words_are_the_only_query(need: str) -> None:
    [own] = plan_without_model(need).queries

    assert own.text == " ".join(need.split())
