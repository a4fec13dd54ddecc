"""The way of working is chosen with a question, shown at its turn, and kept when asked anew."""

import pytest
from django.test import Client
from django.urls import reverse

from chat.models import Run
from chat.showing import show_run
from chat.skill_choices import skill_choices
from chat.skills.built_in import ORDER, REWRITE
from tests.chat.libraries import Library
from tests.chat.test_answering import QUESTION


def url(name: str, *args: str) -> str:
    return reverse(name, args=("library", *args))


@pytest.fixture
def reader(library: Library) -> Client:
    client = Client()
    client.force_login(library.reader)
    return client


def test_a_first_question_can_be_no_rewrite(library: Library) -> None:
    first = skill_choices(library.project, follow_up=False)
    assert [choice.name for choice in first] == [name for name in ORDER if name != REWRITE]
    later = skill_choices(library.project, follow_up=True, chosen="no such thing")
    assert [choice.name for choice in later] == list(ORDER)
    assert [choice.name for choice in later if choice.is_chosen] == ["question"]


def test_what_is_chosen_goes_along_and_is_kept_once_more(library: Library, reader: Client) -> None:
    reader.post(url("ask"), {"question": QUESTION, "skill": "review"})
    run = Run.objects.get()
    assert run.skill == "review"
    assert show_run(run).skill == "Review"
    Run.objects.update(state="stopped")
    reader.post(url("retry_run", run.public_id))
    assert Run.objects.latest("pk").skill == "review"
    Run.objects.update(state="done")
    again = {"question": QUESTION, "skill": "brief"}
    reader.post(url("ask_beside", run.public_id), again)
    assert Run.objects.latest("pk").skill == "review"
    Run.objects.update(state="done")
    reader.post(url("ask_follow_up", run.turn.conversation.public_id), {"question": QUESTION})
    assert Run.objects.latest("pk").skill == "question"
    assert show_run(Run.objects.latest("pk")).skill == ""


def test_what_the_project_does_not_offer_is_refused_in_words(
    library: Library, reader: Client
) -> None:
    answer = reader.post(url("ask"), {"question": QUESTION, "skill": "../review"})
    assert answer.status_code == 422
    assert "does not offer this way of working" in answer.content.decode()
    assert not Run.objects.exists()


def test_ways_of_working_are_named_in_the_readers_language(
    library: Library, reader: Client
) -> None:
    page = reader.get(url("desk"), headers={"Accept-Language": "zh-Hans"}).content.decode()
    assert "综述" in page
    assert 'value="review"' in page


def test_what_the_checks_found_is_shown_below_the_answer(library: Library, reader: Client) -> None:
    run = library.ask(QUESTION)
    found = [
        {"name": "at-most-words", "passed": False, "found": [900], "bound": 600},
        {"name": "paragraphs-cited", "passed": True, "found": [], "bound": 0},
        {"name": "papers-cited", "passed": False, "found": ["<b>Lemons</b>"], "bound": 0},
        {"name": "of another day", "passed": True},
    ]
    Run.objects.filter(pk=run.pk).update(trace=run.trace | {"checks": found})
    run.refresh_from_db()
    assert [check.passed for check in show_run(run).checks] == [False, True, False]
    page = reader.get(url("turn", run.public_id)).content.decode()
    assert "900 words, at most 600" in page
    assert "&lt;b&gt;Lemons" in page
