"""What a refusal says: the question, and the names in it that no paper has."""

import pytest
from django.utils import timezone

from tests.chat.libraries import Library
from tests.chat.test_answering import plain
from tests.retrieval.papers import add_paper


@pytest.mark.parametrize(
    ("question", "says"),
    [
        (
            "Do buyers in Kurdistn pay a premium to sellers with a good reputation?",
            "No paper here mentions “Kurdistn”. Check the spelling, or ask without it.",
        ),
        (
            "Do buyers in Japan and Peru pay a premium to sellers with a good reputation in 1987?",
            "No paper here mentions “Japan”, “Peru”, “1987”. Check the spelling",
        ),
        (
            "1987 年 XPVQ 品种的蓝莓花青素含量是多少？",
            "本项目的论文都没有提到“1987”、“XPVQ”。请检查写法，或去掉它再提问。",
        ),
    ],
)
def test_names_and_numbers_that_no_paper_has_are_told(
    library: Library, question: str, says: str
) -> None:
    run = library.ask(question)
    assert run.outcome == "not_found"
    assert question in plain(run)
    assert says in plain(run)


def test_a_name_that_some_paper_has_is_not_blamed(library: Library) -> None:
    text = "The ferry to the town of Vard-\nlund leaves twice a day in the summer months."
    add_paper(library.project, "Ferries", [("text", "Traffic", text)])
    add_paper(library.project, "Peruvian ferries", [("text", "Traffic", "Kurdistan has none.")])
    question = (
        "Which convolutional network segments brain tumours best in Vardlund, Peru and Kurdistn?"
    )
    told = plain(library.ask(question))
    assert "mentions “Kurdistn”." in told
    assert "“Vardlund”" not in told


def test_a_question_without_names_says_nothing_of_names(library: Library) -> None:
    run = library.ask("Which convolutional network segments brain tumours best?")
    assert "mentions" not in plain(run)


def test_an_empty_library_blames_no_name(library: Library) -> None:
    library.project.documents.update(removed_at=timezone.now())
    run = library.ask("Do buyers in Kurdistn pay a premium?")
    assert run.outcome == "not_found"
    assert "mentions" not in plain(run)
