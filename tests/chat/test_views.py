"""Pages and streams of a conversation: what members see, and that nobody else sees anything."""

import asyncio
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import AsyncClient, Client
from django.urls import reverse

from chat.answering import answer_run
from chat.models import Conversation, Run
from chat.showing import show_run
from chat.streaming import read
from llm.scripted import Says
from tests.chat.libraries import Library, Scripted
from tests.chat.loops import in_a_loop
from tests.chat.test_answering import QUESTION, search

RICH = (
    "Buyers paid **8.1 %** more [1].\n\n- one [1]\n- two [2]\n\n"
    "| a | b |\n|---|---|\n| x [1] | y |\n\n"
    "Code `[1]` and $x_1$ [2].\n\n“A premium [1] in quotes” [1]."
)


@pytest.fixture
def reader(library: Library) -> Client:
    client = Client()
    client.force_login(library.reader)
    return client


@pytest.fixture
def run(library: Library, scripted: Scripted) -> Iterator[Run]:
    with scripted([search(), Says(RICH, chunk=3, delay=0.004)]):
        yield library.ask(QUESTION)


def url(name: str, *args: str) -> str:
    return reverse(name, args=("library", *args))


def followed(user: Any, path: str, headers: dict[str, str] | None = None) -> list[dict[str, Any]]:
    """The events of a stream until it ends, over the real view."""

    async def collect() -> str:
        client = AsyncClient()
        await client.aforce_login(user)
        response = await client.get(path, headers=headers)
        assert response.status_code == 200
        parts = [part async for part in response.streaming_content]  # type: ignore[attr-defined]
        return b"".join(parts).decode()

    return list(events_of(in_a_loop(collect())))


def events_of(text: str) -> Iterator[dict[str, Any]]:
    for block in text.split("\n\n"):
        lines = [line for line in block.split("\n") if line and not line.startswith(":")]
        fields = dict(line.split(": ", 1) for line in lines)
        if "event" in fields:
            yield {
                "name": fields["event"],
                "id": fields.get("id", ""),
                "value": json.loads(fields["data"]),
            }


def blocks_after(events: list[dict[str, Any]], start: list[str] | None = None) -> list[str]:
    """What a browser shows that applies each `answer` event."""
    blocks = list(start or [])
    for event in events:
        if event["name"] == "answer":
            blocks[event["value"]["from"] :] = event["value"]["blocks"]
    return blocks


def test_stream_refresh_and_reopened_page_are_equal_byte_for_byte(
    library: Library, run: Run, reader: Client
) -> None:
    stored = list(show_run(run).blocks)
    assert len(stored) >= 5
    assert sum(block.count('class="cite"') for block in stored) == 6
    streamed = blocks_after(followed(library.reader, url("run_events", run.public_id)))
    assert streamed == stored
    fragment = reader.get(url("turn", run.public_id)).content.decode()
    page = reader.get(url("conversation", run.turn.conversation.public_id)).content.decode()
    assert "".join(stored) in fragment
    assert "".join(stored) in page
    Run.objects.filter(pk=run.pk).update(state="running")  # as the page was while it streamed
    run.refresh_from_db()
    assert list(show_run(run).blocks) == stored


def test_a_stream_can_be_resumed_at_every_event(library: Library, run: Run) -> None:
    path = url("run_events", run.public_id)
    whole = blocks_after(followed(library.reader, path))
    entries = read(run.public_id)
    assert len(entries) > 6
    for at in range(0, len(entries), 3):
        seen = entries[at].id
        Run.objects.filter(pk=run.pk).update(state="running")
        before = _blocks_at(run, seen)
        rest = followed(library.reader, path, {"Last-Event-ID": seen})
        assert blocks_after(rest, before) == whole
        assert rest[-1]["name"] == "done"
        assert [event["name"] for event in rest].count("done") == 1


def _blocks_at(run: Run, last_id: str) -> list[str]:
    from chat.showing_sources import render_draft
    from chat.streaming import is_after
    from chat.transcript import Transcript

    seen = [entry.event for entry in read(run.public_id) if not is_after(entry.id, last_id)]
    return render_draft(run, Transcript.of(seen))[0]


def test_a_stream_tells_steps_sources_and_the_end(library: Library, run: Run) -> None:
    events = followed(library.reader, url("run_events", run.public_id))
    names = [event["name"] for event in events]
    assert names[0] == "step"
    assert "sources" in names
    assert names[-1] == "done"
    assert events[-1]["value"] == {"state": "done", "turn_url": url("turn", run.public_id)}
    sources = [event["value"]["html"] for event in events if event["name"] == "sources"]
    assert "Reputation in online markets" in sources[-1]


def test_a_run_whose_stream_is_gone_ends_at_once(library: Library, run: Run, redis: Any) -> None:
    redis.flushdb()
    events = followed(library.reader, url("run_events", run.public_id))
    assert [event["name"] for event in events] == ["done"]


def test_a_broken_last_event_id_starts_over(library: Library, run: Run) -> None:
    path = url("run_events", run.public_id)
    nonsense = followed(library.reader, path, {"Last-Event-ID": "'; DROP TABLE"})
    assert blocks_after(nonsense) == blocks_after(followed(library.reader, path))


def test_the_stream_speaks_the_readers_language(library: Library, run: Run) -> None:
    path = url("run_events", run.public_id)
    english = followed(library.reader, path, {"Accept-Language": "en"})
    assert english[1]["value"]["text"].startswith("Searched the library")


def test_asking_makes_a_conversation_with_a_queued_run(library: Library, reader: Client) -> None:
    response = reader.post(url("ask"), {"question": "What is a lemon?"})
    conversation = Conversation.objects.get()
    assert response.status_code == 302
    assert response["Location"] == url("conversation", conversation.public_id)
    run = Run.objects.get()
    assert run.state == "queued"
    page = reader.get(response["Location"]).content.decode()
    assert "What is a lemon?" in page
    assert url("run_events", run.public_id) in page


def test_a_follow_up_gives_the_new_turn(library: Library, run: Run, reader: Client) -> None:
    path = url("ask_follow_up", run.turn.conversation.public_id)
    response = reader.post(path, {"question": "And lemons?"}, headers={"HX-Request": "true"})
    assert response.status_code == 200
    assert "And lemons?" in response.content.decode()
    again = reader.post(path, {"question": "And now?"}, headers={"HX-Request": "true"})
    assert again.status_code == 409
    assert Run.objects.count() == 2


@pytest.mark.parametrize("question", ["", "   ", "x" * 8_001])
def test_a_question_must_have_words_and_an_end(
    library: Library, reader: Client, question: str
) -> None:
    response = reader.post(url("ask"), {"question": question})
    assert response.status_code == 422
    assert not Conversation.objects.exists()


def test_a_queued_run_can_be_stopped_and_tried_again(library: Library, reader: Client) -> None:
    run = library.queued(QUESTION)
    stopped = reader.post(url("stop_run", run.public_id))
    page = url("conversation", run.turn.conversation.public_id)
    assert stopped["Location"] == f"{page}#turn-{run.turn.number}"
    run.refresh_from_db()
    assert run.state == "stopped"
    answer_run(run.pk)
    run.refresh_from_db()
    assert run.state == "stopped"
    response = reader.post(url("retry_run", run.public_id), headers={"HX-Request": "true"})
    assert response.status_code == 200
    assert Run.objects.filter(turn=run.turn, state="queued").count() == 1


def test_a_conversation_can_be_renamed_and_deleted(
    library: Library, run: Run, reader: Client
) -> None:
    from citations.models import Answer

    name = run.turn.conversation.public_id
    reader.post(url("rename_conversation", name), {"title": "New <b>name</b>"})
    page = reader.get(url("conversation", name)).content.decode()
    assert "New &lt;b&gt;name&lt;/b&gt;" in page
    reader.post(url("delete_conversation", name))
    assert not Conversation.objects.exists()
    assert not Answer.objects.exists()
    assert read(run.public_id) == []
    assert reader.get(url("conversation", name)).status_code == 404


ROUTES = [
    ("get", "desk", ()),
    ("post", "ask", ()),
    ("get", "conversation", ("conversation",)),
    ("post", "ask_follow_up", ("conversation",)),
    ("post", "rename_conversation", ("conversation",)),
    ("post", "delete_conversation", ("conversation",)),
    ("get", "turn", ("run",)),
    ("get", "run_events", ("run",)),
    ("post", "stop_run", ("run",)),
    ("post", "retry_run", ("run",)),
]


@pytest.mark.parametrize(("method", "name", "args"), ROUTES, ids=[name for _, name, _ in ROUTES])
def test_a_stranger_sees_nothing(
    library: Library, run: Run, method: str, name: str, args: tuple[str, ...]
) -> None:
    ids = {"conversation": run.turn.conversation.public_id, "run": run.public_id}
    path = url(name, *(ids[arg] for arg in args))
    stranger, nobody = Client(), Client()
    stranger.force_login(library.stranger)
    send = {"question": "x", "title": "x"} if method == "post" else {}
    response = getattr(stranger, method)(path, send)
    assert response.status_code == 404
    assert getattr(nobody, method)(path, send).status_code in (302, 404)
    assert Conversation.objects.count() == 1
    assert Run.objects.count() == 1


def test_another_members_conversation_is_theirs_alone(library: Library, run: Run) -> None:
    from projects.models import Membership

    Membership.objects.create(project=library.project, user=library.stranger, role="owner")
    other = Client()
    other.force_login(library.stranger)
    assert other.get(url("desk")).status_code == 200
    assert other.get(url("turn", run.public_id)).status_code == 404
    assert other.get(url("run_events", run.public_id)).status_code == 404
    assert QUESTION not in other.get(url("desk")).content.decode()


def test_tags_lead_to_the_stored_citations(library: Library, run: Run, reader: Client) -> None:
    html = "".join(show_run(run).blocks)
    answer = run.turn.answer
    assert answer is not None
    stored = [c.public_id for c in answer.citations.all()]
    linked = re.findall(r'data-card="[^"]*/citations/([^/]+)/card/"', html)
    assert linked == stored


def test_another_member_can_not_read_a_private_citation(
    library: Library, run: Run, reader: Client
) -> None:
    from projects.models import Membership

    Membership.objects.create(project=library.project, user=library.stranger, role="owner")
    other = Client()
    other.force_login(library.stranger)
    assert run.turn.answer is not None
    citation = run.turn.answer.citations.first()
    assert citation is not None
    for name in ("citation_card", "open_citation", "citation_evidence"):
        path = url(name, citation.public_id)
        assert other.get(path).status_code == 404
        assert reader.get(path).status_code == 200


def test_an_open_stream_ends_with_the_readers_access(library: Library, redis: Any) -> None:
    from django.utils import timezone

    from chat.events import TextAdded
    from chat.streaming import publish
    from citations.segments import TextSegment
    from projects.models import Membership

    run = library.queued(QUESTION)
    Run.objects.filter(pk=run.pk).update(state="running", heartbeat_at=timezone.now())
    publish(run.public_id, TextAdded((TextSegment("before "),)))

    async def collect() -> str:
        client = AsyncClient()
        await client.aforce_login(library.reader)
        response = await client.get(url("run_events", run.public_id))
        parts: list[str] = []
        async for part in response.streaming_content:  # type: ignore[attr-defined]
            parts.append(part.decode())
            if len(parts) == 2:
                await Membership.objects.filter(user=library.reader).adelete()
            # A model that goes on writing keeps the stream busy: there is no quiet moment.
            await asyncio.sleep(0.1)
            await sync_to_async(publish)(run.public_id, TextAdded((TextSegment("after "),)))
        return "".join(parts)

    told = in_a_loop(collect(), seconds=15)
    assert "before" in told
    assert "event: done" not in told


def test_a_stream_is_only_got(library: Library, run: Run, reader: Client) -> None:
    assert reader.post(url("run_events", run.public_id)).status_code == 405


def test_a_refused_question_comes_back_on_its_whole_page_without_script(
    library: Library, run: Run, reader: Client
) -> None:
    follow = url("ask_follow_up", run.turn.conversation.public_id)
    for path in (url("ask"), follow):
        refused = reader.post(path, {"question": " "})
        assert refused.status_code == 422
        assert b"</html>" in refused.content
        assert b"Type a question first." in refused.content
        alone = reader.post(path, {"question": " "}, headers={"HX-Request": "true"})
        assert alone.status_code == 422
        assert b"<html" not in alone.content
    reader.post(follow, {"question": "And lemons?"})
    busy = reader.post(follow, {"question": "Kept words"})
    assert busy.status_code == 409
    assert b"</html>" in busy.content
    assert b"Kept words" in busy.content
    assert QUESTION in busy.content.decode()
