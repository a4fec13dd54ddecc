import pytest

from retrieval.planning import (
    languages_of,
    plan_by_rules,
    plan_without_model,
    with_own_words,
)


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


@pytest.mark.parametrize(
    ("need", "papers", "toward"),
    [
        ("What is a lemon?", ["en", "zh", "en"], ["zh"]),
        ("柠檬是什么？", ["en", "zh", "de", "en"], ["en"]),
        ("柠檬是什么？", ["zh"], []),
        ("What is a lemon?", ["en", "de", ""], []),
        ("What is a lemon?", [], []),
    ],
)
def test_the_need_is_carried_over_to_each_script_of_the_library_that_it_is_not_in(
    need: str, papers: list[str], toward: list[str]
) -> None:
    own, *others = plan_by_rules(need, languages_of(papers)).queries

    assert (own.text, own.toward) == (need, "")
    carried = [query for query in others if query.toward]
    assert [query.toward for query in carried] == toward
    assert all(query.text == need and query.weight < own.weight for query in carried)


def test_what_the_user_wrote_is_searched_beside_what_a_model_asks() -> None:
    plan = plan_without_model("disulfide bridge")

    asked = with_own_words(plan, " Why does it  melt later? ")

    assert [query.text for query in asked.queries] == [
        "disulfide bridge",
        "Why does it melt later?",
    ]
    assert asked.queries[1].origin == "user"
    assert with_own_words(plan, "disulfide  bridge") == plan
    assert with_own_words(plan, " ") == plan
