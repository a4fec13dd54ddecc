"""Stop ends a run at once, and pages stay readable, whatever happened to worker and Redis."""

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connections
from django.test import AsyncClient, Client
from django.utils import timezone

from chat.answering import answer_run
from chat.events import TextAdded
from chat.models import Run
from chat.recording import HEARTBEAT, Recorder
from chat.showing import show_run
from chat.streaming import Publisher
from citations.models import Answer
from citations.segments import TextSegment
from llm.scripted import Says
from tests.chat.libraries import Library, Scripted
from tests.chat.loops import in_a_loop
from tests.chat.own_redis import own_redis
from tests.chat.test_answering import QUESTION, citations_of, plain, search
from tests.chat.test_lost_workers import LONG, cited_draft, fresh, has_text
from tests.chat.test_views import events_of, url
from tests.waiting import until

BAR = 5.0
"""Seconds from Stop until the run has ended: one where nobody shares the machine. Nobody else would
end these runs."""


@pytest.fixture
def reader(library: Library) -> Client:
    client = Client()
    client.force_login(library.reader)
    return client


def running(library: Library, *, draft: bool = True) -> Run:
    """A run at which no worker looks up: it wrote a sentence and is deep in something."""
    run = library.queued(QUESTION)
    segments, book = cited_draft(library, run)
    kept = {"segments": [{"text": "Buyers "}], "evidence": book.to_json(), "trace": {}}
    Run.objects.filter(pk=run.pk).update(
        state="running", heartbeat_at=timezone.now(), draft=kept if draft else {}
    )
    publisher = Publisher(run.public_id)
    publisher.publish(TextAdded(tuple(segments)))
    publisher.flush()
    return fresh(run)


def stopped(reader: Client, run: Run) -> tuple[float, Run]:
    """Seconds that Stop took, and the run afterwards."""
    pressed = time.monotonic()
    response = reader.post(url("stop_run", run.public_id), headers={"HX-Request": "true"})
    took = time.monotonic() - pressed
    assert response.status_code == 200
    assert "is-stopped" in response.content.decode()
    return took, fresh(run)


def test_a_run_whose_worker_does_not_look_up_ends_with_all_that_was_read(
    library: Library, reader: Client
) -> None:
    took, ended = stopped(reader, running(library))
    assert took < BAR
    assert (ended.state, plain(ended)) == ("stopped", "Buyers paid more .")
    assert len(citations_of(ended)) == 1


def test_words_whose_evidence_was_not_stored_yet_are_not_kept_without_it(
    library: Library, reader: Client
) -> None:
    _took, ended = stopped(reader, running(library, draft=False))
    assert (ended.state, ended.turn.answer) == ("stopped", None)


def test_a_worker_that_looks_up_ends_the_run_itself(
    library: Library, reader: Client, scripted: Scripted
) -> None:
    run = library.queued(QUESTION)
    with scripted([search(), Says(LONG, chunk=8, delay=0.02)]):
        worker = threading.Thread(target=answered, args=(run.pk,))
        worker.start()
        until(lambda: has_text(run), 30, every=0.02)
        _took, ended = stopped(reader, run)
        worker.join()
    assert ended.state == "stopped"
    assert ended.trace["used"], "the worker's own trace is there, not the draft's"


def test_a_worker_finds_out_that_its_run_was_ended_and_changes_nothing(library: Library) -> None:
    run = running(library)
    with Recorder(run) as recorder:
        assert not recorder.is_over()
        Run.objects.filter(pk=run.pk).update(state="stopped")
        until(recorder.is_over, HEARTBEAT * 4, every=0.05)
        recorder.see(TextAdded((TextSegment("late words"),)))
        recorder.finish("answered")
    assert fresh(run).state == "stopped"
    assert Answer.objects.count() == 0


class TestWithoutRedis:
    def test_an_open_page_shows_what_was_stored(
        self, library: Library, reader: Client, settings: Any
    ) -> None:
        with own_redis(settings) as redis:
            run = running(library)
            redis.kill()
            page = reader.get(url("conversation", run.turn.conversation.public_id))
            assert page.status_code == 200
            assert "Buyers" in page.content.decode()
            assert show_run(run).is_active

    def test_the_page_names_the_stored_sources(self, library: Library, settings: Any) -> None:
        with own_redis(settings) as redis:
            run = running(library)
            run.draft["segments"] = [{"text": "Buyers paid "}, {"cite": 1}]
            redis.kill()
            shown = show_run(run)
        assert [paper.title for paper in shown.sources] == [run.draft["evidence"]["1"]["title"]]

    def test_stop_ends_the_run(self, library: Library, reader: Client, settings: Any) -> None:
        with own_redis(settings) as redis:
            run = running(library)
            redis.kill()
            took, ended = stopped(reader, run)
        assert took < BAR
        assert plain(ended) == "Buyers "

    def test_a_question_waits_for_the_queue(
        self, library: Library, reader: Client, settings: Any
    ) -> None:
        with own_redis(settings) as redis:
            redis.kill()
            asked = reader.post(url("ask"), {"question": QUESTION})
            assert asked.status_code == 302
            assert reader.get(asked.url).status_code == 200  # type: ignore[attr-defined]
        assert Run.objects.get().state == "queued"

    def test_a_follower_is_told_and_goes_on_where_it_was(
        self, library: Library, settings: Any
    ) -> None:
        with own_redis(settings) as redis:
            run = running(library)

            def come_back() -> None:
                redis.start()
                publisher = Publisher(run.public_id)
                publisher.publish(TextAdded((TextSegment(" And more."),)))
                publisher.flush()

            told = told_to(
                library,
                run,
                [("Buyers", redis.kill), ("event: away", come_back), ("And more", lambda: None)],
            )
        names = [event["name"] for event in told]
        assert names.index("away") < names.index("back") < len(names) - 1
        assert " And more." in "".join(told[-1]["value"]["blocks"])

    def test_a_follower_hears_of_the_end_without_redis(
        self, library: Library, settings: Any
    ) -> None:
        with own_redis(settings) as redis:
            run = running(library)

            def end() -> None:
                Run.objects.filter(pk=run.pk).update(state="done")

            told = told_to(
                library,
                run,
                [("Buyers", redis.kill), ("event: away", end), ("event: done", lambda: None)],
            )
        assert told[-1]["value"]["state"] == "done"


def answered(run_id: int) -> None:
    """What a worker's thread does."""
    try:
        answer_run(run_id)
    finally:
        connections.close_all()


def told_to(
    library: Library, run: Run, script: list[tuple[str, Callable[[], None]]]
) -> list[dict[str, Any]]:
    """What the reader's stream says, while each act of `script` follows the words it names."""

    async def follow() -> str:
        client = AsyncClient()
        await client.aforce_login(library.reader)
        response = await client.get(url("run_events", run.public_id))
        heard, left = "", list(script)
        parts = response.streaming_content  # type: ignore[attr-defined]
        async for part in parts:
            heard += part.decode()
            while left and left[0][0] in heard:
                await sync_to_async(left.pop(0)[1])()
            if not left:
                break
        await parts.aclose()
        return heard

    return list(events_of(in_a_loop(follow())))
