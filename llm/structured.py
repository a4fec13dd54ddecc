"""Replies that must fit a schema: asked for, checked, and asked for once more if they don't fit."""

import json
import re
from collections.abc import Callable, Sequence
from itertools import islice

from pydantic import ValidationError

from llm.port import Message, ModelError, Reply

Complete = Callable[[Sequence[Message]], str]

_THINKING = re.compile(r"\A\s*<think>.*?</think>", re.DOTALL)
_OPENER = re.compile(r"[{\[]")
_DECODER = json.JSONDecoder(strict=False)
MOST_TRIES = 12
"""Places where JSON may begin: models write `[1]` before it, or set it in two pairs of braces."""
_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)


def complete_with_repair(
    complete: Complete, messages: Sequence[Message], schema: type[Reply]
) -> Reply:
    """Ask with the schema in words; on a bad reply show what was wrong and ask once more.

    Raises `ModelError("bad_reply")` if the second reply does not fit either.
    """
    asked = [*messages, Message("user", _instructions(schema))]
    text = complete(asked)
    try:
        return parse_reply(text, schema)
    except ValueError as problem:
        asked += [
            Message("assistant", text),
            Message(
                "user",
                f"That does not fit the schema: {_short(problem)}\nReply with the JSON only.",
            ),
        ]
    try:
        return parse_reply(complete(asked), schema)
    except ValueError as problem:
        raise ModelError(
            "bad_reply", "The model did not reply in the form that was asked for."
        ) from problem


def parse_reply(text: str, schema: type[Reply]) -> Reply:
    """Read a reply out of `text`: bare JSON, in a fence, or among words. Raises `ValueError`."""
    bare = _THINKING.sub("", text).strip()
    fenced = _FENCE.search(bare)
    candidate = fenced.group(1) if fenced else bare
    problem: ValueError | None = None
    for opener in islice(_OPENER.finditer(candidate), MOST_TRIES):
        try:
            value, _ = _DECODER.raw_decode(candidate, opener.start())
            return schema.model_validate(value)
        except ValueError as misfit:
            problem = problem or misfit
    raise problem or ValueError("there is no JSON in the reply")


def _instructions(schema: type[Reply]) -> str:
    shape = json.dumps(schema.model_json_schema(), ensure_ascii=False)
    return f"Reply with one JSON object and nothing else. Its JSON schema:\n{shape}"


def _short(problem: ValueError) -> str:
    if isinstance(problem, ValidationError):
        return "; ".join(
            f"{'.'.join(map(str, error['loc'])) or 'reply'}: {error['msg']}"
            for error in problem.errors()[:5]
        )
    return str(problem)[:300]
