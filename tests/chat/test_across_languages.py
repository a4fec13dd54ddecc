"""A question finds papers in another language though it shares no word with them."""

import numpy as np
import pytest

from documents.pages.language_shift import toward
from documents.pages.languages import is_han
from documents.vectors.embedding import embed_passages, embed_query
from tests.chat.libraries import Library
from tests.chat.test_answering import citations_of
from tests.retrieval.papers import add_paper

HEATWAVES = "Marine heatwaves have become more frequent since the nineteen eighties."
OTHERS = [
    "The survey was answered by four hundred nurses in three hospitals.",
    "District heating networks lose a fifth of their energy in summer.",
    "Interest rates were raised twice during the second half of the year.",
    "Garlic mustard suppresses native tree seedlings by disrupting their mycorrhizal fungi.",
    "The telescope observes pulsars in the northern sky every night.",
    "Elephants raid maize fields at the edge of the national park.",
    "Poems written by the model were judged by six hundred readers.",
    "The enzyme is inhibited selectively by a new phosphinic peptide.",
    "Crayfish of Australia are threatened by warmer and drier streams.",
    "The leak was localised by the wave of negative pressure that it sends out.",
    "Patients with cirrhosis had higher bilirubin than healthy controls.",
    "Households keep a buffer of savings against uncertain income.",
    "Pedestrians crossed the road more slowly when it was raining.",
    "The committee adopted the report without a vote in December.",
    "Ticket prices rose faster than wages in most of the cities.",
    "Bees visit white flowers less often than blue ones in the shade.",
]
QUESTION = "海洋热浪是不是越来越频繁？"


@pytest.fixture
def mixed(library: Library) -> Library:
    """The library with an English paper on many things."""
    paragraphs = [("text", f"Section {n}", text) for n, text in enumerate([HEATWAVES, *OTHERS])]
    add_paper(library.project, "Collected findings", paragraphs)
    library.project.documents.filter(title="Collected findings").update(language="en")
    library.project.documents.filter(title__contains="蓝莓").update(language="zh")
    return library


@pytest.mark.django_db
def test_a_vector_carried_over_finds_the_other_language_first() -> None:
    chinese = [
        "该软件可以安装在各种计算机上。",
        "这条法律自去年一月起施行。",
        "城市人口在十年内翻了一番。",
    ]
    passages = embed_passages([HEATWAVES, *OTHERS[:6], *chinese])
    moved = toward(embed_query(QUESTION), QUESTION, "en")
    assert int(np.argmax(passages @ moved)) == 0
    assert abs(float(np.linalg.norm(moved)) - 1) < 1e-5


@pytest.mark.parametrize(("text", "language"), [(QUESTION, "zh"), ("What is a lemon?", "en")])
def test_a_vector_of_the_same_language_stays_as_it_is(text: str, language: str) -> None:
    vector = embed_query(text)
    assert toward(vector, text, language) is vector


@pytest.mark.parametrize(
    ("text", "chinese"),
    [("使用 BERT 模型", True), ("the 中 sign in English text", False), ("12 %", False)],
)
def test_a_fifth_of_the_letters_makes_a_text_chinese(text: str, chinese: bool) -> None:
    assert is_han(text) is chinese


def test_a_chinese_question_is_answered_from_an_english_paper(mixed: Library) -> None:
    run = mixed.ask(QUESTION)
    assert run.outcome == "answered"
    assert citations_of(run)[0].quote == HEATWAVES
    languages = [search["language"] for search in run.trace["searches"]]
    assert languages == ["", "en"]


def test_a_chinese_question_that_no_paper_answers_is_not_found(mixed: Library) -> None:
    assert mixed.ask("怎样用量子纠错码保护拓扑绝缘体中的信息？").outcome == "not_found"
