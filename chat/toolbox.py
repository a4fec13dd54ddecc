"""What the agent needs of its surroundings: limits, words, tools, a parser of model text."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from citations.segments import Segment
from llm.port import Tool, ToolCall


@dataclass(frozen=True, slots=True)
class Limits:
    """Where a run must come to its answer. `tokens` counts all calls of the model together.

    The answer itself may take `grace` seconds more and have at most `reply_tokens`.
    """

    steps: int = 8
    tokens: int = 120_000
    seconds: float = 240
    grace: float = 120
    reply_tokens: int = 6_000


@dataclass(frozen=True, slots=True)
class Nudges:
    """What the program says to the model, in the language of the question."""

    search_first: str
    in_words: str
    answer_now: str
    repeated: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """`content` is for the model, `found` counts for the reader."""

    content: str
    found: Mapping[str, Any] = field(default_factory=dict)


class ToolError(Exception):
    """A tool can't do what it was asked; the text tells the model how to ask better."""


class StoppedError(Exception):
    """The reader pressed Stop while a model or a tool was at work."""


class Toolbox(Protocol):
    tools: Sequence[Tool]

    def use(self, call: ToolCall) -> ToolResult:
        """Raises `ToolError`."""
        ...

    def has_evidence(self) -> bool:
        """Whether the run may cite anything yet."""
        ...


class SegmentParser(Protocol):
    """Makes segments of a model's text; holds back what may become a marker."""

    def feed(self, text: str) -> list[Segment]: ...

    def finish(self) -> list[Segment]: ...
