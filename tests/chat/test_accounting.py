"""Rewrites account for every citation, papers' own numbers stay apart, nothing is cut unsaid."""

import time
from typing import Any

import pytest
from django.utils import timezone

from chat.answering import answer_run
from chat.extractive import ExtractiveAnswerer
from chat.history import as_model_text, as_told_question
from chat.interruptible import AT_ONCE, interruptible
from chat.local_library import local_library
from chat.models import Run
from chat.showing import show_run
from chat.streaming import request_stop
from chat.toolbox import StoppedError
from citations.markers import read_markers
from citations.segments import CiteSegment, Segment, TextSegment
from llm.scripted import Says
from retrieval.scope import project_scope
from tests.chat.libraries import Library, Scripted
from tests.chat.test_answering import QUESTION, citations_of, plain, search
from tests.chat.test_carrying import follow_up
from tests.chat.test_lost_workers import has_text
from tests.waiting import in_a_moment

TWO = "Buyers paid 8.1 % more [1]. Lemons scare them [2]."


@pytest.fixture
def first(library: Library, scripted: Scripted) -> Run:
    with scripted([search(), Says(TWO)]):
        run = library.ask(QUESTION)
    assert len(citations_of(run)) == 2
    return run


@pytest.mark.parametrize(
    "segments",
    [
        [TextSegment("Prior work [2] shows it.", verbatim=True), CiteSegment(1)],
        [TextSegment("as in ["), TextSegment("2]", verbatim=True), CiteSegment(1)],
        [TextSegment("【2†source】 and ［３］ "), CiteSegment(1), TextSegment(" [2-4]")],
        [TextSegment("code a[2] and [^2] "), CiteSegment(1), CiteSegment(3)],
    ],
)
def test_an_answer_copied_by_a_model_cites_what_it_cited(segments: list[Segment]) -> None:
    copied = read_markers(as_model_text(segments), range(10))
    cites = [part for part in segments if isinstance(part, CiteSegment)]
    assert [part for part in copied if isinstance(part, CiteSegment)] == cites


def test_a_rewrite_that_copies_a_papers_own_number_keeps_it_as_text(
    library: Library, scripted: Scripted
) -> None:
    with scripted([search("used car market"), Says("“as shown before [2]” they say [1]. [2]")]):
        run = library.ask(QUESTION)
    told: list[str] = []

    def copies(request: Any) -> bool:
        told.append(request["messages"][2]["content"])
        return True

    with scripted([Says("They say: as shown before ⟦2⟧ [1].", expects=copies)]):
        again = follow_up(library, run, "Rephrase it in simpler words")
    assert "before ⟦2⟧” they say [1]. [2]" in told[0]
    assert plain(again).startswith("They say: as shown before [2]")
    assert [c.evidence for c in citations_of(again)] == [1]


def test_a_number_that_a_person_names_is_told_by_its_passages(first: Run) -> None:
    from chat.history import EarlierTurn

    assert first.turn.answer is not None
    latest = EarlierTurn(QUESTION, first.turn.answer, (), {7: 1, 8: 2, 9: 2})
    told = as_told_question("drop [2] and [5]", latest)
    assert told.startswith("drop ⟦2⟧ and ⟦5⟧\n")
    assert told.endswith("\n⟦2⟧ = [8][9]")
    assert as_told_question("What is [1]?", None) == "What is ⟦1⟧?"


@pytest.mark.parametrize(
    ("asked", "steps", "state", "kept"),
    [
        ("Shorten it", [Says("Nothing cited now.")], "done", 0),
        ("Make it nicer for my boss", [Says("Buyers paid more.")], "done", 0),
        ("Shorten it", [search("premium"), Says("8.1 % more [1].")], "done", 1),
        ("Tidy it up a little", [search("premium"), Says("8.1 % more [1].")], "done", 1),
        (
            "Shorten it",
            [Says("Buyers paid 8.1 % more [1]. And then", chunk=6, cut_after=6)],
            "failed",
            1,
        ),
    ],
)
def test_no_rewrite_drops_a_citation_in_silence(
    library: Library,
    scripted: Scripted,
    first: Run,
    asked: str,
    steps: list[Says],
    state: str,
    kept: int,
) -> None:
    # A reply without evidence of its own is sent back once unless sources were carried over.
    with scripted(steps):
        run = follow_up(library, first, asked)
    assert run.state == state
    fates = [fate["fate"] for fate in run.retention]
    assert len(fates) == 2
    assert fates.count("dropped") == 2 - kept
    assert len(show_run(run).retention) == 2
    none_kept = any("None of the citations" in notice for notice in show_run(run).notices)
    assert none_kept is (kept == 0)


def test_a_stopped_rewrite_tells_what_is_gone(
    library: Library, scripted: Scripted, first: Run
) -> None:
    run = library.queued("Shorten it", first.turn.conversation)
    with scripted([Says("Buyers paid 8.1 % more [1]. " + "And so on. " * 200, delay=0.02)]):
        in_a_moment(lambda: request_stop(run.public_id), when=lambda: has_text(run))
        answer_run(run.pk)
    run.refresh_from_db()
    assert run.state == "stopped"
    assert [fate["fate"] for fate in run.retention][1] == "dropped"


def test_a_dead_workers_rewrite_tells_what_is_gone(library: Library, first: Run) -> None:
    from datetime import timedelta

    from chat.settling import interrupt_if_dead

    assert first.turn.answer is not None
    run = library.queued("Shorten it", first.turn.conversation)
    draft = {"segments": [{"text": "Buyers"}], "rewrites": {"answer": first.turn.answer.pk}}
    long_ago = timezone.now() - timedelta(minutes=2)
    Run.objects.filter(pk=run.pk).update(state="running", heartbeat_at=long_ago, draft=draft)
    assert interrupt_if_dead(Run.objects.get(pk=run.pk))
    run.refresh_from_db()
    assert [fate["fate"] for fate in run.retention] == ["dropped", "dropped"]


def test_a_new_question_is_no_rewrite(library: Library, scripted: Scripted, first: Run) -> None:
    with scripted([search("蓝莓花青素储藏温度"), Says("另一篇 [20]。也见 [1]，[3]。")]):
        run = follow_up(library, first, "蓝莓呢？")
    assert run.retention == []


def test_what_was_cut_off_a_query_is_in_the_trace(library: Library, scripted: Scripted) -> None:
    with scripted([search("premium " * 100), Says("Yes [1].")]):
        run = library.ask(QUESTION)
    (traced,) = run.trace["searches"]
    assert len(traced["query"]) + traced["query_cut"] == len("premium " * 100) - 1
    assert traced["query_cut"] > 0


def test_a_search_without_the_embedder_is_told_to_the_reader(
    library: Library, scripted: Scripted, settings: Any, tmp_path: Any
) -> None:
    from documents.vectors.embedding import _embedder, _query_vector

    settings.LITO_EMBEDDING_IN_PROCESS = False
    settings.LITO_EMBEDDING_BASE_URL = ""
    settings.LITO_EMBEDDING_SOCKET = str(tmp_path / "nobody.sock")
    _embedder.cache_clear()
    _query_vector.cache_clear()
    try:
        with scripted([search(), search("reputation"), Says("Yes [1].")]):
            run = library.ask(QUESTION)
    finally:
        _embedder.cache_clear()
    told = [notice for notice in show_run(run).notices if "keywords alone" in notice]
    assert len(told) == 1


class TestStoppingTheExtractiveAnswerer:
    def test_every_question_to_the_library_looks_up_first(self, library: Library) -> None:
        scope = project_scope(library.project)
        stopped = interruptible(local_library(scope), lambda: True)
        for call in (
            lambda: stopped.paper_text(scope.versions[0]),
            lambda: stopped.measures.similarity("a", ["b"]),
            lambda: stopped.measures_across.similarity("a", ["b"]),
            lambda: stopped.prominence("a", "zh"),
        ):
            with pytest.raises(StoppedError):
                call()

    def test_sentences_in_parts_get_the_same_cosines(self, library: Library) -> None:
        whole = local_library(project_scope(library.project))
        parts = interruptible(whole, lambda: False)
        sentences = [f"Buyers paid {n} % more to sellers." for n in range(2 * AT_ONCE + 1)]
        expected = whole.measures.similarity(QUESTION, sentences)
        assert parts.measures.similarity(QUESTION, sentences) == pytest.approx(expected, abs=1e-3)

    def test_stop_ends_it_between_two_looks(self, library: Library) -> None:
        from chat.agent import Agent
        from chat.events import AgentEnded
        from chat.evidence_book import EvidenceBook
        from chat.prompts import nudges
        from chat.tools import LibraryTools
        from citations.markers import MarkerParser
        from llm.port import Message

        scope, book, looks = project_scope(library.project), EvidenceBook(), [0]

        def cancelled() -> bool:
            looks[0] += 1
            return bool(book) and looks[0] > 12

        model = ExtractiveAnswerer(QUESTION, book, interruptible(local_library(scope), cancelled))
        agent = Agent(
            model=model,
            toolbox=LibraryTools(scope, book),
            messages=[Message("user", QUESTION)],
            new_parser=lambda: MarkerParser(book),
            nudges=nudges(QUESTION),
            cancelled=cancelled,
        )
        started = time.monotonic()
        events = list(agent.run())
        assert events[-1] == AgentEnded("stopped")
        assert model.outcome == ""
        assert time.monotonic() - started < 30
