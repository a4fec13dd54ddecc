"""Rewrites: the citations of the earlier answer come along, and none is lost in silence."""

import pytest
from django.utils import timezone

from chat.models import Run
from chat.showing import show_run
from citations.placing import place_citation
from documents.models import Document
from llm.scripted import Request, Says
from tests.chat.libraries import Library, Scripted
from tests.chat.test_answering import QUESTION, answer_of, citations_of, plain, search


def follow_up(library: Library, run: Run, text: str) -> Run:
    return library.ask(text, run.turn.conversation)


def places(run: Run) -> set[tuple[str, str]]:
    return {(c.source.file_id, c.quote) for c in citations_of(run)}


@pytest.fixture
def answered(library: Library) -> Run:
    run = library.ask("Do sellers with a good reputation get higher prices from buyers?")
    assert len(citations_of(run)) >= 3
    return run


@pytest.mark.parametrize("text", ["Shorten it, keep the citations", "缩短，保留引用"])
def test_a_shortening_drops_sentences_and_keeps_citations(
    library: Library, answered: Run, text: str
) -> None:
    short = follow_up(library, answered, text)
    assert short.outcome == "rewritten"
    assert 0 < len(citations_of(short)) < len(citations_of(answered))
    assert places(short) < places(answered)
    assert {p for p, _ in places(short)} == {p for p, _ in places(answered)}
    assert short.trace["searches"] == []
    for citation in citations_of(short):
        assert place_citation(citation, library.reader).status == "matched"
    assert len(short.retention) == len(citations_of(answered))
    assert {fate["fate"] for fate in short.retention} == {"kept", "dropped"}
    assert all(fate["sentence"] for fate in show_run(short).retention)
    answered.refresh_from_db()
    assert citations_of(answered)


def test_shortening_again_and_again_ends_plainly(library: Library, answered: Run) -> None:
    run = answered
    for _ in range(5):
        run = follow_up(library, run, "shorter")
        if run.outcome == "cannot":
            break
    assert run.outcome == "cannot"
    assert "stands as it was" in plain(run)


def test_a_rewrite_after_a_refusal_speaks_of_the_latest_real_answer(
    library: Library, answered: Run
) -> None:
    refused = follow_up(library, answered, "Translate it into Chinese")
    assert refused.outcome == "cannot"
    assert not citations_of(refused)
    assert refused.retention == []
    short = follow_up(library, refused, "Then shorten it")
    assert short.outcome == "rewritten"
    assert places(short) < places(answered)


def test_a_number_that_the_user_names_is_the_readers_number(
    library: Library, answered: Run
) -> None:
    numbered = {c.source.number: c.source.file_id for c in citations_of(answered)}
    assert len(numbered) == 2
    without = follow_up(library, answered, "drop [2]")
    assert {c.source.file_id for c in citations_of(without)} == {numbered[1]}
    assert {c.source.number for c in citations_of(without)} == {1}
    unknown = follow_up(library, without, "drop [9]")
    assert unknown.outcome == "cannot"


@pytest.mark.parametrize(
    "text", ["Translate it into Chinese", "做成表格", "Rephrase it in simpler words"]
)
def test_what_it_can_not_do_it_says_and_leaves_the_answer_alone(
    library: Library, answered: Run, text: str
) -> None:
    before = answer_of(answered).segments
    run = follow_up(library, answered, text)
    assert run.outcome == "cannot"
    assert run.trace["searches"] == []
    answered.turn.answer.refresh_from_db()  # type: ignore[union-attr]  # it has one
    assert answer_of(answered).segments == before


def test_a_removed_paper_is_not_carried_and_that_is_said(library: Library, answered: Run) -> None:
    gone = citations_of(answered)[0].source
    Document.objects.filter(versions__public_id=gone.file_id).update(removed_at=timezone.now())
    short = follow_up(library, answered, "Shorten it")
    assert gone.file_id not in {c.source.file_id for c in citations_of(short)}
    assert any("could not be carried" in notice for notice in show_run(short).notices)
    dropped = [fate for fate in short.retention if fate["fate"] == "dropped"]
    assert dropped or short.outcome == "cannot"


def test_a_question_after_an_answer_is_searched_anew(library: Library, answered: Run) -> None:
    run = follow_up(library, answered, "储藏温度对蓝莓花青素有什么影响？")
    assert run.outcome == "answered"
    assert len(run.trace["searches"]) == 1
    assert run.retention == []


def test_a_model_rewrites_from_carried_numbers_without_a_search(
    library: Library, scripted: Scripted
) -> None:
    def sees_the_earlier_answer(request: Request) -> bool:
        said = [m["content"] for m in request["messages"] if m["role"] == "assistant"]
        return said == ["Buyers paid 8.1 % more [1]. Lemons scare them [2]."]

    with scripted([search(), Says("Buyers paid 8.1 % more [1]. Lemons scare them [2].")]):
        first = library.ask(QUESTION)
    with scripted([Says("8.1 % more [1].", expects=sees_the_earlier_answer)]):
        short = follow_up(library, first, "Shorten it, keep the citations")
    assert short.outcome == "rewritten"
    (kept,) = citations_of(short)
    assert kept.anchor == citations_of(first)[0].anchor
    assert [fate["fate"] for fate in short.retention] == ["kept", "dropped"]


def test_numbers_of_different_turns_never_collide(library: Library, scripted: Scripted) -> None:
    with scripted([search("premium of reputation"), Says("One [1].")]):
        first = library.ask(QUESTION)
    with scripted([search("蓝莓花青素储藏温度"), Says("另一篇 [2]。也见 [1]。")]):
        second = follow_up(library, first, "蓝莓呢？")
    cited = {c.evidence: c.source.file_id for c in citations_of(second)}
    assert cited[1] == citations_of(first)[0].source.file_id
    assert cited[1] != cited[2] or len(cited) == 2
