"""The agent loop: a model, its tools, one append-only list of messages, and limits. Pure."""

import json
import re
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from chat.events import (
    AgentEnded,
    AgentEvent,
    Noticed,
    TextAdded,
    TextWithdrawn,
    TokensUsed,
    ToolEnded,
    ToolStarted,
)
from chat.toolbox import (
    Limits,
    Nudges,
    SegmentParser,
    StoppedError,
    Toolbox,
)
from citations.segments import CiteSegment, Segment, TextSegment
from documents.chunks.token_estimate import estimate_tokens
from llm.port import (
    CallRequested,
    ChatModel,
    CitedText,
    Finished,
    Message,
    ModelEvent,
    TextDelta,
    ToolCall,
    Usage,
    Waiting,
)


@dataclass(slots=True)
class _Reply:
    text: str = ""
    segments: list[Segment] = field(default_factory=list)
    calls: list[ToolCall] = field(default_factory=list)
    shown: bool = False
    stopped: bool = False
    cut: str = ""
    usage: Usage = field(default_factory=Usage)


@dataclass(slots=True)
class Agent:
    """One run. `messages` grows and is never rewritten."""

    model: ChatModel
    toolbox: Toolbox
    messages: list[Message]
    new_parser: Callable[[], SegmentParser]
    nudges: Nudges
    cancelled: Callable[[], bool]
    limits: Limits = field(default_factory=Limits)
    now: Callable[[], float] = time.monotonic
    _made: set[str] = field(default_factory=set)
    _tokens: int = 0
    _idle_steps: int = 0
    _started: float = 0.0
    _limit: str = ""
    _sent_back: bool = False

    def run(self) -> Iterator[AgentEvent]:
        """Yield what happens; the last event is `AgentEnded`. Raises the model's `ModelError`.

        When a limit is reached, tools no longer work and the model is asked for its answer from
        what there is. An answer without any evidence or without a word is sent back once.
        """
        self._started = self.now()
        for step in range(1, self.limits.steps + 4):
            reply = _Reply(stopped=True) if self.cancelled() else (yield from self._ask())
            if reply.stopped:
                yield AgentEnded("stopped")
                return
            if reply.calls and not (self._limit or reply.cut):
                yield from self._use(reply)
                yield from self._watch_limits(step)
            elif reply.calls and not (reply.segments or reply.cut):
                self._decline(reply)
            elif nudge := self._what_is_wrong(reply):
                yield from self._send_back(reply, nudge)
            else:
                yield from self._accept(reply)
                break
        if self._lacks_search():
            yield Noticed("no_search")
        yield AgentEnded("limit" if self._limit else "answered")

    def _ask(self) -> Generator[AgentEvent, None, _Reply]:
        """One model call. Text is held back while it may still be sent back to the model."""
        reply, parser = _Reply(), self.new_parser()
        hold = not self._sent_back and self._lacks_search()
        stream = self.model.stream(self.messages, self.toolbox.tools)
        try:
            yield from self._read(stream, reply, parser, hold=hold)
        except StoppedError:
            reply.stopped = True
        if isinstance(stream, Generator):
            stream.close()  # ends the request of a reply that was left
        yield from _add(reply, parser.finish(), hold=hold and not reply.stopped)
        is_told = bool(reply.usage.prompt_tokens + reply.usage.completion_tokens)
        usage = reply.usage if is_told else self._estimate(reply)
        yield TokensUsed(usage, is_estimate=not is_told)
        self._tokens += usage.prompt_tokens + usage.completion_tokens
        return reply

    def _read(
        self, stream: Iterator[ModelEvent], reply: _Reply, parser: SegmentParser, *, hold: bool
    ) -> Iterator[AgentEvent]:
        for event in stream:
            reply.stopped, reply.cut = self.cancelled(), self._overrun(reply)
            if reply.stopped or reply.cut:
                return
            if isinstance(event, Waiting):
                yield event
            elif isinstance(event, CallRequested):
                reply.calls.append(event.call)
            elif isinstance(event, Finished):
                reply.usage = event.usage
            else:
                yield from _add(reply, _segments_of(event, reply, parser), hold=hold)

    def _use(self, reply: _Reply) -> Iterator[AgentEvent]:
        """Make all calls of one reply; their results stand in the list before the next call."""
        if reply.shown:
            yield TextWithdrawn()
        self.messages.append(Message("assistant", reply.text, tuple(reply.calls)))
        if self.cancelled():
            return
        said, fresh = self._sorted_out(reply.calls)
        for call in fresh.values():
            yield ToolStarted(call.name, dict(call.arguments))
        results = self.toolbox.use(list(fresh.values()))
        for (place, call), result in zip(fresh.items(), results, strict=True):
            yield ToolEnded(call.name, dict(call.arguments), dict(result.found))
            said[place] = result.content
        for place, call in enumerate(reply.calls):
            self.messages.append(Message("tool", said[place], tool_call_id=call.id))
        self._idle_steps = 0 if fresh else self._idle_steps + 1

    def _sorted_out(self, calls: Sequence[ToolCall]) -> tuple[dict[int, str], dict[int, ToolCall]]:
        """By place among the calls: what is said instead of making some, and those to be made."""
        said: dict[int, str] = {}
        fresh: dict[int, ToolCall] = {}
        for place, call in enumerate(calls):
            key = json.dumps([call.name, dict(call.arguments)], sort_keys=True, default=str)
            if key in self._made:
                said[place] = self.nudges.repeated
            elif len(fresh) >= self.limits.calls:
                said[place] = self.nudges.too_many
            else:
                self._made.add(key)
                fresh[place] = call
        return said, fresh

    def _decline(self, reply: _Reply) -> None:
        """Answer calls made after a limit without making them."""
        self.messages.append(Message("assistant", reply.text, tuple(reply.calls)))
        for call in reply.calls:
            self.messages.append(Message("tool", self.nudges.answer_now, tool_call_id=call.id))

    def _watch_limits(self, steps: int) -> Iterator[AgentEvent]:
        seconds = self.now() - self._started
        reached = {
            "steps": steps >= self.limits.steps,
            "tokens": self._tokens >= self.limits.tokens,
            "seconds": seconds >= self.limits.seconds,
            "repeats": self._idle_steps >= 2,
        }
        self._limit = next((name for name, is_reached in reached.items() if is_reached), "")
        if self._limit:
            self.messages.append(Message("user", self.nudges.answer_now))
            yield Noticed("limit", {"limit": self._limit})

    def _what_is_wrong(self, reply: _Reply) -> str:
        if self._sent_back or self._limit or reply.cut:
            return ""
        if self._lacks_search():
            return self.nudges.search_first
        if not self.toolbox.has_read():
            return self.nudges.read_first
        return self.nudges.in_words if _says_nothing(reply.segments) else ""

    def _lacks_search(self) -> bool:
        """Nothing was looked for and nothing carried over: an answer would come from nowhere.

        A list of titles is no evidence for what the papers say.
        """
        return not self.toolbox.has_evidence() and not self.toolbox.has_looked()

    def _overrun(self, reply: _Reply) -> str:
        """The limit that a reply breaks while it is still being written."""
        if self.now() - self._started > self.limits.seconds + self.limits.grace:
            return "seconds"
        # A token has seldom more than eight letters: the estimate is left for long replies.
        is_long = len(reply.text) > self.limits.reply_tokens
        if is_long and estimate_tokens(reply.text) > self.limits.reply_tokens:
            return "tokens"
        return ""

    def _accept(self, reply: _Reply) -> Iterator[AgentEvent]:
        """The reply is the answer. Of one without end, what was written counts."""
        if not reply.shown and reply.segments:
            yield TextAdded(tuple(reply.segments))
        if reply.cut and not self._limit:
            self._limit = reply.cut
            yield Noticed("limit", {"limit": reply.cut})

    def _send_back(self, reply: _Reply, nudge: str) -> Iterator[AgentEvent]:
        self._sent_back = True
        self.messages += [Message("assistant", reply.text), Message("user", nudge)]
        if reply.shown:
            yield TextWithdrawn()

    def _estimate(self, reply: _Reply) -> Usage:
        asked = sum(estimate_tokens(message.content) for message in self.messages)
        return Usage(asked, estimate_tokens(reply.text))


def _segments_of(event: Any, reply: _Reply, parser: SegmentParser) -> list[Segment]:
    if isinstance(event, TextDelta):
        reply.text += event.text
        return parser.feed(event.text)
    if isinstance(event, CitedText):
        reply.text += event.text
        text = [TextSegment(event.text, verbatim=True)] if event.text else []
        cite = [] if event.evidence is None else [CiteSegment(event.evidence)]
        return [*parser.finish(), *text, *cite]
    return []


def _add(reply: _Reply, segments: Sequence[Segment], *, hold: bool) -> Iterator[AgentEvent]:
    if not segments:
        return
    reply.segments += segments
    if not hold:
        reply.shown = True
        yield TextAdded(tuple(segments))


def _says_nothing(segments: Sequence[Segment]) -> bool:
    """No word beside the markers: what some weak models give when told to cite."""
    words = "".join(part.text for part in segments if isinstance(part, TextSegment))
    return not re.search(r"\w", words)
