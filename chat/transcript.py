"""What the events of a run add up to: the answer so far, its sources, steps and notices. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from chat.events import (
    EvidenceKnown,
    Noticed,
    RunEnded,
    RunFailed,
    StreamEvent,
    TextAdded,
    TextWithdrawn,
    ToolEnded,
    ToolStarted,
)
from citations.segments import Segment


@dataclass(slots=True)
class Transcript:
    """Grows with each event. `sources` is keyed by the run's evidence numbers."""

    segments: list[Segment] = field(default_factory=list)
    sources: dict[int, Mapping[str, Any]] = field(default_factory=dict)
    steps: list[ToolStarted | ToolEnded] = field(default_factory=list)
    notices: list[Noticed] = field(default_factory=list)
    failure: RunFailed | None = None
    ended: RunEnded | None = None

    def add(self, event: StreamEvent) -> None:
        match event:
            case TextAdded():
                self.segments.extend(event.segments)
            case TextWithdrawn():
                self.segments.clear()
            case EvidenceKnown():
                self.sources.update(event.sources)
            case ToolStarted() | ToolEnded():
                self.steps.append(event)
            case Noticed():
                self.notices.append(event)
            case RunFailed():
                self.failure = event
            case RunEnded():
                self.ended = event

    @classmethod
    def of(cls, events: Iterable[StreamEvent]) -> "Transcript":
        transcript = cls()
        for event in events:
            transcript.add(event)
        return transcript


def changed_blocks(before: list[str], after: list[str]) -> tuple[int, list[str]] | None:
    """From which block on the answer changed, and the blocks from there; None if nothing did."""
    if before == after:
        return None
    same = 0
    for one, other in zip(before, after, strict=False):
        if one != other:
            break
        same += 1
    return same, after[same:]
