"""Runs whose worker, message or Redis was lost: what was written is kept, and work goes on."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from django.utils import timezone

from chat import streaming
from chat.answering import answer_run
from chat.asking import DEAD_AFTER, retry_run
from chat.events import RunEnded, TextAdded
from chat.evidence_book import EvidenceBook
from chat.models import Run
from chat.recording import HEARTBEAT, Recorder
from chat.settling import Ending, interrupt_if_dead, settle
from chat.showing import show_run
from chat.streaming import read, request_stop
from chat.transcript import Transcript
from chat.watching import SILENCE, take_up_lost
from citations.models import Answer, Citation
from citations.segments import CiteSegment, Segment, TextSegment
from llm.openai_compatible import Endpoint
from llm.scripted import Request, Says, ScriptedEndpoint, Step
from retrieval.scope import project_scope
from tests.chat.libraries import Library, Scripted
from tests.chat.own_redis import own_redis
from tests.chat.test_answering import QUESTION, answer_of, citations_of, plain, search
from tests.waiting import in_a_moment, until

ROOT = Path(__file__).resolve().parents[2]
LONG = "Buyers paid more [1]. " + "Then the month went on. " * 400


def fresh(run: Run) -> Run:
    return Run.objects.select_related("turn__answer", "turn__conversation__project").get(pk=run.pk)


def silent_for(run: Run, how_long: timedelta) -> None:
    Run.objects.filter(pk=run.pk).update(
        state=Run.State.RUNNING, heartbeat_at=timezone.now() - how_long
    )


def cited_draft(library: Library, run: Run) -> tuple[list[Segment], EvidenceBook]:
    """What a worker holds that has searched and written one cited sentence."""
    from chat.tools import LibraryTools
    from llm.port import ToolCall

    book = EvidenceBook()
    tools = LibraryTools(project_scope(library.project), book)
    tools.use([ToolCall("1", "search", {"query": QUESTION})])
    return [TextSegment("Buyers paid more "), CiteSegment(1), TextSegment(".")], book


class TestARunTakenForDead:
    """It was slow, not dead: its answer counts."""

    def test_its_finished_answer_replaces_its_draft(self, library: Library) -> None:
        run = library.queued(QUESTION)
        segments, book = cited_draft(library, run)
        silent_for(run, DEAD_AFTER * 2)
        Run.objects.filter(pk=run.pk).update(
            draft={
                "segments": [{"text": "Buyers paid "}, {"cite": 1}],
                "evidence": book.to_json(),
                "trace": {},
            }
        )
        held = fresh(run)  # as the slow worker holds it: no answer yet
        assert interrupt_if_dead(fresh(run))
        assert Citation.objects.count() == 1
        settle(held, segments, book, Ending(Run.State.DONE, "answered"))
        ended = fresh(run)
        assert ended.state == "done"
        assert plain(ended) == "Buyers paid more ."
        assert len(citations_of(ended)) == Answer.objects.count() == 1

    def test_it_leaves_the_answer_of_a_newer_run_alone(self, library: Library) -> None:
        run = library.queued(QUESTION)
        segments, book = cited_draft(library, run)
        silent_for(run, DEAD_AFTER * 2)
        held = fresh(run)
        assert interrupt_if_dead(fresh(run))
        newer = retry_run(fresh(run))
        answer_run(newer.pk)
        whole = plain(fresh(newer))
        settle(held, segments, book, Ending(Run.State.DONE, "answered"))
        assert plain(fresh(newer)) == whole
        assert Answer.objects.count() == 1

    def test_settling_twice_changes_nothing(self, library: Library) -> None:
        run = library.ask(QUESTION)
        before = plain(run)
        settle(run, [TextSegment("other")], EvidenceBook(), Ending(Run.State.FAILED))
        assert fresh(run).state == "done"
        assert plain(fresh(run)) == before

    def test_a_conversation_deleted_meanwhile_stays_deleted(self, library: Library) -> None:
        from chat.settling import delete_conversation

        run = library.queued(QUESTION)
        silent_for(run, timedelta())
        held = fresh(run)
        delete_conversation(held.turn.conversation)
        assert settle(held, [TextSegment("x")], EvidenceBook(), Ending(Run.State.DONE)) is None
        assert not Run.objects.exists()
        assert not Answer.objects.exists()


def test_a_run_that_yields_nothing_still_gives_signs_of_life(library: Library) -> None:
    run = library.queued(QUESTION)
    silent_for(run, DEAD_AFTER * 2)
    with Recorder(fresh(run)) as recorder:
        recorder.see(TextAdded((TextSegment("half"),)))
        time.sleep(HEARTBEAT * 2)  # a long search: no event comes
        held = fresh(run)
        assert not interrupt_if_dead(held)
        assert held.draft["segments"] == [{"text": "half"}]
        recorder.fail("internal", "")
    assert plain(fresh(run)) == "half"


class TestRetrying:
    @pytest.mark.parametrize("way", ["stopped", "failed"])
    def test_a_whole_answer_outlives_a_retry_that_breaks_off(
        self, library: Library, scripted: Scripted, way: str
    ) -> None:
        first = library.ask(QUESTION)
        whole = plain(first)
        again = retry_run(first)
        broken = Says(LONG, chunk=8, delay=0.02, cut_after=20 if way == "failed" else None)
        with scripted([search(), broken]):
            if way == "stopped":
                in_a_moment(lambda: request_stop(again.public_id), when=lambda: has_text(again))
            answer_run(again.pk)
        ended = fresh(again)
        assert ended.state == way
        assert plain(ended) == whole
        assert Answer.objects.count() == 1
        notices = show_run(ended).notices
        assert any("answer from before stands" in notice for notice in notices)
        assert not any("written so far is kept" in notice for notice in notices)

    def test_of_two_broken_answers_the_longer_stays(self, library: Library) -> None:
        run = library.queued(QUESTION)
        for words, kept in [("a b c", "a b c"), ("a", "a b c"), ("a b c d", "a b c d")]:
            silent_for(run, timedelta())
            settle(fresh(run), [TextSegment(words)], EvidenceBook(), Ending(Run.State.STOPPED))
            assert plain(fresh(run)) == kept
            run = retry_run(fresh(run))


class TestWithoutRedis:
    def test_the_answer_is_stored_and_the_stream_is_made_good(
        self, library: Library, scripted: Scripted, settings: Any
    ) -> None:
        with own_redis(settings) as redis, scripted([search(), Says(LONG, chunk=60, delay=0.01)]):
            run = library.queued(QUESTION)
            in_a_moment(redis.kill, when=lambda: has_text(run))
            answer_run(run.pk)
            ended = fresh(run)
            assert (ended.state, ended.outcome) == ("done", "answered")
            assert plain(ended).count("Then the month went on.") == 400
            assert len(citations_of(ended)) == 1

    def test_events_wait_until_redis_is_back(self, library: Library, settings: Any) -> None:
        with own_redis(settings) as redis:
            publisher = streaming.Publisher("run-x")
            publisher.publish(TextAdded((TextSegment("one "),)))
            publisher.flush()
            redis.kill()
            publisher.publish(TextAdded((TextSegment("two "),)))
            publisher.flush()
            redis.start()
            publisher.publish(TextAdded((TextSegment("three"),)))
            publisher.publish(RunEnded("done"))
            transcript = Transcript.of(entry.event for entry in read("run-x"))
        texts = [part.text for part in transcript.segments if isinstance(part, TextSegment)]
        assert "".join(texts).endswith("two three")
        assert transcript.ended == RunEnded("done")


class TestTheWatch:
    def test_a_queued_run_is_sent_again_after_a_silence_and_not_at_once_again(
        self, library: Library, redis: Any
    ) -> None:
        run = library.queued(QUESTION)
        assert take_up_lost() == 0
        Run.objects.filter(pk=run.pk).update(created_at=timezone.now() - SILENCE * 2)
        assert take_up_lost() == 1
        assert redis.llen("chat") == 1
        assert take_up_lost() == 0
        assert take_up_lost(all_lost=True) == 1

    def test_a_dead_workers_run_is_ended(self, library: Library) -> None:
        run = library.queued(QUESTION)
        silent_for(run, DEAD_AFTER * 2)
        assert take_up_lost() == 1
        assert fresh(run).state == "interrupted"

    @pytest.mark.slow
    def test_a_worker_killed_in_mid_answer_loses_neither_its_text_nor_the_next_question(
        self, library: Library
    ) -> None:
        def script(request: Request) -> Step:
            has_evidence = any(message["role"] == "tool" for message in request["messages"])
            return Says(LONG, chunk=20, delay=0.05) if has_evidence else search()

        with ScriptedEndpoint(script) as server:
            first = library.queued(QUESTION)
            lost = library.queued("What is a lemon?")  # its message never reached the queue
            with worker(server.endpoint()) as process:
                until(lambda: bool(fresh(first).draft.get("segments")), 60)
                until(lambda: fresh(lost).state == "running", 30)
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
            Run.objects.filter(state="running").update(heartbeat_at=timezone.now() - DEAD_AFTER * 2)
            waiting = library.queued("And what do buyers pay?", first.turn.conversation)
            with worker(server.endpoint()) as process:
                until(lambda: fresh(first).state == "interrupted", 60)
                until(lambda: fresh(waiting).state == "running", 30)
        kept = fresh(first)
        assert plain(kept).startswith("Buyers paid more")
        assert len(citations_of(kept)) == 1
        assert answer_of(kept).owner_id == library.reader.pk


def has_text(run: Run) -> bool:
    return any(isinstance(entry.event, TextAdded) for entry in read(run.public_id))


@contextmanager
def worker(endpoint: Endpoint) -> Iterator[subprocess.Popen[bytes]]:
    """A real worker of the `chat` queue over this test's database and Redis."""
    command = [sys.executable, "-m", "celery", "-A", "lito", "worker", "-Q", "chat"]
    command += ["-P", "threads", "-c", "4", "--without-mingle", "--without-gossip"]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=worker_environment(endpoint),
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def worker_environment(endpoint: Endpoint) -> Mapping[str, str]:
    from django.conf import settings

    database = connection.settings_dict
    host, name = database["HOST"], database["NAME"]
    by_socket, by_port = (
        f"postgres:///{host}/{name}",
        f"postgres://{host}:{database['PORT']}/{name}",
    )
    return {
        **os.environ,
        "DATABASE_URL": by_socket if host.startswith("/") else by_port,
        "PGUSER": database["USER"],
        "PGPASSWORD": database["PASSWORD"],
        "REDIS_URL": settings.REDIS_URL,
        "LITO_LLM_BASE_URL": endpoint.base_url,
        "LITO_LLM_MODEL": endpoint.model,
        "LITO_LLM_API_KEY": endpoint.api_key,
    }
