"""What a worker keeps of a run while it goes on: published, kept against a crash, settled."""

import time
from dataclasses import dataclass, field
from typing import Any

from django.utils import timezone

from chat.events import (
    AgentEnded,
    AgentEvent,
    EvidenceKnown,
    Noticed,
    RunEnded,
    RunFailed,
    StreamEvent,
    TokensUsed,
    event_to_json,
)
from chat.evidence_book import EvidenceBook
from chat.history import EarlierTurn, fates
from chat.models import Run
from chat.settling import Ending, settle
from chat.showing_sources import streamed_source
from chat.streaming import Publisher
from chat.tools import LibraryTools
from chat.transcript import Transcript
from citations.markers import MarkerParser
from citations.segments import CiteSegment, segments_to_json
from llm.port import Usage, Waiting

HEARTBEAT = 2.0
"""Seconds between two signs of life; the text so far is stored with each."""


@dataclass(slots=True)
class Recorder:
    """One run's record. It ends with `finish` or `fail`, once."""

    run: Run
    book: EvidenceBook = field(default_factory=EvidenceBook)
    transcript: Transcript = field(default_factory=Transcript)
    tools: LibraryTools | None = None
    _usage: Usage = field(default_factory=Usage)
    _parsers: list[MarkerParser] = field(default_factory=list)
    _publisher: Publisher = field(init=False)
    _known: int = 0
    _beat_at: float = field(default_factory=time.monotonic)
    _reason: str = "answered"

    def __post_init__(self) -> None:
        self._publisher = Publisher(self.run.public_id)

    def begin(self, model_name: str, tools: LibraryTools) -> None:
        self.run.model, self.tools = model_name, tools
        self._tell_evidence()

    def new_parser(self) -> MarkerParser:
        """A parser that knows the numbers of this run, those yet to come included."""
        parser = MarkerParser(self.book)
        self._parsers.append(parser)
        return parser

    def see(self, event: AgentEvent) -> None:
        """Take note of what the agent yields."""
        if isinstance(event, TokensUsed):
            self._usage += event.usage
        elif isinstance(event, AgentEnded):
            self._reason = event.reason
        elif isinstance(event, Waiting):
            self._publisher.flush_if_due()
        else:
            self._tell_evidence()
            self._tell(event)
        if time.monotonic() - self._beat_at >= HEARTBEAT:
            self._beat()

    def finish(self, outcome: str, earlier: EarlierTurn | None) -> None:
        """Everything is stored before the last event is sent."""
        stopped = self._reason == "stopped"
        if removed := self._removed():
            self._tell(Noticed("unknown_numbers", {"count": len(removed)}))
        self._publisher.flush()
        if self._reason == "limit" and outcome == "answered":
            outcome = "limit"
        answer = self._settle(Run.State.STOPPED if stopped else Run.State.DONE, outcome)
        if answer and earlier and outcome == "rewritten":
            self.run.retention = fates(earlier, answer)
            self.run.save(update_fields=["retention"])
        self._publisher.publish(RunEnded(self.run.state))

    def fail(self, code: str, message: str) -> None:
        """End with an error; what was written stays."""
        self._tell(RunFailed(code, message))
        self._publisher.flush()
        self._settle(Run.State.FAILED, "", code=code, message=message)
        self._publisher.publish(RunEnded(self.run.state))

    def _tell(self, event: StreamEvent) -> None:
        self.transcript.add(event)
        self._publisher.publish(event)

    def _tell_evidence(self) -> None:
        """Say what new numbers stand for, before any text can cite them."""
        cited = self.book.cited()
        if len(cited) > self._known:
            new = dict(list(cited.items())[self._known :])
            self._known = len(cited)
            self._tell(EvidenceKnown({n: streamed_source(each) for n, each in new.items()}))

    def _beat(self) -> None:
        self._beat_at = time.monotonic()
        draft = {
            "segments": segments_to_json(self.transcript.segments),
            "evidence": self.book.to_json(),
            "trace": self._trace(),
        }
        Run.objects.filter(pk=self.run.pk, state=Run.State.RUNNING).update(
            heartbeat_at=timezone.now(), draft=draft
        )

    def _settle(self, state: str, outcome: str, *, code: str = "", message: str = "") -> Any:
        usage = {
            "prompt_tokens": self._usage.prompt_tokens,
            "completion_tokens": self._usage.completion_tokens,
        }
        ending = Ending(
            state, outcome, error_code=code, error=message, trace=self._trace(), usage=usage
        )
        return settle(self.run, self.transcript.segments, self.book, ending)

    def _trace(self) -> dict[str, Any]:
        used = [s.evidence for s in self.transcript.segments if isinstance(s, CiteSegment)]
        return {
            "steps": [event_to_json(step) for step in self.transcript.steps],
            "notices": [event_to_json(notice) for notice in self.transcript.notices],
            "searches": self.tools.traces if self.tools else [],
            "used": list(dict.fromkeys(used)),
            "removed_markers": self._removed(),
        }

    def _removed(self) -> list[Any]:
        return list(self._parsers[-1].unknown) if self._parsers else []
