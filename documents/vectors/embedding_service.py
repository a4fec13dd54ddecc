"""The one process that holds the embedding model: `python -m documents.vectors.embedding_service`.

It speaks OpenAI's `/v1/embeddings` on a Unix socket (or `--host` and `--port`) with one extension:
`input_type`, "query" or "passage" (the default). `/health` answers from the first moment on:
503 `loading`, 200 `ready` with the embedding space, 503 `failed` with what to do.
Under `/bundled` and `/bge-m3` the same is there by that model, loaded when it is first asked for:
while papers get new vectors, searches still need the model that made the old ones.
"""

import argparse
import asyncio
import base64
import json
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import uvicorn
from pydantic import BaseModel, Field, ValidationError

from documents.vectors.embedder import EmbedderUnavailableError, Side, Vectors
from documents.vectors.embedding_queue import EmbeddingQueue, TooBusyError
from documents.vectors.local_embedder import LOCAL, load_configured, load_local

if TYPE_CHECKING:
    from concurrent.futures import Future

MOST_BODY_BYTES = 4 * 1024 * 1024
MOST_TEXTS = 256
MOST_CHARACTERS = 100_000

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


class EmbeddingRequest(BaseModel):
    """What OpenAI's clients send, plus `input_type`. Other fields are ignored."""

    input: str | list[str]
    model: str = ""
    encoding_format: Literal["float", "base64"] = "float"
    input_type: Side = Field(default="passage")

    def texts(self) -> list[str]:
        return [self.input] if isinstance(self.input, str) else self.input


class RequestError(Exception):
    """A request that gets no vectors. `code` is stable, the text says why."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


class DisconnectedError(Exception):
    """The client went away before its vectors were ready."""


class EmbeddingService:
    """The ASGI application around a queue, and around those of `others`, begun on demand."""

    def __init__(
        self,
        queue: EmbeddingQueue,
        others: Mapping[str, Callable[[], EmbeddingQueue]] | None = None,
    ) -> None:
        self.queue = queue
        self._others = dict(others or {})
        self._begun: dict[str, EmbeddingService] = {}

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._lifespan(receive, send)
            return
        if scope["type"] != "http":
            return
        try:
            status, body = await self._serving(scope).answer(scope, receive)
        except RequestError as error:
            status = error.status
            body = {"error": {"message": str(error), "type": "invalid_request", "code": error.code}}
        except DisconnectedError:
            return
        await _send_json(send, status, body)

    def _serving(self, scope: Message) -> "EmbeddingService":
        """The service that a path speaks of; the path loses the model's name."""
        kind, _, rest = scope["path"].removeprefix("/").partition("/")
        if kind not in self._others:
            return self
        if kind not in self._begun:
            self._begun[kind] = EmbeddingService(self._others[kind]())
            self._begun[kind].queue.start()
        scope["path"] = f"/{rest}"
        return self._begun[kind]

    async def _lifespan(self, receive: Receive, send: Send) -> None:
        while (await receive())["type"] != "lifespan.shutdown":
            self.queue.start()
            await send({"type": "lifespan.startup.complete"})
        for each in (self, *self._begun.values()):
            await asyncio.to_thread(each.queue.stop)
        await send({"type": "lifespan.shutdown.complete"})

    async def answer(self, scope: Message, receive: Receive) -> tuple[int, dict[str, Any]]:
        """Status and body of one request. Raises `RequestError` and `DisconnectedError`."""
        match scope["method"], scope["path"]:
            case "GET", "/health":
                return self._health()
            case "GET", "/v1/models":
                name = self._model_name()
                models = [{"id": name, "object": "model", "owned_by": "lito"}] if name else []
                return 200, {"object": "list", "data": models}
            case "POST", "/v1/embeddings":
                return 200, await self._embeddings(_parsed(await _body(receive)), receive)
        raise RequestError(404, "not_found", f"There is nothing at {scope['path']}.")

    def _health(self) -> tuple[int, dict[str, Any]]:
        if space := self.queue.space:
            return 200, {
                "status": "ready",
                "model": self._model_name(),
                "space": {
                    "name": space.name,
                    "revision": space.revision,
                    "dimensions": space.dimensions,
                },
            }
        if self.queue.failure:
            return 503, {"status": "failed", "message": self.queue.failure}
        return 503, {"status": "loading"}

    def _model_name(self) -> str:
        space = self.queue.space
        return f"{space.name} {space.revision}" if space else ""

    async def _embeddings(self, request: EmbeddingRequest, receive: Receive) -> dict[str, Any]:
        self._refuse_another_model(request.model)
        try:
            result = self.queue.submit(request.texts(), request.input_type)
            vectors = await _unless_disconnected(result, receive)
        except TooBusyError as error:
            raise RequestError(429, "busy", "Too many texts are waiting: try again.") from error
        except EmbedderUnavailableError as error:
            raise RequestError(503, "load_failed", str(error)) from error
        # Once more: a request that came while the model was loading has not been compared yet.
        self._refuse_another_model(request.model)
        encode = _as_base64 if request.encoding_format == "base64" else _as_floats
        return {
            "object": "list",
            "model": self._model_name(),
            "data": [
                {"object": "embedding", "index": i, "embedding": encode(row)}
                for i, row in enumerate(vectors)
            ],
            "usage": {"prompt_tokens": 0, "total_tokens": 0},
        }

    def _refuse_another_model(self, wanted: str) -> None:
        name = self._model_name()
        if wanted and name and wanted != name:
            raise RequestError(404, "model_not_found", f"This service holds {name}, not {wanted}.")


def _as_floats(row: Vectors) -> list[float]:
    return [float(value) for value in row]


def _as_base64(row: Vectors) -> str:
    return base64.b64encode(row.astype("<f4").tobytes()).decode()


async def _body(receive: Receive) -> bytes:
    body = bytearray()
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise DisconnectedError
        body += message.get("body", b"")
        if len(body) > MOST_BODY_BYTES:
            raise RequestError(413, "too_large", f"A request has at most {MOST_BODY_BYTES} bytes.")
        if not message.get("more_body"):
            return bytes(body)


def _parsed(body: bytes) -> EmbeddingRequest:
    try:
        request = EmbeddingRequest.model_validate_json(body)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise RequestError(400, "bad_request", f"{place} {first['msg']}".strip()) from error
    texts = request.texts()
    if not 1 <= len(texts) <= MOST_TEXTS:
        raise RequestError(400, "bad_request", f"A request has 1 to {MOST_TEXTS} texts.")
    if max(map(len, texts)) > MOST_CHARACTERS:
        raise RequestError(400, "bad_request", f"A text has at most {MOST_CHARACTERS} characters.")
    return request


async def _unless_disconnected(result: "Future[Vectors]", receive: Receive) -> Vectors:
    """The vectors; if the client goes away first, the rest of its texts is not embedded."""
    vectors = asyncio.wrap_future(result)
    gone = asyncio.ensure_future(receive())
    either: set[asyncio.Future[Any]] = {vectors, gone}
    try:
        await asyncio.wait(either, return_when=asyncio.FIRST_COMPLETED)
        if not vectors.done():
            vectors.cancel()
            raise DisconnectedError
        return vectors.result()
    finally:
        gone.cancel()


async def _send_json(send: Send, status: int, content: dict[str, Any]) -> None:
    body = json.dumps(content).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", b"%d" % len(body))]
    if status == 429:
        headers.append((b"retry-after", b"1"))
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _unix_socket(path: Path) -> socket.socket:
    """A listening socket that only this user can open; a stale file in its place goes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    before = os.umask(0o177)
    try:
        listener.bind(str(path))
    finally:
        os.umask(before)
    return listener


def _arguments(argv: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m documents.vectors.embedding_service")
    parser.add_argument("--socket", help="Unix socket; LITO_EMBEDDING_SOCKET if not given")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, help="listen on TCP instead of the socket")
    parser.add_argument("--threads", type=int, default=0, help="threads for one text; 0: up to 4")
    return parser.parse_args(argv)


def _queue_of(kind: str, threads: int) -> EmbeddingQueue:
    return EmbeddingQueue(partial(load_local, kind, threads=threads))


def main(argv: list[str]) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "lito.settings")
    from django.conf import settings

    given = _arguments(argv)
    queue = EmbeddingQueue(lambda: load_configured(threads=given.threads))
    others = {kind: partial(_queue_of, kind, given.threads) for kind in LOCAL}
    config = uvicorn.Config(
        EmbeddingService(queue, others),
        host=given.host,
        port=given.port or 0,
        log_level="warning",
        timeout_graceful_shutdown=5,
    )
    server = uvicorn.Server(config)
    # uvicorn ends in an orderly way and then raises its signal again: leave by the normal exit.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    if given.port:
        server.run()
        return
    path = Path(given.socket or settings.LITO_EMBEDDING_SOCKET)
    with _unix_socket(path) as listener:
        try:
            server.run(sockets=[listener])
        finally:
            path.unlink(missing_ok=True)


if __name__ == "__main__":
    main(sys.argv[1:])
