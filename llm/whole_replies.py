"""A server that answers a request for a stream with the whole reply at once, as one chunk."""

import json
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any


def is_whole(stream: Any) -> bool:
    """Whether the response to a request for a stream is one JSON object."""
    response = getattr(stream, "response", None)
    kind = response.headers.get("content-type", "") if response is not None else ""
    return str(kind).partition(";")[0].strip().lower() == "application/json"


def as_chunks(stream: Any) -> Iterator[Any]:
    """The reply in the shape of a stream's chunks. Raises `ValueError` if it is no reply."""
    try:
        value = json.loads(stream.response.read())
    finally:
        stream.response.close()
    if not isinstance(value, dict) or not value.get("choices"):
        raise ValueError("no choices")
    reply = _named(value)
    for choice in reply.choices[:1]:
        choice.delta = getattr(choice, "message", SimpleNamespace())
        choice.finish_reason = getattr(choice, "finish_reason", None) or "stop"
    yield reply


def _named(value: Any) -> Any:
    """Objects with attributes, as the client gives chunks; arguments that are objects stay so."""
    if isinstance(value, list):
        return [_named(part) for part in value]
    if not isinstance(value, dict):
        return value
    named = {name: part if name == "arguments" else _named(part) for name, part in value.items()}
    return SimpleNamespace(**named)
