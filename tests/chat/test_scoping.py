"""The papers that a question may use: chosen with it, stored with its run, kept to throughout."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from chat.answering import answer_run
from chat.forms import QuestionForm
from chat.models import Conversation, Run
from chat.scoping import paper_choices, readable_choice, show_scope
from chat.showing import show_run
from documents.models import Document
from tests.chat.libraries import Library
from tests.chat.test_answering import QUESTION, citations_of
from tests.retrieval.papers import add_paper, new_project

ANYTHING = "What do buyers pay to sellers with a good reputation?"


def url(name: str, *args: str) -> str:
    return reverse(name, args=("library", *args))


def id_of(title: str) -> str:
    return Document.objects.get(title=title).public_id


@pytest.fixture
def reader(library: Library) -> Client:
    client = Client()
    client.force_login(library.reader)
    return client


@pytest.fixture
def lemons(library: Library) -> str:
    return id_of("The market for lemons")


def asked(reader: Client, path: str, question: str, **fields: str) -> Run:
    assert reader.post(path, {"question": question, **fields}).status_code == 302
    answer_run(Run.objects.latest("pk").pk)
    return Run.objects.select_related("turn__answer", "turn__conversation").latest("pk")


def test_an_answer_cites_only_the_chosen_papers_and_says_how_many(
    library: Library, reader: Client, lemons: str
) -> None:
    everywhere = asked(reader, url("ask"), ANYTHING, scope="")
    assert {one.source.title for one in citations_of(everywhere)} > {"The market for lemons"}
    run = asked(reader, url("ask"), ANYTHING, scope=lemons)
    assert {one.source.title for one in citations_of(run)} == {"The market for lemons"}
    assert run.document_ids == [lemons]
    shown = show_run(run).scope
    assert shown is not None
    assert shown.words == "1 of 3 papers"
    assert show_run(everywhere).scope is None


def test_a_choice_stays_for_follow_ups_until_another_is_made(
    library: Library, reader: Client, lemons: str
) -> None:
    conversation = asked(reader, url("ask"), ANYTHING, scope=lemons).turn.conversation
    path = url("ask_follow_up", conversation.public_id)
    page = reader.get(url("conversation", conversation.public_id)).content.decode()
    assert f'name="scope" value="{lemons}"' in page
    assert asked(reader, path, QUESTION).document_ids == [lemons]
    assert asked(reader, path, QUESTION, scope="").document_ids == []
    conversation.refresh_from_db()
    assert conversation.document_ids == []


def test_what_was_cited_from_a_paper_outside_the_choice_is_not_carried_and_that_is_said(
    library: Library, reader: Client, lemons: str
) -> None:
    first = asked(reader, url("ask"), ANYTHING)
    path = url("ask_follow_up", first.turn.conversation.public_id)
    short = asked(reader, path, "Shorten it, keep the citations", scope=lemons)
    assert {one.source.title for one in citations_of(short)} <= {"The market for lemons"}
    reasons = {fate.get("reason") for fate in short.retention if fate["fate"] == "dropped"}
    assert "out_of_scope" in reasons


def test_a_choice_whose_papers_are_all_gone_does_not_become_everything(
    library: Library, reader: Client, lemons: str
) -> None:
    conversation = asked(reader, url("ask"), ANYTHING, scope=lemons).turn.conversation
    Document.objects.filter(public_id=lemons).update(removed_at=timezone.now())
    run = asked(reader, url("ask_follow_up", conversation.public_id), ANYTHING, scope=lemons)
    assert run.document_ids == [lemons]
    assert run.turn.answer is None or not citations_of(run)
    assert show_scope(library.project, [lemons]).words == "0 of 2 papers"


def test_papers_of_another_project_are_no_choice(library: Library, lemons: str) -> None:
    elsewhere = new_project("elsewhere")
    add_paper(elsewhere, "Not yours", [("text", "A", "A paper of another project.")])
    foreign = id_of("Not yours")
    assert readable_choice(library.project, [foreign, lemons, lemons]) == [lemons]
    form = QuestionForm({"question": "?", "scope": f"{foreign} {lemons}"}, project=library.project)
    assert form.is_valid()
    assert form.cleaned_data["scope"] == [lemons]
    choices = paper_choices(library.project, [foreign])
    assert foreign not in choices.found
    assert not paper_choices(library.project, [foreign], only=True).rows


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("", ["Reputation in online markets", "The market for lemons", "蓝莓储藏研究"]),
        ("MARKET lemon", ["The market for lemons"]),
        ("藍莓", ["蓝莓储藏研究"]),
        ("nothing of that", []),
    ],
)
def test_papers_are_found_by_their_names(library: Library, query: str, titles: list[str]) -> None:
    choices = paper_choices(library.project, [], query=query)
    assert sorted(row.title for row in choices.rows) == sorted(titles)
    assert len(choices.found) == choices.total == len(titles)


def test_the_list_marks_what_is_chosen_and_shows_it_alone(
    library: Library, reader: Client, lemons: str
) -> None:
    script = {"HX-Request": "true"}
    path = url("choose_papers")
    whole = reader.post(path, {"scope": lemons, "q": ""}, headers=script).content.decode()
    assert whole.count("<li>") == 3
    assert whole.count("checked") == 1
    only = reader.post(path, {"scope": lemons, "only": "1"}, headers=script).content.decode()
    assert only.count("<li>") == 1
    page = reader.get(path, {"paper": lemons, "q": "lemons"}).content.decode()
    assert f'action="{url("desk")}"' in page
    assert f'value="{lemons}" checked' in page


def test_a_link_may_name_papers_to_ask(library: Library, reader: Client, lemons: str) -> None:
    page = reader.get(url("desk"), {"paper": [lemons, "nonsense"]}).content.decode()
    assert f'name="scope" value="{lemons}"' in page
    assert "1 of 3 papers" in page


def test_the_choice_for_a_conversation_of_somebody_else_is_not_found(
    library: Library, reader: Client
) -> None:
    foreign = Conversation.objects.create(project=library.project, user=library.stranger)
    response = reader.get(url("choose_papers"), {"conversation": foreign.public_id})
    assert response.status_code == 404


def test_a_retried_run_keeps_its_papers(library: Library, reader: Client, lemons: str) -> None:
    reader.post(url("ask"), {"question": ANYTHING, "scope": lemons})
    run = Run.objects.get()
    reader.post(url("stop_run", run.public_id))
    reader.post(url("retry_run", run.public_id))
    assert Run.objects.latest("pk").document_ids == [lemons]


def test_whether_papers_are_read_in_full_goes_along_with_the_question_and_stays(
    library: Library, reader: Client, lemons: str
) -> None:
    conversation = asked(reader, url("ask"), ANYTHING, scope=lemons, whole="1").turn.conversation
    path = url("ask_follow_up", conversation.public_id)
    assert conversation.reads_whole
    assert asked(reader, path, QUESTION).reads_whole
    again = url("ask_beside", Run.objects.latest("pk").public_id)
    assert asked(reader, again, QUESTION).reads_whole
    assert not asked(reader, again, QUESTION, scope=lemons).reads_whole
