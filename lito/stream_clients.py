"""Browsers for `benchmark stream`: they ask, follow, stop and come back, over plain sockets."""

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

TOKEN = "benchmark" + "0" * 23
"""A CSRF token: the cookie and the form only have to agree."""
_WORD = re.compile(r"W(\d+)t(\d+)")
_MESSAGE = re.compile(r"^event: (\w+)\n(?:id: (.*)\n)?data: (.*)$")


class ConnectionLostError(Exception):
    """The server went away, or was never there."""


class StreamRefusedError(Exception):
    """The server answered, but not with a stream: asking again would not help."""


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: Mapping[str, str]
    body: str


@dataclass(frozen=True, slots=True)
class Site:
    """The server and who asks it."""

    port: int
    session: str

    async def post(self, path: str, **form: str) -> Reply:
        body = urlencode({"csrfmiddlewaretoken": TOKEN, **form})
        more = (
            f"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {len(body)}\r\n"
            "HX-Request: true\r\n"
        )
        return await self._whole("POST", path, more, body)

    async def get(self, path: str) -> Reply:
        return await self._whole("GET", path, "", "")

    async def _whole(self, method: str, path: str, more: str, body: str) -> Reply:
        reader, writer = await self.open(method, path, f"Connection: close\r\n{more}", body)
        try:
            status, headers = await _head(reader)
            parts = [part async for part in _body(reader, headers)]
            return Reply(status, headers, b"".join(parts).decode())
        finally:
            writer.close()

    async def open(
        self, method: str, path: str, more: str = "", body: str = ""
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        try:
            reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=2**20)
        except OSError as error:
            raise ConnectionLostError from error
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
            f"Cookie: sessionid={self.session}; csrftoken={TOKEN}\r\n{more}\r\n"
        )
        writer.write((head + body).encode())
        return reader, writer


@dataclass(slots=True)
class Follower:
    """One page that follows one run: what it shows, and when each word came."""

    site: Site
    url: str
    blocks: list[str] = field(default_factory=list)
    last_id: str = ""
    delays: dict[int, float] = field(default_factory=dict)
    first_seen: float = 0.0
    ended: str = ""
    ended_at: float = 0.0
    opened: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def words(self) -> list[int]:
        return [int(number) for number, _ in _WORD.findall("".join(self.blocks))]

    async def follow(self, until: Callable[["Follower"], bool] | None = None) -> None:
        """Follow to the end, or until the page has seen enough and goes away."""
        more = f"Last-Event-ID: {self.last_id}\r\n" if self.last_id else ""
        reader, writer = await self.site.open("GET", self.url, more)
        try:
            status, headers = await _head(reader)
            if status != 200:
                raise StreamRefusedError(f"{self.url} answered {status}")
            self.opened.set()
            async for name, event_id, value in _messages(reader, headers):
                self._take(name, value)
                self.last_id = event_id or self.last_id
                if self.ended or (until and until(self)):
                    return
        finally:
            writer.close()

    async def follow_through(self, *, patience: float) -> None:
        """As a browser does: come back whenever the server went away."""
        deadline = time.monotonic() + patience
        while not self.ended and time.monotonic() < deadline:
            try:
                await asyncio.wait_for(self.follow(), max(0.1, deadline - time.monotonic()))
            except (ConnectionLostError, TimeoutError, OSError):
                await asyncio.sleep(0.2)

    def _take(self, name: str, value: Any) -> None:
        if name in {"step", "answer"} and not self.first_seen:
            self.first_seen = time.monotonic()
        if name == "answer":
            self.blocks[value["from"] :] = value["blocks"]
            now = time.time() * 1000
            for number, sent in _WORD.findall("".join(value["blocks"])):
                self.delays.setdefault(int(number), now - int(sent))
        elif name == "done":
            self.ended, self.ended_at = value["state"], time.monotonic()


async def _head(reader: asyncio.StreamReader) -> tuple[int, dict[str, str]]:
    try:
        raw = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except (asyncio.IncompleteReadError, OSError) as error:
        raise ConnectionLostError from error
    first, *lines = raw.strip().split("\r\n")
    headers = dict(line.split(": ", 1) for line in lines if ": " in line)
    return int(first.split(" ")[1]), {name.lower(): value for name, value in headers.items()}


async def _body(reader: asyncio.StreamReader, headers: Mapping[str, str]) -> AsyncIterator[bytes]:
    """The parts of a body as they come."""
    try:
        if headers.get("transfer-encoding") != "chunked":
            yield await reader.readexactly(int(headers.get("content-length", 0)))
            return
        while size := int(await reader.readuntil(b"\r\n"), 16):
            yield (await reader.readexactly(size + 2))[:-2]
    except (asyncio.IncompleteReadError, OSError, ValueError) as error:
        raise ConnectionLostError from error


async def _messages(
    reader: asyncio.StreamReader, headers: Mapping[str, str]
) -> AsyncIterator[tuple[str, str, Any]]:
    """Name, id and value of each server-sent event."""
    held = ""
    async for part in _body(reader, headers):
        *whole, held = (held + part.decode()).split("\n\n")
        for message in whole:
            if match := _MESSAGE.match(message):
                yield match[1], match[2] or "", json.loads(match[3])
