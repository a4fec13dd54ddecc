"""What happens in a run, as frozen values: what the agent yields and what the stream carries."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from citations.segments import Segment, segments_from_json, segments_to_json
from llm.port import Usage, Waiting


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """A tool was called. `arguments` are the model's."""

    tool: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolEnded:
    """A tool answered. `found` counts what it found, or names an `error`."""

    tool: str
    arguments: Mapping[str, Any]
    found: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class TextAdded:
    """More of the answer."""

    segments: tuple[Segment, ...]


@dataclass(frozen=True, slots=True)
class TextWithdrawn:
    """The text so far was not the answer: the model goes on working."""


@dataclass(frozen=True, slots=True)
class EvidenceKnown:
    """Which papers the evidence numbers stand for, as far as they are new."""

    sources: Mapping[int, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class Noticed:
    """Something the reader should know beside the answer, by a stable code."""

    code: str
    detail: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TokensUsed:
    """What one model call cost; an estimate where the server does not say."""

    usage: Usage
    is_estimate: bool = False


@dataclass(frozen=True, slots=True)
class AgentEnded:
    """The agent is done. `reason`: answered, limit, stopped."""

    reason: str


@dataclass(frozen=True, slots=True)
class RunFailed:
    """The run ended by an error; the text so far is kept. `code` is stable."""

    code: str
    message: str


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The last event of a run's stream: everything is stored. `state` is a `Run.State`."""

    state: str


AgentEvent = (
    ToolStarted
    | ToolEnded
    | TextAdded
    | TextWithdrawn
    | Noticed
    | TokensUsed
    | Waiting
    | AgentEnded
)
StreamEvent = (
    ToolStarted
    | ToolEnded
    | TextAdded
    | TextWithdrawn
    | EvidenceKnown
    | Noticed
    | RunFailed
    | RunEnded
)
_PLAIN: dict[str, Any] = {
    "tool_started": ToolStarted,
    "tool_ended": ToolEnded,
    "withdrawn": TextWithdrawn,
    "noticed": Noticed,
    "failed": RunFailed,
    "ended": RunEnded,
}
_NAMES = {kind: name for name, kind in _PLAIN.items()}


def event_to_json(event: StreamEvent) -> dict[str, Any]:
    """A value that JSON can hold, read back by `event_from_json`."""
    if isinstance(event, TextAdded):
        return {"kind": "text", "segments": segments_to_json(list(event.segments))}
    if isinstance(event, EvidenceKnown):
        sources = {str(number): dict(source) for number, source in event.sources.items()}
        return {"kind": "evidence", "sources": sources}
    return {"kind": _NAMES[type(event)], **asdict(event)}


def event_from_json(value: Mapping[str, Any]) -> StreamEvent:
    """The event that `event_to_json` wrote."""
    kind = value["kind"]
    if kind == "text":
        return TextAdded(tuple(segments_from_json(value["segments"])))
    if kind == "evidence":
        return EvidenceKnown({int(number): kept for number, kept in value["sources"].items()})
    fields = {name: part for name, part in value.items() if name != "kind"}
    event: StreamEvent = _PLAIN[kind](**fields)
    return event
