"""What a worker keeps of a run while it goes on: published, kept against a crash, settled."""

import threading
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import structlog
from django.db import connections
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
    ToolEnded,
    event_to_json,
)
from chat.evidence_book import EvidenceBook
from chat.fates import Rewritten
from chat.history import EarlierTurn
from chat.models import Run
from chat.rewriting import DropSources, read_request
from chat.settling import Ending, has_words, settle
from chat.showing_sources import streamed_source
from chat.skills.built_in import REWRITE
from chat.streaming import Publisher
from chat.token_use import (
    Spending,
    count_tokens,
    light_spending,
    main_spending,
    usage_as_json,
)
from chat.tools import LibraryTools
from chat.transcript import Transcript
from citations.markers import MarkerParser
from citations.segments import CiteSegment, segments_to_json
from llm.port import Waiting

HEARTBEAT = 2.0
"""Seconds between two signs of life; the text so far is stored with each."""
LONGEST_LIFE = 900.0
"""Seconds after which a run gives no more signs of life: it must have got stuck."""

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Recorder:
    """One run's record. Within its `with` block it gives signs of life, whatever the run does.

    It ends with `finish` or `fail`. Everything is stored first and told afterwards.
    """

    run: Run
    book: EvidenceBook = field(default_factory=EvidenceBook)
    transcript: Transcript = field(default_factory=Transcript)
    tools: LibraryTools | None = None
    earlier: EarlierTurn | None = None
    cuts: Mapping[str, Any] = field(default_factory=dict)
    """What the answerer's bounds left out, for the trace."""
    leaves_earlier: bool = False
    """The run said that the answer before it stands as it was."""
    is_about_part: bool = False
    """The run was asked to change one part of the answer before it."""
    is_language_model: bool = False
    checks: Sequence[Mapping[str, Any]] = ()
    """What the skill's checks found in the finished answer."""
    main: Spending = field(default_factory=main_spending)
    light: Spending = field(default_factory=light_spending)
    _parsers: list[MarkerParser] = field(default_factory=list)
    _publisher: Publisher = field(init=False)
    _known: int = 0
    _reason: str = "answered"
    _over: threading.Event = field(default_factory=threading.Event)
    _taken: threading.Event = field(default_factory=threading.Event)
    _heart: threading.Thread = field(init=False)

    def __post_init__(self) -> None:
        self._publisher = Publisher(self.run.public_id)
        self._heart = threading.Thread(target=self._live, name="heartbeat", daemon=True)

    def __enter__(self) -> Self:
        self._heart.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._over.set()
        self._heart.join()

    def begin(self, model_name: str, tools: LibraryTools, earlier: EarlierTurn | None) -> None:
        self.run.model, self.tools, self.earlier = model_name, tools, earlier
        self.main.model = model_name
        self._tell_evidence()

    def new_parser(self) -> MarkerParser:
        """A parser that knows the numbers of this run, those yet to come included."""
        parser = MarkerParser(self.book)
        self._parsers.append(parser)
        return parser

    def see(self, event: AgentEvent) -> None:
        """Take note of what the agent yields."""
        if isinstance(event, TokensUsed):
            if self.is_language_model:
                self.main.spent(event.usage, is_estimate=event.is_estimate)
        elif isinstance(event, AgentEnded):
            self._reason = event.reason
        elif isinstance(event, Waiting):
            self._publisher.flush_if_due()
        else:
            self._tell_evidence()
            self._tell(event)
        if isinstance(event, ToolEnded) and event.found.get("keywords_only"):
            self._notice_once(Noticed("keywords_only"))

    def finish(self, outcome: str) -> None:
        """End as the agent ended."""
        stopped = self._reason == "stopped"
        untold = []
        if removed := self._removed():
            untold.append(Noticed("unknown_numbers", {"count": len(removed)}))
        if self.is_rewrite() and has_words(self.transcript.segments) and not self._cites():
            untold.append(Noticed("none_kept"))
        if self._reason == "limit" and outcome == "answered":
            outcome = "limit"
        state = Run.State.STOPPED if stopped else Run.State.DONE
        self._end(untold, state, outcome)

    def fail(self, code: str, message: str) -> None:
        """End with an error; what was written stays."""
        self._end([RunFailed(code, message)], Run.State.FAILED, "", code=code, message=message)

    def is_rewrite(self) -> bool:
        """Whether the run was about the latest answer, so that it must account for its citations.

        It was asked to rewrite; or it did not search; or it searched and cites nothing that the
        latest answer did not cite.
        """
        if self.earlier is None or self.leaves_earlier:
            return False
        is_told = self.is_about_part or self.run.skill == REWRITE
        asked = is_told or read_request(self.run.turn.question)
        if asked or not self.searched():
            return True
        cited = self._cites()
        return bool(cited) and cited <= set(self.earlier.shown_numbers)

    def is_over(self) -> bool:
        """Whether somebody else has ended the run: what is written now, nobody would see."""
        return self._taken.is_set()

    def searched(self) -> bool:
        return bool(self.tools and self.tools.traces)

    def cites(self) -> bool:
        return bool(self._cites())

    def _cites(self) -> set[int]:
        segments = list(self.transcript.segments)
        return {part.evidence for part in segments if isinstance(part, CiteSegment)}

    def _notice_once(self, notice: Noticed) -> None:
        if notice not in self.transcript.notices:
            self._tell(notice)

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

    def _live(self) -> None:
        """Runs in a thread of its own: a long search or a silent model is no death."""
        born = time.monotonic()
        while not self._over.wait(HEARTBEAT) and time.monotonic() - born < LONGEST_LIFE:
            try:
                self._beat()
            except Exception:  # the next one may reach the database again
                log.exception("heartbeat_failed", run=self.run.public_id)
            finally:
                connections.close_all()

    def _beat(self) -> None:
        rewrites = self._rewritten()
        draft = {
            "segments": segments_to_json(list(self.transcript.segments)),
            "evidence": self.book.to_json(),
            "trace": self._trace(),
            "rewrites": rewrites.to_json() if rewrites else {},
        }
        running = Run.objects.filter(pk=self.run.pk, state=Run.State.RUNNING)
        if not running.update(heartbeat_at=timezone.now(), draft=draft):
            self._taken.set()

    def _end(
        self,
        untold: Sequence[StreamEvent],
        state: str,
        outcome: str,
        *,
        code: str = "",
        message: str = "",
    ) -> None:
        """Store the answer and the end, then tell. Whoever ended the run before has the say."""
        for event in untold:
            self.transcript.add(event)
        ending = Ending(
            state,
            outcome,
            error_code=code,
            error=message,
            trace=self._trace(),
            usage=usage_as_json(self.main, self.light),
            rewrites=self._rewritten(),
        )
        settle(self.run, self.transcript.segments, self.book, ending)
        count_tokens(self.run, self.main)
        count_tokens(self.run, self.light)
        stored = Run.objects.filter(pk=self.run.pk).values_list("state", flat=True).first()
        for event in untold:
            self._publisher.publish(event)
        self._publisher.publish(RunEnded(stored or state))

    def _rewritten(self) -> Rewritten | None:
        if self.earlier is None or not self.is_rewrite():
            return None
        request = read_request(self.run.turn.question)
        unwanted = request.numbers if isinstance(request, DropSources) else frozenset()
        return Rewritten(self.earlier.answer, self.earlier.lost, unwanted)

    def _trace(self) -> dict[str, Any]:
        used = [s.evidence for s in list(self.transcript.segments) if isinstance(s, CiteSegment)]
        return {
            "steps": [event_to_json(step) for step in list(self.transcript.steps)],
            "notices": [event_to_json(notice) for notice in list(self.transcript.notices)],
            "searches": list(self.tools.traces) if self.tools else [],
            "papers": self._papers(used),
            "used": list(dict.fromkeys(used)),
            "removed_markers": self._removed(),
            "cuts": dict(self.cuts),
            **({"checks": list(self.checks)} if self.checks else {}),
        }

    def _papers(self, used: Collection[int]) -> dict[str, Any]:
        """What became of each paper; nothing where no paper was looked for."""
        if self.tools is None or not self.tools.traces:
            return {}
        given = {each.version.file_id for _, each in list(self.book.passages())}
        cited = {self.book.cited()[number].file_id for number in used}
        return self.tools.papers.as_json(given=given, cited=cited)

    def _removed(self) -> list[Any]:
        return list(self._parsers[-1].unknown) if self._parsers else []
