"""The adapter against a real HTTP server that speaks the protocol from a script."""

import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise

import pytest
from pydantic import BaseModel

from llm.openai_compatible import Endpoint, OpenAICompatible
from llm.port import (
    CallRequested,
    Finished,
    Message,
    ModelError,
    ModelEvent,
    TextDelta,
    Tool,
    Usage,
    Waiting,
)
from llm.scripted import Call, Fails, Request, Says, ScriptedEndpoint

SEARCH = Tool(
    "search",
    "Search the library.",
    {"type": "object", "properties": {"query": {"type": "string"}}},
)
ASKED = [Message("user", "What is a lemon?")]


def heard(model: OpenAICompatible, tools: tuple[Tool, ...] = (SEARCH,)) -> list[ModelEvent]:
    return [e for e in model.stream(ASKED, tools) if not isinstance(e, Waiting)]


def text_of(events: list[ModelEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def calls_of(events: list[ModelEvent]) -> list[tuple[str, dict[str, object]]]:
    return [(e.call.name, dict(e.call.arguments)) for e in events if isinstance(e, CallRequested)]


TWO_CALLS = [("search", {"query": "市场"}), ("search", {"query": "lemons"})]
DIALECTS = {
    "pieces of one character": Says(
        calls=(Call("search", {"query": "市场"}), Call("search", {"query": "lemons"})),
        chunk=1,
    ),
    "whole at once": Says(
        calls=(Call("search", {"query": "市场"}), Call("search", {"query": "lemons"})),
        chunk=9999,
    ),
    "interleaved": Says(
        calls=(Call("search", {"query": "市场"}), Call("search", {"query": "lemons"})),
        chunk=3,
        interleaved=True,
    ),
    "without an index": Says(
        calls=(
            Call("search", {"query": "市场"}, index=None),
            Call("search", {"query": "lemons"}, index=None),
        )
    ),
    "index 0 for all": Says(
        calls=(
            Call("search", {"query": "市场"}, index=0),
            Call("search", {"query": "lemons"}, index=0),
        )
    ),
    "without ids": Says(
        calls=(
            Call("search", {"query": "市场"}, id=""),
            Call("search", {"query": "lemons"}, id=""),
        )
    ),
    "arguments encoded twice": Says(
        calls=(
            Call("search", '"{\\"query\\": \\"市场\\"}"'),
            Call("search", {"query": "lemons"}),
        )
    ),
    "finish reason says stop": Says(
        calls=(Call("search", {"query": "市场"}), Call("search", {"query": "lemons"})),
        finish="stop",
    ),
    "finish reason of old servers": Says(
        calls=(Call("search", {"query": "市场"}), Call("search", {"query": "lemons"})),
        finish="function_call",
    ),
    "no usage": Says(
        calls=(Call("search", {"query": "市场"}), Call("search", {"query": "lemons"})),
        usage=None,
    ),
    "whole, though a stream was asked for": Says(
        calls=(Call("search", {"query": "市场"}), Call("search", {"query": "lemons"})),
        style="whole",
    ),
    "printed in a fence": Says(
        '```json\n[{"name": "search", "arguments": {"query": "市场"}},'
        ' {"name": "search", "parameters": {"query": "lemons"}}]\n```'
    ),
    "printed in tags": Says(
        '<tool_call>\n{"name": "search", "arguments": {"query": "市场"}}\n</tool_call>\n'
        '<tool_call>\n{"name": "search", "arguments": {"query": "lemons"}}\n</tool_call>',
        chunk=2,
    ),
    "printed in double braces": Says(
        '{{"tool": "search", "arguments": {"query": "市场"}}}\n'
        '{"function": "search", "args": {"query": "lemons"}}'
    ),
    "printed after thinking": Says(
        '<think>I should { search</think>\n{"tool": "search", "arguments": {"query": "市场"}}\n'
        '{"tool": "search", "arguments": "{\\"query\\": \\"lemons\\"}"}',
        reasoning="first I think",
    ),
}


@pytest.mark.parametrize("says", DIALECTS.values(), ids=DIALECTS.keys())
def test_tool_calls_arrive_whole_in_every_dialect(says: Says) -> None:
    with ScriptedEndpoint([says]) as server:
        events = heard(OpenAICompatible(server.endpoint()))
    assert calls_of(events) == TWO_CALLS
    assert text_of(events).strip() == ""
    assert events[-1] == Finished("tool_calls", Usage(*(says.usage or (0, 0))))
    ids = [event.call.id for event in events if isinstance(event, CallRequested)]
    assert len(set(ids)) == 2


@pytest.mark.parametrize("chunk", [1, 2, 5, 1000])
@pytest.mark.parametrize(
    "text",
    [
        "Lemons are bad cars [1].",
        'A set is written {"a", "b"} in text.\n{1, 2} begins a line.\n[1] too.',
        '```json\n{"price": 3}\n```\nThat was an example.',
        "x < y\n<b>bold</b> and `code`\n```python\nprint(1)\n```\n",
        '{"name": "unknown_tool", "arguments": {}}',
        "中文回答【1】。\n{没有闭合",
        "one line\n",
    ],
)
def test_text_that_is_no_call_passes_unchanged_however_it_is_split(text: str, chunk: int) -> None:
    with ScriptedEndpoint([Says(text, chunk=chunk)]) as server:
        events = heard(OpenAICompatible(server.endpoint()))
    assert text_of(events) == text
    assert calls_of(events) == []


def test_reasoning_is_never_part_of_the_answer() -> None:
    says = Says(
        "<think>secret thoughts</think>\n\nThe answer.",
        reasoning="more thoughts",
        chunk=3,
    )
    with ScriptedEndpoint([says]) as server:
        assert text_of(heard(OpenAICompatible(server.endpoint()))) == "The answer."


def test_arguments_that_are_no_json_become_empty_so_that_the_tool_can_say_what_it_needs() -> None:
    with ScriptedEndpoint([Says(calls=(Call("search", '{"query": "cut'),))]) as server:
        assert calls_of(heard(OpenAICompatible(server.endpoint()))) == [("search", {})]


@pytest.mark.parametrize(
    ("finish", "reason"),
    [
        ("stop", "stop"),
        ("eos", "stop"),
        ("length", "length"),
        ("content_filter", "filtered"),
    ],
)
def test_finish_reasons_are_told_apart(finish: str, reason: str) -> None:
    with ScriptedEndpoint([Says("some text", finish=finish)]) as server:
        last = heard(OpenAICompatible(server.endpoint()))[-1]
    assert isinstance(last, Finished)
    assert last.reason == reason


def test_a_server_without_tools_is_asked_in_words_from_then_on() -> None:
    def answer(request: Request) -> Says | Fails:
        if "tools" in request:
            return Fails(400, "this model does not support tools")
        return Says('{"tool": "search", "arguments": {"query": "lemons"}}')

    with ScriptedEndpoint(answer) as server:
        model = OpenAICompatible(server.endpoint())
        assert calls_of(heard(model)) == [("search", {"query": "lemons"})]
        assert calls_of(heard(model)) == [("search", {"query": "lemons"})]
        told = server.requests[1]["messages"]
    assert "Search the library." in told[0]["content"]
    assert len(server.requests) == 3


@pytest.mark.parametrize("status", [400, 404, 422, 500, 501])
def test_tools_may_be_refused_in_any_way(status: int) -> None:
    def answer(request: Request) -> Says | Fails:
        return Fails(status, "tools param requires --jinja") if "tools" in request else Says("yes")

    with ScriptedEndpoint(answer) as server:
        assert text_of(heard(OpenAICompatible(server.endpoint()))) == "yes"
        assert len(server.requests) == 2


def test_a_template_that_knows_fewer_roles_is_spoken_to_in_its_own() -> None:
    def answer(request: Request) -> Says | Fails:
        roles = [message["role"] for message in request["messages"]]
        if "system" in roles:
            return Fails(400, "System role not supported")
        if any(one == other for one, other in pairwise(roles)):
            return Fails(400, "roles must alternate user/assistant/user/assistant")
        return Says("yes")

    asked = [Message("system", "Be brief."), Message("user", "One?"), Message("user", "Two?")]
    with ScriptedEndpoint(answer) as server:
        model = OpenAICompatible(server.endpoint())
        assert text_of(list(model.stream(asked))) == "yes"
        assert server.requests[-1]["messages"] == [
            {"role": "user", "content": "Be brief.\n\nOne?\n\nTwo?"}
        ]
        assert text_of(list(model.stream(asked))) == "yes"
        assert len(server.requests) == 4


@pytest.mark.parametrize("style", ["whole", "parts"])
def test_text_comes_through_in_odd_shapes(style: str) -> None:
    with ScriptedEndpoint([Says("文字 and text [1].", style=style)]) as server:
        events = heard(OpenAICompatible(server.endpoint()))
    assert text_of(events) == "文字 and text [1]."
    assert events[-1] == Finished("stop", Usage(10, 5))


def test_a_function_call_of_old_servers_is_a_tool_call() -> None:
    says = Says(calls=(Call("search", {"query": "市场"}),), style="old_call", chunk=3)
    with ScriptedEndpoint([says]) as server:
        assert calls_of(heard(OpenAICompatible(server.endpoint()))) == [
            ("search", {"query": "市场"})
        ]


def test_a_pause_that_is_named_by_a_date_is_kept() -> None:
    soon = format_datetime(datetime.now(UTC) + timedelta(seconds=1), usegmt=True)
    late = format_datetime(datetime.now(UTC) + timedelta(hours=1), usegmt=True)
    with ScriptedEndpoint([Fails(429, headers={"retry-after": soon}), Says("fine")]) as server:
        assert text_of(heard(OpenAICompatible(server.endpoint()))) == "fine"
    with ScriptedEndpoint([Fails(429, headers={"retry-after": late})]) as server:
        with pytest.raises(ModelError) as caught:
            heard(OpenAICompatible(server.endpoint()))
        assert caught.value.retry_after is not None


def test_a_server_that_refuses_stream_options_is_asked_without() -> None:
    def answer(request: Request) -> Says | Fails:
        return (
            Fails(400, "unknown field stream_options")
            if "stream_options" in request
            else Says("yes")
        )

    with ScriptedEndpoint(answer) as server:
        assert text_of(heard(OpenAICompatible(server.endpoint()))) == "yes"


@pytest.mark.parametrize(
    "failure",
    [
        Fails(429, headers={"retry-after": "0.05"}),
        Fails(503, headers={"retry-after": "0"}),
        Says(""),
    ],
    ids=["429", "503", "empty"],
)
def test_a_passing_failure_is_tried_again(failure: Says | Fails) -> None:
    with ScriptedEndpoint([failure, Says("fine")]) as server:
        assert text_of(heard(OpenAICompatible(server.endpoint()))) == "fine"


@pytest.mark.parametrize(
    ("step", "code", "requests"),
    [
        (Fails(401, "Incorrect API key provided: {key}"), "unauthorized", 1),
        (Fails(403, "{key} may not"), "unauthorized", 1),
        (Fails(404, "no such model, {key}"), "no_such_model", 1),
        (Fails(400, "bad field, your key is {key}"), "bad_request", 1),
        (Fails(400, "maximum context length is 4096"), "context_too_long", 1),
        (Fails(429, "slow down {key}", {"retry-after": "3600"}), "rate_limited", 1),
        (Fails(500, "boom {key}", {"retry-after": "0"}), "server_error", 3),
        (Says(""), "empty", 3),
        (Says("half an answer that breaks", cut_after=3), "cut_off", 1),
        (Says("no end", finish=None, done_line=False), "cut_off", 1),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_failures_are_typed_and_never_tell_the_key(
    step: Says | Fails, code: str, requests: int
) -> None:
    with ScriptedEndpoint(lambda _: step) as server:
        with pytest.raises(ModelError) as caught:
            heard(OpenAICompatible(server.endpoint(key="sk-very-secret-1234")))
        assert len(server.requests) == requests
    assert caught.value.code == code
    assert "very-secret" not in f"{caught.value!r} {caught.value} {caught.value.__cause__!r}"
    assert str(caught.value).endswith((".", "an", "096", "…")) or "It said" in str(caught.value)


@pytest.mark.parametrize("chunk", [1, 7, 400])
def test_a_server_that_is_done_need_not_say_why(chunk: int) -> None:
    script = [
        Says("All of it.", finish=None, chunk=chunk),
        Says(calls=(Call("search", {"query": "lemons"}),), finish=None, chunk=chunk),
    ]
    with ScriptedEndpoint(script) as server:
        model = OpenAICompatible(server.endpoint())
        said, called = heard(model), heard(model)
    assert text_of(said) == "All of it."
    assert isinstance(said[-1], Finished)
    assert said[-1].reason == "stop"
    assert isinstance(called[-1], Finished)
    assert called[-1].reason == "tool_calls"


def test_text_that_came_before_the_break_was_passed_on() -> None:
    with ScriptedEndpoint(
        [Says("The first half. The second half.", chunk=8, cut_after=3)]
    ) as server:
        got: list[ModelEvent] = []
        with pytest.raises(ModelError, match="broke"):
            got.extend(OpenAICompatible(server.endpoint()).stream(ASKED))
    assert text_of(got) == "The first half. "


def test_the_endpoint_never_shows_its_key() -> None:
    assert "sk-secret" not in repr(Endpoint("http://x/v1", "m", "sk-secret"))


def test_nobody_listening_is_unreachable() -> None:
    with ScriptedEndpoint([]) as server:
        endpoint = server.endpoint()
    with pytest.raises(ModelError) as caught:
        heard(OpenAICompatible(endpoint))
    assert caught.value.code == "unreachable"


def test_a_silent_server_runs_into_the_time_limit() -> None:
    late = ScriptedEndpoint([Says("late", first_delay=2)])
    with late as server, pytest.raises(ModelError) as caught:
        heard(OpenAICompatible(server.endpoint(timeout=0.3)))
    assert caught.value.code == "timeout"


def test_leaving_a_stream_ends_the_request_while_the_server_is_silent() -> None:
    with ScriptedEndpoint([Says("abcdefgh", chunk=1, delay=0.5)]) as server:
        stream = OpenAICompatible(server.endpoint()).stream(ASKED)
        while not isinstance(next(stream), TextDelta):
            pass
        started = time.monotonic()
        stream.close()  # type: ignore[attr-defined]  # a generator
        assert time.monotonic() - started < 0.5
        assert server.broken_off.wait(3)


class Picked(BaseModel):
    spans: list[str]


@pytest.mark.parametrize(
    "text",
    [
        '{"spans": ["a"]}',
        'Here you are:\n```json\n{"spans": ["a"]}\n```',
        '<think>{"spans": ["x"]}</think>{"spans": ["a"]} hope that helps',
    ],
)
def test_a_json_reply_is_found_among_words(text: str) -> None:
    with ScriptedEndpoint([Says(text)]) as server:
        assert OpenAICompatible(server.endpoint()).complete_json(ASKED, Picked) == Picked(
            spans=["a"]
        )


def test_a_bad_json_reply_is_repaired_once_and_only_once() -> None:
    def told_what_is_wrong(request: Request) -> bool:
        return "spans" in request["messages"][-1]["content"]

    with ScriptedEndpoint(
        [Says('{"span": 1}'), Says('{"spans": []}', expects=told_what_is_wrong)]
    ) as server:
        assert OpenAICompatible(server.endpoint()).complete_json(ASKED, Picked).spans == []
    twice = ScriptedEndpoint([Says("no"), Says("still no")])
    with twice as server, pytest.raises(ModelError) as caught:
        OpenAICompatible(server.endpoint()).complete_json(ASKED, Picked)
    assert caught.value.code == "bad_reply"


def test_a_server_without_schemas_is_asked_without() -> None:
    def answer(request: Request) -> Says | Fails:
        return (
            Fails(400, "response_format?")
            if "response_format" in request
            else Says('{"spans": []}')
        )

    with ScriptedEndpoint(answer) as server:
        model = OpenAICompatible(server.endpoint())
        model.complete_json(ASKED, Picked)
        model.complete_json(ASKED, Picked)
    assert len(server.requests) == 3


def test_the_scripted_endpoint_fails_on_unforeseen_and_on_unused_steps() -> None:
    with (
        pytest.raises(AssertionError, match="never asked for"),
        ScriptedEndpoint([Says("x")]),
    ):
        pass
    with (
        pytest.raises(AssertionError, match="unforeseen"),
        ScriptedEndpoint([]) as server,
        pytest.raises(ModelError),
    ):
        heard(OpenAICompatible(server.endpoint()))
