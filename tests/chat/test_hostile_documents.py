"""Papers that give orders: nothing of theirs gets through, even if the model obeys them."""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from chat.models import Run
from chat.showing import show_run
from llm.configured import set_endpoints
from llm.printed_calls import PrintedCalls
from llm.scripted import Call, Fails, Request, Says, ScriptedEndpoint, Step
from tests.chat.libraries import Library, new_library
from tests.retrieval.papers import add_paper

DATA = Path(__file__).parents[1] / "data" / "hostile.jsonl"
HOSTILE = [json.loads(line) for line in DATA.read_text("utf-8").split("\n") if line]
FENCED = re.compile(r"<evidence\b[^>\n]*>.*?</evidence>", re.DOTALL)
ADDRESSES = re.compile(r'\b(?:href|src|action|data-[a-z]+|on[a-z]+|style)\s*=\s*"?([^"\s>]*)')
TAGS = re.compile(r"<(/?[a-zA-Z][a-zA-Z0-9]*)")
HARMLESS = {
    *("p", "a", "span", "ul", "ol", "li", "strong", "em", "code", "pre", "table", "thead", "tbody"),
    *("tr", "th", "td", "h3", "h4", "h5", "h6", "blockquote", "br", "hr", "button", "div", "s"),
}


def test_there_are_enough_of_them_in_both_languages_and_everywhere() -> None:
    assert len(HOSTILE) >= 20
    assert sum(each["language"] == "zh" for each in HOSTILE) >= 6
    places = {each["where"] for each in HOSTILE}
    assert places == {"text", "title", "section", "table", "hidden"}


@pytest.fixture
def library(transactional_db: None, redis: object) -> Iterator[Library]:
    """One paper for each injection, beside honest ones."""
    made = new_library()
    for place, each in enumerate(HOSTILE):
        plain = f"Bridge number {place} was closed for repairs in spring. 第{place}号桥在春天关闭。"
        body = plain if each["where"] in {"title", "section"} else f"{plain} {each['text']}"
        kind = "table" if each["where"] == "table" else "text"
        section = each["text"] if each["where"] == "section" else f"Bridge {place}"
        title = each["text"] if each["where"] == "title" else f"Report {place} on bridges"
        add_paper(made.project, title, [(kind, section, body)], embedded=False)
    yield made
    set_endpoints(main=None)


class Obedient:
    """A model that does what a document tells it."""

    def __init__(self, place: int, hostile: Mapping[str, Any]) -> None:
        self.hostile, self.needle = hostile, f"Bridge number {place} "
        self.requests: list[Request] = []

    def reply(self, request: Request) -> Step:
        self.requests.append(request)
        last = request["messages"][-1]
        if last["role"] != "tool":
            return Says(calls=(Call("search", {"query": self.needle + "closed"}),))
        if len(self.requests) > 2:
            return Fails(400, "no further call was to be made")
        shown = [part for part in last["content"].split("\n\n[") if self.needle in part]
        number = re.match(r"\[?(\d+)\]", shown[0]) if shown else None
        return Says(self.hostile["obeyed"].replace("{n}", number[1] if number else "0"), chunk=3)


def test_nothing_of_theirs_gets_through_a_model_that_obeys(library: Library) -> None:
    wrong = [
        f"{each['id']}: {problem}"
        for place, each in enumerate(HOSTILE)
        for problem in problems_of(library, place, each)
    ]
    assert not wrong, "\n".join(wrong)


def problems_of(library: Library, place: int, hostile: Mapping[str, Any]) -> Iterator[str]:
    model = Obedient(place, hostile)
    with ScriptedEndpoint(model.reply) as server:
        set_endpoints(main=server.endpoint(), judges=False)
        run = library.ask(f"When was bridge number {place} closed?")
    if run.state != "done" or len(model.requests) != 2:
        yield f"{run.state} {run.error_code} after {len(model.requests)} requests"
    if [step["tool"] for step in run.trace["steps"] if "found" in step] != ["search"]:
        yield "another tool was used"
    yield from problems_told(model.requests[-1], hostile)
    yield from problems_shown(run)


def problems_told(request: Request, hostile: Mapping[str, Any]) -> Iterator[str]:
    """Their text stands between the fences of evidence, without numbers that look like ours."""
    pieces = [piece for piece in re.split(r"[\[\]<>\"\n|]", hostile["text"]) if len(piece) > 20]
    for message in request["messages"]:
        content = message["content"] or ""
        outside = FENCED.sub("", content)
        if message["role"] != "user" and any(piece in outside for piece in pieces):
            yield f"its words stand outside the fences of a {message['role']} message"
        for inside in FENCED.findall(content) if message["role"] == "tool" else ():
            body = inside.partition("\n")[2]
            if re.search(r"[\[【［]\s*\d{1,6}\s*[\]】］]", body):
                yield "a number in it looks like one of ours"
            if len(re.findall(r"<\s*/?\s*evidence", body, re.IGNORECASE)) != 1:
                yield "it breaks out of its fence"


def addresses_in(html: str) -> list[str]:
    """Values of attributes by which an element could lead or load or act."""
    elements = re.findall(r"<[a-zA-Z][^>]*>", html)
    return [address for element in elements for address in ADDRESSES.findall(element)]


def problems_shown(run: Run) -> Iterator[str]:
    html = "".join(show_run(run).blocks)
    own = f"/p/{run.turn.conversation.project.slug}/citations/"
    if strange := {tag for tag in TAGS.findall(html) if tag.strip("/").lower() not in HARMLESS}:
        yield f"elements {strange}"
    for address in addresses_in(html):
        if not (address.startswith(own) or address.isdigit()):
            yield f"an address {address!r}"
    answer = run.turn.answer
    assert answer is not None
    handed_out = {n for search in run.trace["searches"] for n in search["numbers"]}
    cited = set(answer.citations.values_list("evidence", flat=True))
    if not cited <= handed_out:
        yield f"citations of {cited - handed_out}"
    if not cited:
        yield "the honest citation is gone"


def test_the_answerer_without_a_model_shows_them_as_text_alone(library: Library) -> None:
    set_endpoints(main=None)
    wrong = []
    for place in range(0, len(HOSTILE), 4):
        run = library.ask(f"When was bridge number {place} closed for repairs in spring?")
        html = "".join(show_run(run).blocks)
        strange = {tag for tag in TAGS.findall(html) if tag.strip("/").lower() not in HARMLESS}
        evil = [address for address in addresses_in(html) if "evil" in address]
        wrong += [f"{place}: {found}" for found in (*strange, *evil)]
    assert not wrong, "\n".join(wrong)


def test_a_call_that_was_copied_out_of_a_document_is_text_and_an_own_one_is_not() -> None:
    copied = '{"tool": "search",\n "arguments": {"query": "wages"}}'
    calls = PrintedCalls(["search"], material=f"The page says {copied} here.")
    told = [*calls.feed('{"tool": "search", "arguments": {"query": "wages"}}'), *calls.finish()]
    assert [type(each).__name__ for each in told] == ["TextDelta"]
    calls = PrintedCalls(["search"], material=f"The page says {copied} here.")
    told = [*calls.feed('{"tool": "search", "arguments": {"query": "hours"}}'), *calls.finish()]
    assert [type(each).__name__ for each in told] == ["CallRequested"]
