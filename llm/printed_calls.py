"""Tool calls that a model prints as text instead of making them, found while it still streams.

Many local models answer `{"name": "search", "arguments": {...}}`, in a code fence, between
`<tool_call>` tags or in double braces. Text that may turn out to be such a call is held back until
that is decided; what isn't one is passed on unchanged.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from llm.port import CallRequested, TextDelta, ToolCall

LONGEST_CALL = 6_000
"""Characters held back at most: a longer text is no call."""

_OPENING = re.compile(
    r"(?:^|\n)[ \t]*(?=<tool_call>|<function|```(?:json|tool_call|tool_code)?[ \t]*\n|\[?\{)"
)
_POSSIBLE_OPENING = re.compile(r"(?:^|\n)[ \t]*(?:<[a-z_]{0,10}|`{1,3}[a-z_]{0,9}[ \t]*|\[)?\Z")
_WRAPPING = re.compile(
    r"\A\s*(?:<tool_call>|<function[^>]*>|```\w*)\s*|\s*(?:</tool_call>|</function>|```)\s*\Z"
)
_JSON_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*(?:"|\Z)|[{}\[\]]', re.DOTALL)
"""A string, closed or not yet, or a bracket."""
_BRACKETS = str.maketrans("⟦⟧", "[]")
_CLOSINGS = ("</tool_call>", "</function>", "```")


class PrintedCalls:
    """Feed it a model's text piece by piece; it gives back text and the calls that were printed."""

    def __init__(self, tool_names: Sequence[str], *, material: str = "") -> None:
        """`material`: what the model was given to read. A call that stands in it was copied."""
        self._names = frozenset(tool_names)
        self._material = squeezed(material)
        self._held = ""
        self._at_start = True
        self._closing_due = False
        self._count = 0

    def feed(self, text: str) -> Iterator[TextDelta | CallRequested]:
        if not self._names:
            yield TextDelta(text)
            return
        self._held += text
        yield from self._decide(last=False)

    def finish(self) -> Iterator[TextDelta | CallRequested]:
        """What was still held back. No more text may be fed."""
        yield from self._decide(last=True)
        yield from self._release(len(self._held))

    def _decide(self, *, last: bool) -> Iterator[TextDelta | CallRequested]:
        while self._held:
            if self._closing_due and not self._drop_closing(last=last):
                return
            opening = self._search(_OPENING)
            if opening is None:
                possible = None if last else self._search(_POSSIBLE_OPENING)
                yield from self._release(possible.start() if possible else len(self._held))
                return
            yield from self._release(opening.start())
            end = _end_of_json(self._held)
            if end is None:
                if last or len(self._held) > LONGEST_CALL:
                    yield from self._release(len(self._held))
                return
            calls = parse_calls(self._held[:end], self._names)
            if not calls or squeezed(_WRAPPING.sub("", self._held[:end])) in self._material:
                yield from self._release(end)
                continue
            yield from self._take(calls, end)

    def _drop_closing(self, *, last: bool) -> bool:
        """Take away the fence or tag that closes a call. False while it may still be coming."""
        rest = self._held.lstrip()
        if not last and any(closing.startswith(rest) for closing in _CLOSINGS):
            return False
        closing = next((closing for closing in _CLOSINGS if rest.startswith(closing)), "")
        self._held, self._closing_due = rest[len(closing) :], False
        return True

    def _search(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        """A match that begins a line; text after released text of the same line does not."""
        match = pattern.search(self._held)
        if match and match.start() == 0 and not self._at_start and self._held[0] != "\n":
            match = pattern.search(self._held, 1)
            if match and match.start() == 1 and self._held[1] != "\n":
                return None
        return match

    def _release(self, end: int) -> Iterator[TextDelta]:
        text, self._held = self._held[:end], self._held[end:]
        if text:
            self._at_start = False
            yield TextDelta(text)

    def _take(
        self, calls: Sequence[tuple[str, dict[str, Any]]], end: int
    ) -> Iterator[CallRequested]:
        self._held = self._held[end:]
        self._at_start = self._closing_due = True
        for name, arguments in calls:
            self._count += 1
            yield CallRequested(ToolCall(f"printed_{self._count}", name, arguments))


def squeezed(text: str) -> str:
    """Text without what copying may change: white space and bracket signs around numbers."""
    return "".join(text.translate(_BRACKETS).split())


def parse_calls(text: str, names: frozenset[str]) -> list[tuple[str, dict[str, Any]]]:
    """The calls of known tools that `text` spells out, or none if it is anything else."""
    bare = _WRAPPING.sub("", text).strip()
    for candidate in (bare, *_single_braces(bare)):
        try:
            value = json.loads(candidate, strict=False)
        except ValueError:
            continue
        return list(_calls_in(value, names))
    return []


def _calls_in(value: Any, names: frozenset[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    if isinstance(value, list):
        for part in value:
            yield from _calls_in(part, names)
    elif isinstance(value, Mapping):
        if isinstance(value.get("tool_calls"), list):
            yield from _calls_in(value["tool_calls"], names)
            return
        inner = value.get("function")
        spelled = inner if isinstance(inner, Mapping) else value
        name = next((spelled[k] for k in ("name", "tool", "function") if k in spelled), None)
        if isinstance(name, str) and name in names:
            given: Any = next(
                (spelled[k] for k in ("arguments", "parameters", "args") if k in spelled),
                {},
            )
            yield name, read_arguments(given)


def read_arguments(given: Any) -> dict[str, Any]:
    """Arguments as an object: given as one, or as JSON text, once or twice encoded; else empty."""
    for _ in range(2):
        if not isinstance(given, str):
            break
        try:
            given = json.loads(given, strict=False)
        except ValueError:
            return {}
    return dict(given) if isinstance(given, Mapping) else {}


def _single_braces(text: str) -> tuple[str, ...]:
    """`{{...}}` as one object: prompts' templates teach some models to double their braces."""
    if not text.startswith("{{"):
        return ()
    return (text[1:-1], text.replace("{{", "{").replace("}}", "}"))


def _end_of_json(text: str) -> int | None:
    """Where the first object or list of `text` closes, or None while it is still open."""
    depth = 0
    start = next((at for at, sign in enumerate(text) if sign in "{["), len(text))
    for token in _JSON_TOKEN.finditer(text, start):
        if token[0] in "{[":
            depth += 1
        elif token[0] in "}]":
            depth -= 1
            if depth <= 0:
                return token.end()
    return None
