"""The chat-model port: what an agent may ask of any model. Plain values, no vendor's words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeVar

from pydantic import BaseModel

Reply = TypeVar("Reply", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ToolCall:
    id: str
    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Message:
    """One entry of the append-only list. `tool_call_id` is set on results of a tool."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str = ""


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool offered to the model; `parameters` is a JSON schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TextDelta:
    text: str


@dataclass(frozen=True, slots=True)
class CallRequested:
    """A whole tool call, sent once its arguments are complete and valid JSON."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens. Zero where the server does not say."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.prompt_tokens + other.prompt_tokens,
            self.completion_tokens + other.completion_tokens,
        )


@dataclass(frozen=True, slots=True)
class Finished:
    """The last event of every stream that did not raise."""

    reason: Literal["stop", "tool_calls", "length", "filtered"]
    usage: Usage = field(default_factory=Usage)


@dataclass(frozen=True, slots=True)
class CitedText:
    """Verbatim text and the number of the evidence it stands in.

    `evidence` is None for words of the library that state nothing, such as a paper's title.
    Only a model that builds its answer from evidence yields this; others write markers as text.
    """

    text: str
    evidence: int | None


@dataclass(frozen=True, slots=True)
class Waiting:
    """Nothing new yet. Sent a few times a second, so that the caller can look up and stop."""


ModelEvent = TextDelta | CitedText | CallRequested | Waiting | Finished


class ModelError(Exception):
    """A model could not answer. `code` is stable; the text says what a person can do.

    Codes: `unreachable`, `timeout`, `rate_limited`, `unauthorized`, `no_such_model`,
    `context_too_long`, `bad_request`, `server_error`, `cut_off`, `empty`, `bad_reply`.
    """

    def __init__(self, code: str, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.retry_after = retry_after


class Spent(Protocol):
    """Hears what a reply cost; an estimate where the server does not say. Any thread may tell."""

    def __call__(self, usage: Usage, *, is_estimate: bool) -> None: ...


def uncounted(usage: Usage, *, is_estimate: bool) -> None:
    """For those who don't count."""


class ChatModel(Protocol):
    name: str

    def stream(
        self, messages: Sequence[Message], tools: Sequence[Tool] = ()
    ) -> Iterator[ModelEvent]:
        """Yield events as they come; the last one is `Finished`. Raises `ModelError`.

        A model that waits for a network yields `Waiting` meanwhile. Closing the iterator ends the
        request.
        """
        ...

    def complete_json(
        self, messages: Sequence[Message], schema: type[Reply], *, spent: Spent = uncounted
    ) -> Reply:
        """Return a validated reply after at most one repair try. Raises `ModelError`.

        `spent` hears of each reply, also of those that did not fit.
        """
        ...
