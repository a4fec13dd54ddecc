"""`manage.py ask`: what runs can do, without a browser."""

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from documents.models import Document
from llm.scripted import Call, Request, Says
from tests.chat.libraries import Library, Scripted
from tests.chat.test_whole_papers import LEMONS

PREMIUM = "What premium do buyers pay to sellers with a good reputation?"


def ask(*arguments: str) -> dict[str, Any]:
    written = StringIO()
    call_command("ask", *arguments, "--project", "library", "--json", stdout=written)
    told: dict[str, Any] = json.loads(written.getvalue())
    return told


def test_papers_are_chosen_by_id_or_title(library: Library) -> None:
    paper = Document.objects.get(title=LEMONS).public_id
    question = "Who gets higher prices from buyers with a good reputation?"
    for named in (paper, LEMONS.upper()):
        told = ask(question, "--papers", named)
        assert {source["document"] for source in told["sources"]} == {paper}


def test_papers_are_read_whole_and_a_rewrite_accounts_for_their_pages(
    library: Library, scripted: Scripted
) -> None:
    with scripted([Says("A lemon is a car of poor quality [1].")]):
        told = ask("What is a lemon?", "--papers", LEMONS, "--whole")
    [source] = told["sources"]
    assert source["pdf_page"] == 1
    assert source["identity"].endswith("#pdf-page=1")

    with scripted([Says("It is a poor car [1].")]):
        again = ask("As a lawyer would put it", "--rewrite", told["run"])
    assert again["status"] == "rewritten"
    assert [fate["fate"] for fate in again["retention"]] == ["kept"]
    assert again["sources"] == [source]


def test_another_model_of_the_endpoint_answers_or_none(
    library: Library, scripted: Scripted
) -> None:
    def asks_the_other(request: Request) -> bool:
        return bool(request["model"] == "other")

    with scripted([Says("Hello.", expects=asks_the_other)] * 2):
        assert ask("Hello!", "--model", "other")["model"] == "other"
        assert ask(PREMIUM, "--model", "extractive")["model"] == "extractive"


def test_a_skill_gives_its_instructions_and_tools(library: Library, scripted: Scripted) -> None:
    def works_by_it(request: Request) -> bool:
        offered = {tool["function"]["name"] for tool in request["tools"]}
        return "Write a review" in request["messages"][0]["content"] and len(offered) == 3

    reading = {"papers": [{"paper": LEMONS, "question": "What is a lemon?"}]}
    steps = [
        Says(calls=(Call("search", {"query": "lemons"}),), expects=works_by_it),
        Says("A lemon is a poor car [1]."),
        Says(calls=(Call("read_papers", reading),), expects=lambda r: "not read any" in str(r)),
        Says("A lemon is a car of poor quality [1]."),
    ]
    with scripted(steps):
        told = ask("What is a lemon?", "--skill", "review")
    assert told["answer"].startswith("A lemon is a car")


def test_checks_are_stored_told_and_change_nothing(library: Library, scripted: Scripted) -> None:
    bare = "Sellers of good cars leave the market when nobody can tell them from others."
    says = Says(f"A lemon is a car of poor quality [1].\n\n{bare}")
    with scripted([Says(calls=(Call("search", {"query": "lemons"}),)), says]):
        told = ask("What is a lemon?", "--skill", "brief")
    assert bare in told["answer"]
    assert [(check["name"], check["passed"]) for check in told["checks"]] == [
        ("paragraphs-cited", False),
        ("at-most-words", True),
    ]


def test_without_a_model_papers_are_compared_in_turns_and_a_brief_is_shorter(
    library: Library,
) -> None:
    asked = "Which higher prices do buyers pay to sellers with a good reputation?"
    plain, brief, compared = (
        ask(asked, "--skill", skill) for skill in ("question", "brief", "compare")
    )
    assert len(brief["citations"]) < len(plain["citations"])
    papers = [each["anchor"]["document"] for each in compared["citations"]]
    counts = {papers.count(paper) for paper in papers}
    assert len(set(papers)) == 2
    assert max(counts) - min(counts) <= 1
    assert {check["name"] for check in compared["checks"]} == {"papers-cited", "at-most-words"}


def test_without_a_model_a_rewrite_that_it_cannot_do_is_said(library: Library) -> None:
    told = ask(PREMIUM)
    again = ask("As a lawyer would put it", "--rewrite", told["run"])
    assert again["status"] == "cannot"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--papers", "no such paper"), "There is no paper"),
        (("--model", "other"), "No endpoint"),
        (("--skill", "haiku"), "no skill “haiku” here. There are: question, review"),
        (("--rewrite", "nothing"), "There is no run"),
        (("--continue", "nothing"), "There is no run"),
    ],
)
def test_what_cannot_be_done_is_said(
    library: Library, arguments: tuple[str, ...], message: str
) -> None:
    with pytest.raises(CommandError, match=message):
        ask(PREMIUM, *arguments)
