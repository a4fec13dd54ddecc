"""A run as server-sent events: what a browser needs to show it, resumable at any event."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from asgiref.sync import sync_to_async
from django.template.loader import render_to_string
from django.utils import translation

from chat.asking import ACTIVE
from chat.events import RunEnded, RunFailed, StreamEvent, ToolEnded, ToolStarted
from chat.looking import look
from chat.models import Run
from chat.showing import run_url
from chat.showing_sources import DraftRenderer, ShownPaper
from chat.streaming import (
    FROM_START,
    PAUSE,
    Entry,
    StreamAwayError,
    follow,
    is_after,
    read,
    valid_id,
)
from chat.transcript import Transcript, changed_blocks
from chat.wording import error_words, step_words

ACCESS_SECONDS = 3.0
OVERDUE = 5.0
PING = ": ping\n\n"
Told = tuple[str, Mapping[str, Any]]
"""The name and the value of a message."""


@dataclass(slots=True)
class Watcher:
    """One browser's view of one run: what it was sent, so that only changes are sent again."""

    run_id: str
    user_id: int
    state: str
    turn_url: str
    language: str
    renderer: DraftRenderer
    transcript: Transcript = field(default_factory=Transcript)
    _blocks: list[str] = field(default_factory=list)
    _papers: list[ShownPaper] = field(default_factory=list)

    @classmethod
    def of(cls, run: Run, *, slug: str, language: str) -> Self:
        renderer = DraftRenderer(slug=slug, run_id=run.public_id)
        reader = run.turn.conversation.user_id
        return cls(run.public_id, reader, run.state, run_url("turn", run), language, renderer)

    def catch_up(self, entries: list[Entry]) -> None:
        """Take in what the browser has already."""
        for entry in entries:
            self.transcript.add(entry.event)
        with translation.override(self.language):
            self._changes()

    def messages(self, entries: list[Entry]) -> str:
        """The messages for new events, as one text. Text that came together is rendered once.

        Only the last message carries an id: a browser that lost some of them gets all again, and
        each of them may be applied twice.
        """
        told: list[Told] = []
        endings: list[Told] = []
        with translation.override(self.language):
            for entry in entries:
                self.transcript.add(entry.event)
                if words := self._told(entry.event):
                    ending = isinstance(entry.event, RunEnded | RunFailed)
                    (endings if ending else told).append(words)
            told += [*self._changes(), *endings]
        last = len(told) - 1
        return "".join(
            message(name, value, entries[-1].id if at == last else FROM_START)
            for at, (name, value) in enumerate(told)
        )

    def _told(self, event: StreamEvent) -> Told | None:
        match event:
            case ToolStarted() | ToolEnded():
                words = step_words(event)
                index = len(self.transcript.steps) - 1
                return "step", {"text": words.text, "detail": words.detail, "index": index}
            case RunFailed():
                return "error", {"code": event.code, "message": error_words(event.code)}
            case RunEnded():
                return "done", {"state": event.state, "turn_url": self.turn_url}
        return None

    def _changes(self) -> list[Told]:
        blocks, papers = self.renderer.render(self.transcript)
        changes: list[Told] = []
        if changed := changed_blocks(self._blocks, blocks):
            start, new = changed
            changes.append(("answer", {"from": start, "blocks": new}))
            self._blocks = blocks
        if papers and papers != self._papers:
            html = render_to_string("chat/_sources.html", {"sources": papers})
            changes.append(("sources", {"html": html}))
            self._papers = papers
        return changes


async def watch(watcher: Watcher, after: str) -> AsyncIterator[str]:
    """Yield messages until the run has ended. `after` is the last event that the browser has.

    Whether the reader may still follow is asked again every `ACCESS_SECONDS`; if not, the stream
    ends without a word, and a browser that connects again finds nothing. While Redis is away the
    browser is told so, and rows alone say whether the run has ended.
    """
    place = _Place(valid_id(after))
    yield PING
    while not place.ended:
        try:
            async for told in _from_redis(watcher, place):
                yield told
            return
        except StreamAwayError:
            place.away = True
            async for told in _from_rows(watcher, place):
                yield told
        if not place.ended:
            await asyncio.sleep(PAUSE)


@dataclass(slots=True)
class _Place:
    """How far a browser has come."""

    after: str
    caught_up: bool = False
    away: bool = False
    ended: bool = False


async def _from_redis(watcher: Watcher, place: _Place) -> AsyncIterator[str]:
    """Messages until the run has ended or its reader must not see it any more."""
    if not place.caught_up and place.after != FROM_START:
        seen = await sync_to_async(read)(watcher.run_id)
        watcher.catch_up([entry for entry in seen if not is_after(entry.id, place.after)])
    place.caught_up = True
    if watcher.transcript.ended or await _is_over(watcher):
        yield _done(watcher, watcher.state, place)
        return
    async for entries, state in _looked_up(watcher, place.after):
        if state is None:
            return
        if place.away:
            place.away = False
            yield message("back", {}, FROM_START)
        if not entries and state not in ACTIVE:
            yield _done(watcher, state, place)
            return
        yield watcher.messages(entries) if entries else PING
        place.after = entries[-1].id if entries else place.after
        if watcher.transcript.ended:
            return


async def _from_rows(watcher: Watcher, place: _Place) -> AsyncIterator[str]:
    """What can be said without Redis."""
    state = await look(watcher.user_id, watcher.run_id)
    place.ended = state not in ACTIVE
    if state in ACTIVE:
        yield message("away", {}, FROM_START)
    elif state is not None:
        yield _done(watcher, state, place)


def _done(watcher: Watcher, state: str, place: _Place) -> str:
    return message("done", {"state": state, "turn_url": watcher.turn_url}, place.after)


async def _looked_up(watcher: Watcher, after: str) -> AsyncIterator[tuple[list[Entry], str | None]]:
    """New events, each with the run's state as it was seen last; None: out of reach.

    Events wait for a look only if the last one is `OVERDUE` seconds old.
    """
    state: str | None = watcher.state
    seen = time.monotonic()
    looking: asyncio.Task[str | None] | None = None
    try:
        async for entries in follow(watcher.run_id, after):
            age = time.monotonic() - seen
            if looking is None and (age >= ACCESS_SECONDS or not entries):
                looking = asyncio.create_task(look(watcher.user_id, watcher.run_id))
            if looking is not None and (looking.done() or age >= OVERDUE or not entries):
                state, looking, seen = await looking, None, time.monotonic()
            yield entries, state
    finally:
        if looking is not None:
            looking.cancel()


async def _is_over(watcher: Watcher) -> bool:
    """Whether the run has ended and its stream is gone: then nothing is left to follow."""
    if watcher.state in ACTIVE:
        return False
    return not await sync_to_async(read)(watcher.run_id)


def message(name: str, value: Mapping[str, Any], event_id: str) -> str:
    """One server-sent event. JSON holds no line end, so one `data:` line is enough."""
    head = f"event: {name}\nid: {event_id}\n" if event_id != FROM_START else f"event: {name}\n"
    return f"{head}data: {json.dumps(value, ensure_ascii=False)}\n\n"
