"""A server that speaks Crossref's and OpenAlex's JSON from a script, over real HTTP."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit


@dataclass
class Script:
    """What is answered at which path, and what was asked."""

    answers: dict[str, Any] = field(default_factory=dict)
    """Path to a JSON value, to raw bytes, to a status with headers, or to headers with bytes."""
    delay: float = 0
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    url: str = ""


@contextmanager
def doi_server() -> Iterator[Script]:
    script = Script()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            time.sleep(script.delay)
            script.requests.append((self.path, dict(self.headers.items())))
            answer = script.answers.get(unquote(urlsplit(self.path).path), 404)
            status, headers, body = 200, {}, b""
            if isinstance(answer, int):
                status = answer
            elif isinstance(answer, tuple) and isinstance(answer[0], int):
                status, headers = answer
            elif isinstance(answer, tuple):
                headers, body = answer
            else:
                body = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_args: object) -> None:
            """Tests speak for themselves."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    script.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield script
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
