"""Branches: what stands stays, what is shown is what a model hears, and nothing leaks across."""

import pytest
from django.test import Client
from django.urls import reverse

from chat.answering import answer_run
from chat.asking import begin_run
from chat.branches import show_branch, turns_before
from chat.evidence_book import EvidenceBook
from chat.history import prepare_history
from chat.models import Conversation, Run, Turn
from chat.showing import show_turns
from chat.tree import Tree
from citations.models import Answer
from llm.scripted import Says
from retrieval.scope import project_scope
from tests.chat.libraries import Library, Scripted
from tests.chat.test_answering import citations_of, search

BERRIES = "储藏温度对蓝莓花青素有什么影响？"
SCRIPT = {"HX-Request": "true"}


def url(name: str, *args: str) -> str:
    return reverse(name, args=("library", *args))


def questions(conversation: Conversation) -> list[str]:
    conversation.refresh_from_db()
    return [turn.question for turn in show_turns(conversation)]


def ask_beside(library: Library, run: Run, question: str) -> Run:
    fresh = begin_run(run.turn.conversation, question, beside=run.turn)
    answer_run(fresh.pk)
    return Run.objects.select_related("turn__answer", "turn__conversation").get(pk=fresh.pk)


@pytest.fixture
def first(library: Library) -> Run:
    return library.ask("Do sellers with a good reputation get higher prices from buyers?")


@pytest.fixture
def reader(library: Library) -> Client:
    client = Client()
    client.force_login(library.reader)
    return client


def test_a_tree_knows_paths_neighbours_and_what_was_asked_last() -> None:
    #  1 - 2 - 4        1b = 6
    #    \ 3 - 5 - 7
    tree = Tree({1: None, 2: 1, 3: 1, 4: 2, 5: 3, 6: None, 7: 5})
    assert tree.path(7) == [1, 3, 5, 7]
    assert tree.path(None) == tree.path(99) == []
    assert tree.beside(2) == tree.beside(3) == [2, 3]
    assert tree.beside(6) == [1, 6]
    assert [tree.latest_under(turn) for turn in (1, 2, 3, 6)] == [7, 4, 7, 6]


def test_a_changed_question_stands_beside_the_old_one_whose_follow_ups_stay(
    library: Library, first: Run, reader: Client
) -> None:
    conversation = first.turn.conversation
    library.ask("Shorten it", conversation)
    changed = ask_beside(library, first, "What is a lemon?")
    assert questions(conversation) == ["What is a lemon?"]
    library.ask(BERRIES, conversation)
    assert questions(conversation) == ["What is a lemon?", BERRIES]
    switch = show_turns(conversation)[0].branches
    assert switch is not None
    assert (switch.number, switch.count) == (2, 2)
    for address in (switch.previous_url, switch.next_url):
        reader.post(address)
        assert questions(conversation) == [first.turn.question, "Shorten it"]
        reader.post(url("show_branch", changed.public_id))
        assert questions(conversation) == ["What is a lemon?", BERRIES]


def carried(turn: Turn) -> set[str]:
    """The files whose passages a run of this turn may cite without a search."""
    book = EvidenceBook()
    prepare_history(turn, project_scope(turn.conversation.project), book)
    return {each.file_id for each in book.cited().values()}


def test_a_model_hears_only_the_branch_that_leads_to_the_question(
    library: Library, first: Run, scripted: Scripted
) -> None:
    berries = ask_beside(library, first, BERRIES)
    berry_files = {one.source.file_id for one in citations_of(berries)}
    with scripted([search("lemon"), Says("A lemon is a bad car [1].")]):
        lemons = ask_beside(library, first, "What is a lemon?")
    with scripted([search("lemon"), Says("Its seller knows [1].")]) as server:
        follow = library.ask("Who knows of it?", first.turn.conversation)
        told = " ".join(str(request["messages"]) for request in server.requests)
    assert "What is a lemon?" in told
    assert first.turn.question not in told
    assert BERRIES not in told
    assert [turn.pk for turn in turns_before(follow.turn)] == [lemons.turn_id]
    assert carried(follow.turn) == {one.source.file_id for one in citations_of(lemons)}
    assert berry_files
    assert not carried(follow.turn) & berry_files


def test_a_rewrite_is_of_the_answer_on_its_own_branch(library: Library, first: Run) -> None:
    conversation = first.turn.conversation
    ask_beside(library, first, BERRIES)
    show_branch(conversation, first.turn)
    conversation.refresh_from_db()
    short = library.ask("Shorten it, keep the citations", conversation)
    assert short.outcome == "rewritten"
    assert len(short.retention) == len(citations_of(first))
    shown = {one.source.file_id for one in citations_of(short)}
    assert shown <= {one.source.file_id for one in citations_of(first)}


def test_the_same_question_once_more_keeps_both_answers(
    library: Library, first: Run, reader: Client
) -> None:
    path = url("ask_beside", first.public_id)
    response = reader.post(path, {"question": first.turn.question}, headers=SCRIPT)
    assert response.status_code == 200
    assert response["HX-Replace-Url"] == url("conversation", first.turn.conversation.public_id)
    assert "2 / 2" in response.content.decode()
    busy = reader.post(path, {"question": "And now?"}, headers=SCRIPT)
    assert busy.status_code == 409
    assert busy["HX-Retarget"] == "#turn-1 [data-refused]"
    assert reader.post(path, {"question": " "}).status_code == 422
    first.refresh_from_db()
    assert citations_of(first)
    assert Turn.objects.count() == 2


def test_a_follow_up_follows_what_its_own_page_shows(
    library: Library, first: Run, reader: Client
) -> None:
    conversation = first.turn.conversation
    other = ask_beside(library, first, "What is a lemon?")
    path = url("ask_follow_up", conversation.public_id)
    reader.post(path, {"question": "Shorten it", "after": first.public_id})
    asked = Turn.objects.latest("pk")
    assert (asked.before_id, asked.number) == (first.turn_id, 2)
    assert questions(conversation) == [first.turn.question, "Shorten it"]
    Run.objects.filter(turn=asked).update(state="done")
    for foreign in ("", "nobody", other.public_id):
        reader.post(path, {"question": "And?", "after": foreign})
        asked = Turn.objects.latest("pk")
        Run.objects.filter(turn=asked).update(state="done")
    assert asked.before_id == other.turn_id


def test_a_turn_of_another_conversation_is_nothing_to_follow(
    library: Library, first: Run, reader: Client
) -> None:
    elsewhere = library.ask("What is a lemon?")
    path = url("ask_follow_up", first.turn.conversation.public_id)
    reader.post(path, {"question": "And?", "after": elsewhere.public_id})
    assert Turn.objects.latest("pk").before_id == first.turn_id


@pytest.mark.parametrize("ending", ["md", "bib"])
def test_what_is_exported_is_the_branch_that_is_shown(
    library: Library, first: Run, reader: Client, ending: str
) -> None:
    ask_beside(library, first, BERRIES)
    name = first.turn.conversation.public_id
    text = reader.get(url("export_conversation", name, ending)).content.decode()
    assert "蓝莓储藏研究" in text
    assert "Reputation in online markets" not in text


def test_deleting_a_conversation_takes_every_branch_along(
    library: Library, first: Run, reader: Client
) -> None:
    ask_beside(library, first, BERRIES)
    reader.post(url("delete_conversation", first.turn.conversation.public_id))
    assert not Conversation.objects.exists()
    assert not Turn.objects.exists()
    assert not Answer.objects.exists()
