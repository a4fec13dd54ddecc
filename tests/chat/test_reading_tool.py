"""`read_papers` inside a run: what it reads can be cited, what is not clear is asked better."""

from typing import Any

import pytest

from chat.evidence_book import EvidenceBook
from chat.reading_tool import readings
from chat.tools import LibraryTools
from llm.port import ToolCall
from llm.scripted import Call, Request, Says
from retrieval.scope import project_scope
from tests.chat.libraries import QUESTION_SKILL, Library, Scripted
from tests.retrieval.papers import add_paper

LEMONS = "The market for lemons"


def asked(paper: object, question: object = "What is a lemon?") -> dict[str, Any]:
    return {"papers": [{"paper": paper, "question": question}]}


def last_result(request: Request) -> str:
    return str(request["messages"][-1]["content"])


def test_what_was_read_is_numbered_cited_and_said_to_be_the_whole(
    library: Library, scripted: Scripted
) -> None:
    steps = [
        Says(calls=(Call("read_papers", asked(LEMONS)),)),
        Says(
            "A lemon is a car of poor quality [1].",
            expects=lambda request: "The whole paper was read" in last_result(request),
        ),
    ]
    with scripted(steps):
        run = library.ask("What is a lemon?")

    assert (run.state, run.outcome) == ("done", "answered")
    assert run.turn.answer is not None
    [citation] = run.turn.answer.citations.select_related("source")
    assert citation.source.title == LEMONS
    [read] = run.trace["searches"][0]["read"]
    assert read["parts_read"] == read["parts"]
    assert "cited" in run.trace["papers"]["found"].values()


@pytest.mark.parametrize(
    "paper", [LEMONS, "the lemons paper", "market for lemons", "[1]", "1", "Lemons"]
)
def test_a_paper_is_named_by_title_description_or_number(library: Library, paper: str) -> None:
    scope, book = project_scope(library.project), EvidenceBook()
    tools = LibraryTools(scope, book, skill=QUESTION_SKILL)
    tools.use([ToolCall("1", "read_papers", asked(LEMONS))])

    [reading] = readings(asked(paper), scope, book)

    assert reading.version.title == LEMONS


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({}, "needs"),
        ({"papers": []}, "Name the papers"),
        ({"papers": "lemons"}, "needs"),
        ({"papers": [LEMONS]}, "needs"),
        (asked(["a"]), "needs"),
        (asked(LEMONS, 7), "needs"),
        (asked(LEMONS, " "), "question"),
        (asked(""), "no paper"),
        (asked("The market for oranges and pears"), "no paper"),
        (asked("[9]"), "no paper"),
        ({"papers": asked(LEMONS)["papers"] * 4}, "At most"),
    ],
)
def test_what_cannot_be_read_tells_the_model_how_to_ask(
    library: Library, arguments: dict[str, Any], message: str
) -> None:
    tools = LibraryTools(project_scope(library.project), EvidenceBook(), skill=QUESTION_SKILL)

    [result] = tools.use([ToolCall("1", "read_papers", arguments)])
    assert message in result.found["error"]
    assert not tools.has_evidence()


def test_a_name_that_fits_two_papers_lists_both(library: Library) -> None:
    add_paper(library.project, "A market for used books", (("text", "Results", "Books sell."),))
    tools = LibraryTools(project_scope(library.project), EvidenceBook(), skill=QUESTION_SKILL)

    [refusal] = tools.use([ToolCall("1", "read_papers", asked("the market study"))])
    assert LEMONS in refusal.found["error"]
    assert "used books" in refusal.found["error"]

    [result] = tools.use([ToolCall("2", "search", {"query": "What does the market study say?"})])
    assert "may be any of" in result.content
    assert "used books" in result.content


def test_without_the_skill_there_is_no_such_tool(library: Library) -> None:
    tools = LibraryTools(project_scope(library.project), EvidenceBook())

    assert "read_papers" not in {tool.name for tool in tools.tools}
    [result] = tools.use([ToolCall("1", "read_papers", asked(LEMONS))])
    assert "no tool" in result.found["error"]
