"""What an endpoint can do, found by asking it three small things."""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any

from pydantic import BaseModel

from llm.openai_compatible import Endpoint, OpenAICompatible
from llm.port import CallRequested, Finished, Message, ModelError, TextDelta, Tool

SECONDS = 30.0
"""The longest silence of an endpoint that is looked at."""
ECHO = Tool(
    "look_up",
    "Look up the price of a thing.",
    {"type": "object", "properties": {"thing": {"type": "string"}}, "required": ["thing"]},
)


class Colour(BaseModel):
    """A reply that must fit."""

    colour: str


@dataclass(frozen=True, slots=True)
class Found:
    """`code` and `message` say why it does not answer at all; `first_word` is in seconds.

    `tools` is `native`, `in words` (it follows a protocol in plain text) or empty.
    """

    answers: bool = False
    streams: bool = False
    tools: str = ""
    json: bool = False
    tells_usage: bool = False
    first_word: float | None = None
    code: str = ""
    message: str = ""

    def as_json(self) -> dict[str, Any]:
        return asdict(self)


def probe(endpoint: Endpoint, *, now: Callable[[], float] = time.monotonic) -> Found:
    """Ask and see. Raises nothing: what fails is part of what was found, without the key."""
    model = OpenAICompatible(replace(endpoint, timeout=min(endpoint.timeout, SECONDS)))
    try:
        found = _speaks(model, now)
    except ModelError as problem:
        return Found(code=problem.code, message=str(problem))
    return replace(found, tools=_tools(model), json=_keeps_a_schema(model))


def _speaks(model: OpenAICompatible, now: Callable[[], float]) -> Found:
    started, first, parts, usage = now(), None, 0, 0
    for event in model.stream([Message("user", "Count from one to ten in words.")]):
        if isinstance(event, TextDelta):
            first = first if first is not None else now() - started
            parts += 1
        elif isinstance(event, Finished):
            usage = event.usage.prompt_tokens + event.usage.completion_tokens
    return Found(
        answers=True, streams=parts > 1, tells_usage=usage > 0, first_word=round(first or 0.0, 2)
    )


def _tools(model: OpenAICompatible) -> str:
    asked = [Message("user", "What is the price of a lemon? Use the tool `look_up`.")]
    try:
        called = [e.call for e in model.stream(asked, [ECHO]) if isinstance(e, CallRequested)]
    except ModelError:
        return ""
    if not any(call.name == ECHO.name for call in called):
        return ""
    printed = called[0].id.startswith("printed_") or not model.takes_tools
    return "in words" if printed else "native"


def _keeps_a_schema(model: OpenAICompatible) -> bool:
    try:
        model.complete_json([Message("user", "Which colour has a lemon?")], Colour)
    except ModelError:
        return False
    return True
