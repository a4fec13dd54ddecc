"""The loop, with a model behind a real HTTP endpoint and tools of this test's own."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import pytest

from chat.agent import Agent
from chat.events import (
    AgentEnded,
    AgentEvent,
    Noticed,
    TextAdded,
    TextWithdrawn,
    TokensUsed,
    ToolEnded,
    ToolStarted,
)
from chat.prompts import nudges
from chat.toolbox import Limits, ToolError, ToolResult, could_not
from citations.markers import MarkerParser, merged
from citations.segments import CiteSegment, Segment, TextSegment
from llm.openai_compatible import OpenAICompatible
from llm.port import (
    CallRequested,
    CitedText,
    Finished,
    Message,
    ModelEvent,
    TextDelta,
    Tool,
    ToolCall,
    Waiting,
)
from llm.scripted import Call, Says, ScriptedEndpoint, Step

SEARCH = Tool("search", "Search.", {"type": "object", "properties": {"query": {"type": "string"}}})


@dataclass
class Shelf:
    """Tools over a shelf of passages: each search hands out the next number."""

    known: set[int] = field(default_factory=set)
    queries: list[str] = field(default_factory=list)
    tools: Sequence[Tool] = (SEARCH,)
    is_read: bool = True

    def use(self, calls: Sequence[ToolCall]) -> list[ToolResult]:
        return [self._use(call) for call in calls]

    def _use(self, call: ToolCall) -> ToolResult:
        if call.name == "list_papers":
            return ToolResult("- The market for lemons", {"papers": 1})
        query = call.arguments.get("query")
        if not query:
            return could_not(ToolError("`search` needs a query."))
        self.queries.append(str(query))
        self.known.add(len(self.queries))
        return ToolResult(
            f"[{len(self.queries)}] a passage on {query}", {"passages": 1, "papers": 1}
        )

    def has_evidence(self) -> bool:
        return bool(self.known)

    def has_looked(self) -> bool:
        return bool(self.queries)

    def has_read(self) -> bool:
        return self.is_read


def search(*queries: str) -> Says:
    return Says(calls=tuple(Call("search", {"query": query}) for query in queries))


def ran(
    steps: Sequence[Step],
    *,
    shelf: Shelf | None = None,
    limits: Limits | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    question: str = "What is a lemon?",
) -> tuple[list[AgentEvent], Shelf, list[Message]]:
    shelf = shelf or Shelf()
    messages = [Message("system", "s"), Message("user", question)]
    with ScriptedEndpoint(steps) as server:
        agent = Agent(
            model=OpenAICompatible(server.endpoint()),
            toolbox=shelf,
            messages=messages,
            new_parser=lambda: MarkerParser(shelf.known),
            nudges=nudges(question),
            cancelled=cancelled,
            limits=limits or Limits(),
        )
        events: list[AgentEvent] = [e for e in agent.run() if not isinstance(e, Waiting)]
    return events, shelf, messages


def answer_of(events: Sequence[AgentEvent]) -> list[Segment]:
    segments: list[Segment] = []
    for event in events:
        if isinstance(event, TextWithdrawn):
            segments.clear()
        elif isinstance(event, TextAdded):
            segments.extend(event.segments)
    return merged(segments)


def text_of(events: Sequence[AgentEvent]) -> str:
    return "".join(
        f"[{part.evidence}]" if isinstance(part, CiteSegment) else part.text
        for part in answer_of(events)
    )


def notices(events: Sequence[AgentEvent]) -> list[str]:
    return [event.code for event in events if isinstance(event, Noticed)]


def test_a_search_and_a_cited_answer() -> None:
    events, _shelf, messages = ran(
        [search("lemons"), Says("Lemons are bad cars [1]. Not [9] that.")]
    )
    assert text_of(events) == "Lemons are bad cars [1]. Not that."
    assert CiteSegment(1) in answer_of(events)
    assert events[-1] == AgentEnded("answered")
    assert [e.found for e in events if isinstance(e, ToolEnded)] == [{"passages": 1, "papers": 1}]
    assert [message.role for message in messages] == ["system", "user", "assistant", "tool"]


def test_several_calls_at_once_are_all_answered_in_order() -> None:
    events, shelf, messages = ran([search("lemons", "peaches"), Says("Both [1][2].")])
    assert shelf.queries == ["lemons", "peaches"]
    results = [message for message in messages if message.role == "tool"]
    assert [result.tool_call_id for result in results] == ["call_1", "call_2"]
    assert [s.evidence for s in answer_of(events) if isinstance(s, CiteSegment)] == [1, 2]


def test_an_answer_without_looking_is_sent_back_once_and_never_shown() -> None:
    events, _, messages = ran([Says("From memory."), search("lemons"), Says("From evidence [1].")])
    assert "memory" not in "".join(
        part.text
        for e in events
        if isinstance(e, TextAdded)
        for part in e.segments
        if isinstance(part, TextSegment)
    )
    assert "without looking" in messages[3].content
    assert notices(events) == []


def test_titles_are_no_evidence_for_what_papers_say() -> None:
    titles = Says(calls=(Call("list_papers", {}),))
    events, _, messages = ran([titles, Says("Lemons are bad."), search("x"), Says("Bad [1].")])
    assert "without looking" in messages[5].content
    assert text_of(events) == "Bad [1]."
    assert notices(events) == []

    events, _, _ = ran([titles, Says("There is one paper."), Says("There is one paper.")])
    assert text_of(events) == "There is one paper."
    assert notices(events) == ["no_search"]


def test_a_call_that_failed_is_no_look_into_the_library() -> None:
    events, _, _ = ran([search(""), Says("From memory."), search("x"), Says("Bad [1].")])
    assert text_of(events) == "Bad [1]."


def test_an_answer_before_the_reading_that_is_demanded_is_sent_back_once() -> None:
    events, _, messages = ran(
        [search("lemons"), Says("Bad cars [1]."), Says("Still bad cars [1].")],
        shelf=Shelf(is_read=False),
    )
    assert "have not read" in messages[5].content
    assert text_of(events) == "Still bad cars [1]."


def test_more_calls_than_a_reply_may_make_are_told_so_and_can_be_made_again() -> None:
    events, shelf, messages = ran(
        [search("a", "b", "a", "c"), search("c"), Says("All [1][2][3].")], limits=Limits(calls=2)
    )
    assert shelf.queries == ["a", "b", "c"]
    results = [message.content for message in messages if message.role == "tool"]
    assert ["already" in result for result in results] == [False, False, True, False, False]
    assert "not made" in results[3]
    assert notices(events) == []


def test_who_insists_may_answer_without_looking_but_the_reader_is_told() -> None:
    events, _, _ = ran([Says("Hello."), Says("Hello again.")])
    assert text_of(events) == "Hello again."
    assert notices(events) == ["no_search"]


def test_bare_numbers_are_sent_back_once() -> None:
    events, _, messages = ran(
        [search("lemons"), Says("[1] [1]"), Says("A lemon is a bad car [1].")]
    )
    assert text_of(events).startswith("A lemon is a bad car")
    assert any(isinstance(event, TextWithdrawn) for event in events)
    assert "sentences" in messages[-1].content


def test_a_repeated_call_is_not_made_again() -> None:
    events, shelf, messages = ran([search("lemons"), search("lemons"), Says("Done [1].")])
    assert shelf.queries == ["lemons"]
    assert "already" in messages[-1].content
    assert len([e for e in events if isinstance(e, ToolStarted)]) == 1


def test_repeating_for_ever_ends_in_an_answer_that_says_so() -> None:
    repeats = [search("lemons")] * 3
    events, _shelf, _ = ran([*repeats, Says("What I have [1].")])
    assert notices(events) == ["limit"]
    assert events[-1] == AgentEnded("limit")
    assert "What I have" in text_of(events)


@pytest.mark.parametrize(
    ("limits", "name"),
    [(Limits(steps=2), "steps"), (Limits(tokens=20), "tokens"), (Limits(seconds=0.0), "seconds")],
)
def test_a_limit_reached_still_answers(limits: Limits, name: str) -> None:
    searches = [search("a"), search("b")] if name in ("steps", "tokens") else [search("a")]
    events, _, messages = ran([*searches, Says("So far [1].")], limits=limits)
    assert [e.detail for e in events if isinstance(e, Noticed)] == [{"limit": name}]
    assert "So far" in text_of(events)
    assert events[-1] == AgentEnded("limit")
    assert "No more searching" in messages[-1].content


def test_calls_after_a_limit_are_declined_and_end() -> None:
    events, shelf, _ = ran(
        [search("a"), search("b"), search("c"), search("d")], limits=Limits(steps=1)
    )
    assert shelf.queries == ["a"]
    assert events[-1] == AgentEnded("limit")


def test_a_tool_that_can_not_tells_the_model_how_to_ask() -> None:
    events, _shelf, messages = ran(
        [Says(calls=(Call("search", "{broken"),)), search("x"), Says("Yes [1].")]
    )
    assert messages[3].content == "`search` needs a query."
    assert next(e.found for e in events if isinstance(e, ToolEnded)) == {
        "error": "`search` needs a query."
    }


def test_text_before_a_further_call_is_withdrawn() -> None:
    says = Says("Let me look further.", calls=(Call("search", {"query": "peaches"}),))
    events, _, _ = ran([search("lemons"), says, Says("Here [2].")])
    assert any(isinstance(event, TextWithdrawn) for event in events)
    assert text_of(events).startswith("Here")


def test_a_printed_call_is_made_and_never_shown() -> None:
    printed = Says('{"tool": "search", "arguments": {"query": "lemons"}}')
    events, shelf, _ = ran([printed, Says("Found [1].")])
    assert shelf.queries == ["lemons"]
    assert "{" not in text_of(events)


def test_a_stop_in_mid_answer_keeps_the_text_so_far() -> None:
    seen: list[int] = []

    def cancelled() -> bool:
        seen.append(1)
        return len(seen) > 8

    long = Says("word " * 200, chunk=5, delay=0.01)
    events, _, _ = ran([search("lemons"), long], cancelled=cancelled)
    assert events[-1] == AgentEnded("stopped")
    assert 0 < len(text_of(events)) < 900


class EmptyShelf(Shelf):
    """No search finds anything."""

    def use(self, calls: Sequence[ToolCall]) -> list[ToolResult]:
        self.queries += [str(call.arguments["query"]) for call in calls]
        return [ToolResult("Nothing.", {"passages": 0, "papers": 0}) for _ in calls]


def test_an_answer_after_a_search_in_vain_is_shown_while_it_is_written() -> None:
    not_found = Says("The library says nothing about it. " * 20, chunk=10, delay=0.001)
    events, _, _ = ran([search("lemons"), not_found], shelf=EmptyShelf())
    assert len([e for e in events if isinstance(e, TextAdded)]) > 10
    assert notices(events) == []


def test_a_stop_keeps_the_text_of_an_answer_after_a_search_in_vain() -> None:
    seen: list[int] = []

    def cancelled() -> bool:
        seen.append(1)
        return len(seen) > 8

    long = Says("word " * 200, chunk=5, delay=0.01)
    events, _, _ = ran([search("lemons"), long], shelf=EmptyShelf(), cancelled=cancelled)
    assert 0 < len(text_of(events)) < 900


@pytest.mark.parametrize(
    ("limits", "name"),
    [(Limits(reply_tokens=100), "tokens"), (Limits(seconds=0.2, grace=0.3), "seconds")],
)
def test_a_reply_without_end_is_cut_and_kept(limits: Limits, name: str) -> None:
    endless = Says("and so on [1] " * 4_000, chunk=14, delay=0.002)
    events, _, _ = ran([search("lemons"), endless], limits=limits)
    assert text_of(events).startswith("and so on [1]")
    assert len(text_of(events)) < 30_000
    assert events[-1] == AgentEnded("limit")
    assert [e.detail for e in events if isinstance(e, Noticed)] == [{"limit": name}]


def test_a_chinese_question_is_nudged_in_chinese() -> None:
    _, _, messages = ran([Says("凭记忆。"), Says("还是凭记忆。")], question="什么是柠檬市场？")
    assert "文献库" in messages[3].content


def test_usage_is_told_for_every_call() -> None:
    events, _, _ = ran([search("a"), Says("b [1].")])
    used = [event.usage for event in events if isinstance(event, TokensUsed)]
    assert [(u.prompt_tokens, u.completion_tokens) for u in used] == [(10, 5), (10, 5)]


class Quoting:
    """A model that answers in verbatim sentences, as the extractive answerer does."""

    name = "quoting"

    def stream(
        self, messages: Sequence[Message], tools: Sequence[Tool] = ()
    ) -> Iterator[ModelEvent]:
        if messages[-1].role == "user":
            yield CallRequested(ToolCall("1", "search", {"query": "q"}))
        else:
            yield TextDelta("### ")
            yield CitedText("A title with [1] in it", None)
            yield CitedText("As shown by [1], lemons are sold.", 1)
        yield Finished("stop")

    def complete_json(self, messages: object, schema: object, *, spent: object = None) -> object:
        raise NotImplementedError


def test_verbatim_text_is_never_read_for_markers() -> None:
    shelf = Shelf()
    agent = Agent(
        model=Quoting(),  # type: ignore[arg-type]  # it never completes JSON
        toolbox=shelf,
        messages=[Message("user", "q")],
        new_parser=lambda: MarkerParser(shelf.known),
        nudges=nudges("q"),
        cancelled=lambda: False,
    )
    assert answer_of(list(agent.run())) == [
        TextSegment("### "),
        TextSegment("A title with [1] in it", verbatim=True),
        TextSegment("As shown by [1], lemons are sold.", verbatim=True),
        CiteSegment(1),
    ]
