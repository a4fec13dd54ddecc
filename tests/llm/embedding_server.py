"""An outside embedding server as one finds them: OpenAI's wire, someone else's habits."""

import base64
import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

import numpy as np

Answer = tuple[int, Any]
Embed = Callable[[str, int], "np.ndarray[Any, np.dtype[np.float32]]"]


class EmbeddingServerDouble:
    """Deterministic vectors over real HTTP. `script` answers come first, one a request."""

    def __init__(
        self, *, dimensions: int, floats_only: bool = False, embed: Embed | None = None
    ) -> None:
        self.embed = embed or vector_of
        self.dimensions = dimensions
        self.floats_only = floats_only
        self.scale = 1.0
        self.requests: list[dict[str, Any]] = []
        self.keys: set[str] = set()
        self.script: list[Callable[[dict[str, Any]], Answer]] = []
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), _bound_to(self))
        self.base_url = f"http://127.0.0.1:{self._http.server_address[1]}/v1"
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,))

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()

    def answer(self, request: dict[str, Any]) -> Answer:
        self.requests.append(request)
        if self.script:
            return self.script.pop(0)(request)
        return 200, self.vectors(request)

    def vectors(self, request: dict[str, Any]) -> dict[str, Any]:
        given = request["input"]
        texts = [given] if isinstance(given, str) else given
        packed = request.get("encoding_format") == "base64" and not self.floats_only
        entries = []
        for index, text in enumerate(texts):
            row = self.embed(text, self.dimensions) * self.scale
            value = base64.b64encode(row.tobytes()).decode() if packed else row.tolist()
            entries.append({"object": "embedding", "index": index, "embedding": value})
        return {"object": "list", "model": request["model"], "data": entries, "usage": {}}


def vector_of(text: str, dimensions: int) -> "np.ndarray[Any, np.dtype[np.float32]]":
    seed = int.from_bytes(text.encode()[:8].ljust(8, b"."), "little")
    return np.random.default_rng(seed).normal(size=dimensions).astype(np.float32)


def _bound_to(server: EmbeddingServerDouble) -> type[BaseHTTPRequestHandler]:
    class Connection(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            server.keys.add(self.headers["Authorization"])
            length = int(self.headers["Content-Length"])
            status, content = server.answer(json.loads(self.rfile.read(length)))
            body = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Retry-After", "0")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Keep the test's output clean."""

    return Connection
