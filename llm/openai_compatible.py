"""Any server that speaks OpenAI's chat completions: hosted ones, vLLM, Ollama, LM Studio, ..."""

import json
import re
import socket
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Literal

import openai
from pydantic import BaseModel

from llm.call_deltas import CallAssembler
from llm.failures import model_error, read_failure
from llm.last_line import WatchedBody
from llm.port import (
    CallRequested,
    Finished,
    Message,
    ModelError,
    ModelEvent,
    Reply,
    Spent,
    TextDelta,
    Tool,
    Usage,
    Waiting,
    uncounted,
)
from llm.printed_calls import PrintedCalls
from llm.prompted_tools import describe_in_words
from llm.spoken_roles import in_turns, without_system
from llm.structured import complete_with_repair
from llm.thinking import ThinkingFilter
from llm.waiting import with_waiting
from llm.whole_replies import as_chunks, is_whole

RETRIES = 2
LONGEST_PAUSE = 20.0
"""Seconds. A server that asks for a longer pause is not waited for."""

Reason = Literal["stop", "tool_calls", "length", "filtered"]
_REASONS: Mapping[str, Reason] = {
    "length": "length",
    "max_tokens": "length",
    "content_filter": "filtered",
    "sensitive": "filtered",
}
_REFUSALS = frozenset({400, 404, 405, 422, 500, 501})
"""What servers answer to a request that names something that they don't know."""
_NO_SYSTEM = re.compile(r"system.{0,20}(?:role|message).{0,30}(?:not|un)|no system role")
_RETRIED = frozenset({"rate_limited", "server_error", "unreachable", "empty"})


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is. `timeout` is the longest silence in seconds."""

    base_url: str
    model: str
    api_key: str = field(default="", repr=False)
    timeout: float = 120


class OpenAICompatible:
    """A `ChatModel` over HTTP. It learns at the first refusal what the server can't do."""

    def __init__(self, endpoint: Endpoint) -> None:
        self.name = endpoint.model
        self._endpoint = endpoint
        self._client = openai.OpenAI(
            base_url=endpoint.base_url,
            api_key=endpoint.api_key or "none",
            max_retries=0,
            timeout=openai.Timeout(endpoint.timeout, connect=10, pool=10),
        )
        self._takes_tools = True
        self._tells_usage = True
        self._takes_schemas = True
        self._takes_system = True
        self._takes_any_order = True

    @property
    def takes_tools(self) -> bool:
        """Whether the server has not refused tools yet."""
        return self._takes_tools

    def stream(
        self, messages: Sequence[Message], tools: Sequence[Tool] = ()
    ) -> Iterator[ModelEvent]:
        """Yield the reply as it comes. Retried only while nothing of it was passed on."""
        for attempt in range(RETRIES + 1):
            begun = False
            try:
                for event in self._attempt(messages, tools):
                    begun = begun or not isinstance(event, Waiting)
                    yield event
                return
            except ModelError as problem:
                if begun or attempt == RETRIES or not _worth_another_try(problem):
                    raise
                yield from _pause(problem.retry_after, attempt)

    def complete_json(
        self, messages: Sequence[Message], schema: type[Reply], *, spent: Spent = uncounted
    ) -> Reply:
        def complete(asked: Sequence[Message]) -> str:
            return self._complete(asked, schema, spent)

        return complete_with_repair(complete, messages, schema)

    def _attempt(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Iterator[ModelEvent]:
        connection = _Connection()

        def read() -> Iterator[Any]:
            opened = self._open(messages, tools)
            return connection.keep(opened, as_chunks(opened) if is_whole(opened) else opened)

        given = ("tool", "user")  # papers may be given whole, before the question
        material = "\n".join(each.content for each in messages if each.role in given)
        reader = _ReplyReader([tool.name for tool in tools], material)
        try:
            for chunk in with_waiting(read, close=connection.break_off):
                if isinstance(chunk, Waiting):
                    yield chunk
                else:
                    yield from reader.feed(chunk)
            yield from reader.finish(is_done=connection.is_done)
        except (openai.APIError, ValueError) as problem:
            raise read_failure(
                problem, secret=self._endpoint.api_key, opened=connection.opened
            ) from None

    def _open(self, messages: Sequence[Message], tools: Sequence[Tool]) -> Any:
        """Start the stream, leaving out what this server was found not to take."""
        while True:
            sent: dict[str, Any] = {"model": self.name, "stream": True}
            native = self._takes_tools
            spoken = messages if native else describe_in_words(messages, tools)
            sent["messages"] = [_as_sent(message) for message in self._in_its_roles(spoken)]
            if native and tools:
                sent["tools"] = [_tool_as_sent(tool) for tool in tools]
            if self._tells_usage:
                sent["stream_options"] = {"include_usage": True}
            try:
                return self._client.chat.completions.create(**sent)
            except openai.APIStatusError as problem:
                refused = problem.status_code in _REFUSALS
                if not (refused and self._learn(str(problem.body or problem).lower(), sent)):
                    raise

    def _in_its_roles(self, messages: Sequence[Message]) -> Sequence[Message]:
        spoken = messages if self._takes_system else without_system(messages)
        return spoken if self._takes_any_order else in_turns(spoken)

    def _learn(self, said: str, sent: Mapping[str, Any]) -> bool:
        """Whether a refusal names something that can be left out at the next try."""
        if "stream_options" in sent and ("stream_options" in said or "include_usage" in said):
            self._tells_usage = False
            return True
        if self._takes_tools and "tool" in said:
            self._takes_tools = False
            return True
        if self._takes_system and _NO_SYSTEM.search(said):
            self._takes_system = False
            return True
        if self._takes_any_order and "alternat" in said:
            self._takes_any_order = False
            return True
        return False

    def _complete(self, messages: Sequence[Message], schema: type[BaseModel], spent: Spent) -> str:
        for attempt in range(RETRIES + 1):
            try:
                reply = self._complete_once(messages, schema)
                choices = getattr(reply, "choices", None)
                text = str((choices[0].message.content if choices else "") or "")
                _tell(spent, reply, messages, text)
                if text:
                    return text
                raise model_error("empty")
            except ModelError as problem:
                if attempt == RETRIES or not _worth_another_try(problem):
                    raise
                for _ in _pause(problem.retry_after, attempt):
                    pass
        raise AssertionError("unreachable")

    def _complete_once(self, messages: Sequence[Message], schema: type[BaseModel]) -> Any:
        sent: dict[str, Any] = {
            "model": self.name,
            "messages": [
                _as_sent(message) for message in self._in_its_roles(describe_in_words(messages, ()))
            ],
        }
        if self._takes_schemas:
            sent["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": schema.__name__, "schema": schema.model_json_schema()},
            }
        try:
            return self._client.chat.completions.create(**sent)
        except openai.BadRequestError as problem:
            if self._learn(str(problem.body or problem).lower(), {}):
                return self._complete_once(messages, schema)
            if not self._takes_schemas:
                raise read_failure(problem, secret=self._endpoint.api_key) from None
            self._takes_schemas = False
            return self._complete_once(messages, schema)
        except (openai.APIError, ValueError) as problem:
            raise read_failure(problem, secret=self._endpoint.api_key) from None


class _ReplyReader:
    """Turns a server's chunks into model events."""

    def __init__(self, tool_names: Sequence[str], material: str) -> None:
        self._thinking = ThinkingFilter()
        self._printed = PrintedCalls(tool_names, material=material)
        self._assembler = CallAssembler()
        self._reason: str | None = None
        self._usage = Usage()
        self._spoke = self._called = False

    def feed(self, chunk: Any) -> Iterator[ModelEvent]:
        if getattr(chunk, "usage", None):
            self._usage = _usage_of(chunk)
        for choice in (getattr(chunk, "choices", None) or [])[:1]:
            delta = choice.delta
            for piece in getattr(delta, "tool_calls", None) or ():
                self._assembler.feed(piece)
            if old_call := getattr(delta, "function_call", None):
                self._assembler.feed(SimpleNamespace(index=0, id="", function=old_call))
            if text := _text_of(getattr(delta, "content", None)):
                yield from self._note(self._printed.feed(self._thinking.feed(text)))
            self._reason = choice.finish_reason or self._reason

    def finish(self, *, is_done: bool) -> Iterator[ModelEvent]:
        """The rest, and `Finished`. Raises `ModelError` if the reply broke off or is empty.

        A reply is whole if it says why it ended, or if its server `is_done`.
        """
        yield from self._note(self._printed.feed(self._thinking.finish()))
        yield from self._note(self._printed.finish())
        if self._reason is None and not is_done:
            raise model_error("cut_off")
        yield from self._note(CallRequested(call) for call in self._assembler.calls())
        told = _REASONS.get(self._reason or "")
        if not (self._spoke or self._called or told):
            raise model_error("empty")
        reason: Reason = "tool_calls" if self._called else told or "stop"
        yield Finished(reason, self._usage)

    def _note(self, events: Iterator[Any]) -> Iterator[ModelEvent]:
        for event in events:
            if isinstance(event, CallRequested):
                self._called = True
            elif isinstance(event, TextDelta):
                if not event.text:
                    continue
                self._spoke = self._spoke or bool(event.text.strip())
            yield event


def _usage_of(reply: Any) -> Usage:
    """Zero where the server does not say."""
    usage = getattr(reply, "usage", None)
    return Usage(
        int(getattr(usage, "prompt_tokens", 0) or 0),
        int(getattr(usage, "completion_tokens", 0) or 0),
    )


def _tell(spent: Spent, reply: Any, asked: Sequence[Message], text: str) -> None:
    """Say what a whole reply cost."""
    usage = _usage_of(reply)
    if usage.prompt_tokens + usage.completion_tokens:
        spent(usage, is_estimate=False)
        return
    prompt = "".join(message.content for message in asked)
    spent(Usage(_about_tokens(prompt), _about_tokens(text)), is_estimate=True)


def _about_tokens(text: str) -> int:
    """Roughly: four letters of English, or one and a half of Chinese, make a token."""
    return len(text.encode(errors="replace")) // 4


def _text_of(content: Any) -> str:
    """A delta's text, which some servers send as a list of parts."""
    if not isinstance(content, list):
        return str(content or "")
    return "".join(
        str(part.get("text") or "")
        for part in content
        if isinstance(part, Mapping) and part.get("type", "text") == "text"
    )


class _Connection:
    """The open response, so that another thread can break it off."""

    def __init__(self) -> None:
        self._stream: Any = None
        self._body: WatchedBody | None = None
        self._broken = False

    @property
    def opened(self) -> bool:
        return self._stream is not None

    @property
    def is_done(self) -> bool:
        return self._body is not None and self._body.is_done

    def keep(self, stream: Any, chunks: Iterable[Any]) -> Iterator[Any]:
        self._stream = stream
        if self._broken:
            stream.close()
            return iter(())
        if (response := getattr(stream, "response", None)) is not None:
            self._body = response.stream = WatchedBody(response.stream)
        return iter(chunks)

    def break_off(self) -> None:
        """Shut the socket: closing it would not wake the thread that reads it."""
        self._broken = True
        response = getattr(self._stream, "response", None)
        if response is None or response.is_closed:
            return
        network = response.extensions.get("network_stream")
        with suppress(OSError, AttributeError):
            network.get_extra_info("socket").shutdown(socket.SHUT_RDWR)


def _worth_another_try(problem: ModelError) -> bool:
    return problem.code in _RETRIED and (problem.retry_after or 0) <= LONGEST_PAUSE


def _pause(retry_after: float | None, attempt: int) -> Iterator[Waiting]:
    until = time.monotonic() + (0.5 * 2**attempt if retry_after is None else retry_after)
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(left, 0.2))
        yield Waiting()


def _as_sent(message: Message) -> dict[str, Any]:
    sent: dict[str, Any] = {"role": message.role, "content": message.content}
    if message.tool_calls:
        sent["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {
                    "name": call.name,
                    "arguments": json.dumps(dict(call.arguments), ensure_ascii=False),
                },
            }
            for call in message.tool_calls
        ]
    if message.tool_call_id:
        sent["tool_call_id"] = message.tool_call_id
    return sent


def _tool_as_sent(tool: Tool) -> dict[str, Any]:
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": dict(tool.parameters),
        },
    }
