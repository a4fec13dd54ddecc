"""Finding conversations by words of their titles, questions and answers."""

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from chat.asking import start_conversation
from chat.branches import add_turn, show_branch
from chat.finding import CONVERSATIONS_PER_PAGE, FoundConversations, find_conversations
from chat.models import Conversation, Run, Turn
from chat.showing import TURNS_AT_ONCE
from projects.models import Membership
from tests.chat.libraries import Library
from tests.chat.test_answering import QUESTION


def url(name: str, *args: str) -> str:
    return reverse(name, args=("library", *args))


def noted(library: Library, question: str, *, title: str = "Notes", turns: int = 1) -> Conversation:
    """A conversation whose questions are all the same."""
    conversation = start_conversation(library.project, library.reader, title)
    for _ in range(turns):
        turn = add_turn(conversation, question)
        Run.objects.create(turn=turn, state="done")
    return conversation


def titles(library: Library, query: str, page: int = 1) -> list[str]:
    found = find_conversations(library.project, library.reader, query=query, page=page)
    return ["".join(piece.text for piece in each.title) for each in found.shown]


def marked(found: FoundConversations) -> set[str]:
    pieces = [
        piece
        for conversation in found.shown
        for part in (conversation.title, *((*t.question, *t.answer) for t in conversation.turns))
        for piece in part
    ]
    return {piece.text for piece in pieces if piece.marked}


@pytest.fixture
def reader(library: Library) -> Client:
    client = Client()
    client.force_login(library.reader)
    return client


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("reputations premium", {"reputation", "premium"}),
        ("PREMIUM", {"premium"}),
        ("8.1 %", {"8.1"}),
    ],
)
def test_questions_and_answers_are_found_in_any_form_of_their_words(
    library: Library, query: str, words: set[str]
) -> None:
    library.ask(QUESTION)
    noted(library, "Something else entirely")
    found = find_conversations(library.project, library.reader, query=query)
    assert found.total == 1
    assert found.has_all
    assert {word.casefold() for word in marked(found)} >= words
    assert found.shown[0].turns[0].answer


@pytest.mark.parametrize("query", ["花青素", "藍莓 儲藏", "储藏温度"])
def test_chinese_is_found_in_both_scripts(library: Library, query: str) -> None:
    library.ask("储藏温度对蓝莓花青素有什么影响？")
    noted(library, "水果的价格")
    found = find_conversations(library.project, library.reader, query=query)
    assert found.total == 1
    assert marked(found)


def test_a_new_title_is_found_and_the_old_one_no_longer(library: Library, reader: Client) -> None:
    conversation = noted(library, "Why?", title="Old name")
    assert titles(library, "old name") == ["Old name"]
    reader.post(url("rename_conversation", conversation.public_id), {"title": "Plums <b>"})
    assert titles(library, "plum") == ["Plums <b>"]
    assert titles(library, "old name") == []
    page = reader.get(url("conversations"), {"q": "plums"}).content.decode()
    assert "<mark>Plums</mark> &lt;b&gt;" in page


def test_conversations_with_some_of_the_words_stand_in_where_none_has_all(library: Library) -> None:
    noted(library, "plums and peaches", title="Both")
    noted(library, "peaches", title="One")
    assert titles(library, "plums peaches") == ["Both"]
    assert titles(library, "plums peaches cherries") == ["Both", "One"]
    found = find_conversations(library.project, library.reader, query="plums peaches cherries")
    assert not found.has_all
    assert titles(library, "cherries") == []


@pytest.mark.parametrize("query", ["the", "?!", "的"])
def test_words_that_say_nothing_find_nothing(library: Library, reader: Client, query: str) -> None:
    noted(library, "the peaches")
    assert titles(library, query) == []
    page = reader.get(url("conversations"), {"q": query}).content.decode()
    assert "nothing in these words to look for" in page


def test_nobody_finds_what_another_person_asked(library: Library) -> None:
    noted(library, "plums")
    other = library.stranger
    Membership.objects.create(project=library.project, user=other, role="owner")
    assert find_conversations(library.project, other, query="plums").total == 0
    assert find_conversations(library.project, other, query="").total == 0


def test_every_branch_is_found_and_a_hit_leads_to_its_turn(
    library: Library, reader: Client
) -> None:
    conversation = noted(library, "plums", turns=1)
    first = Turn.objects.get()
    other = add_turn(conversation, "cherries", beside=first)
    Run.objects.create(turn=other, state="done")
    show_branch(conversation, other)
    found = find_conversations(library.project, library.reader, query="plum")
    response = reader.get(found.shown[0].turns[0].url)
    assert response["Location"] == url("conversation", conversation.public_id) + "#turn-1"
    assert "plums" in reader.get(response["Location"]).content.decode()


def test_a_hit_far_back_leads_to_its_page(library: Library, reader: Client) -> None:
    conversation = noted(library, "plums", turns=TURNS_AT_ONCE + 3)
    second = Turn.objects.get(number=2)
    place = reader.get(url("go_to_turn", second.runs.get().public_id))["Location"]
    assert place == url("conversation", conversation.public_id) + "?before=3#turn-2"
    assert 'id="turn-2"' in reader.get(place).content.decode()


def test_the_list_has_pages_and_asks_an_index(library: Library, reader: Client) -> None:
    for number in range(CONVERSATIONS_PER_PAGE + 2):
        noted(library, "plums", title=f"Number {number}")
    assert len(titles(library, "plums")) == CONVERSATIONS_PER_PAGE
    assert titles(library, "plums", page=2) == ["Number 1", "Number 0"]
    assert titles(library, "", page=2) == ["Number 1", "Number 0"]
    with connection.cursor() as cursor:
        cursor.execute("SET enable_seqscan = off")
        cursor.execute(
            "EXPLAIN SELECT turn_id FROM chat_turnwords WHERE terms @> ARRAY['plum']::text[]"
        )
        plan = " ".join(row[0] for row in cursor.fetchall())
        cursor.execute("SET enable_seqscan = on")
    assert "turn_terms" in plan
    with CaptureQueriesContext(
        connection,
    ) as queries:
        reader.get(url("conversations"), {"q": "plums"})
    assert len(queries) < 30
