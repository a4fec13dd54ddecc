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
    calls: int = 8
    """Tool calls that one reply may make."""


@dataclass(frozen=True, slots=True)
class Nudges:
    """What the program says to the model, in the language of the question."""

    search_first: str
    in_words: str
    answer_now: str
    repeated: str
    too_many: str
    read_first: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    """`content` is for the model, `found` counts for the reader."""

    content: str
    found: Mapping[str, Any] = field(default_factory=dict)


class ToolError(Exception):
    """A tool can't do what it was asked; the text tells the model how to ask better."""


def could_not(problem: ToolError) -> ToolResult:
    return ToolResult(str(problem), {"error": str(problem)})


class StoppedError(Exception):
    """The reader pressed Stop while a model or a tool was at work."""


class Toolbox(Protocol):
    tools: Sequence[Tool]

    def use(self, calls: Sequence[ToolCall]) -> Sequence[ToolResult]:
        """The results in the order of the calls, which may be made at the same time.

        A call that can't be made has the result that `could_not` gives.
        """
        ...

    def has_evidence(self) -> bool:
        """Whether the run may cite anything yet."""
        ...

    def has_looked(self) -> bool:
        """Whether what papers say was looked for, found or not. Their titles are not that."""
        ...

    def has_read(self) -> bool:
        """Whether papers were read for evidence, as far as the run's skill demands it."""
        ...


class SegmentParser(Protocol):
    """Makes segments of a model's text; holds back what may become a marker."""

    def feed(self, text: str) -> list[Segment]: ...

    def finish(self) -> list[Segment]: ...
