"""An answer as its readers have it: from the stream, after a refresh in the middle, reopened."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from chat.following import Watcher
from chat.models import Run
from chat.showing import show_run
from chat.streaming import Entry, read

LANGUAGE = "en"
_CARD = re.compile(r'data-card="[^"]*/citations/([a-z0-9]+)/card/"')
_MESSAGE = re.compile(r"^event: (\w+)$(?:\nid: .*$)?\ndata: (.*)$", re.MULTILINE)


def views(run: Run) -> dict[str, list[str]]:
    """The blocks that each kind of reader sees in the end."""
    entries = read(run.public_id)
    return {
        "stream": followed(run, entries, joined_after=0),
        "refresh": followed(run, entries, joined_after=len(entries) // 2),
        "reopened": list(show_run(run).blocks),
    }


def followed(run: Run, entries: Sequence[Entry], *, joined_after: int) -> list[str]:
    """What a browser has that loaded the page after so many events and followed the rest."""
    slug = run.turn.conversation.project.slug
    watcher = Watcher.of(run, slug=slug, language=LANGUAGE)
    watcher.catch_up(list(entries[:joined_after]))
    blocks, _ = watcher.renderer.render(watcher.transcript)
    for entry in entries[joined_after:]:
        for name, value in _messages(watcher.messages([entry])):
            if name == "answer":
                blocks = [*blocks[: value["from"]], *value["blocks"]]
    return blocks


def cited_ids(blocks: Sequence[str]) -> list[str]:
    """The public ids of the citations whose tags these blocks show, in order."""
    return _CARD.findall("".join(blocks))


def _messages(text: str) -> Iterator[tuple[str, Any]]:
    for name, value in _MESSAGE.findall(text):
        yield name, json.loads(value)
