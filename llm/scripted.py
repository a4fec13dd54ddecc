"""An endpoint that speaks the real protocol over real HTTP, but says what a script tells it to.

For tests, evaluations and benchmarks. It fails on a request that the script did not foresee, and
on a step that nobody asked for:

    script = [Says(calls=(Call("search", {"query": "x"}),)), Says("Found [1].")]
    with ScriptedEndpoint(script) as server:
        model = OpenAICompatible(server.endpoint())
"""

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

from llm.openai_compatible import Endpoint

Request = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call to make. `arguments` as text is sent as it is, valid JSON or not."""

    name: str
    arguments: Mapping[str, Any] | str
    id: str = "auto"
    index: int | None = -1
    """-1 is its place in the list; None leaves the index out."""

    def argument_text(self) -> str:
        if isinstance(self.arguments, str):
            return self.arguments
        return json.dumps(dict(self.arguments), ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class Says:
    """One reply. `chunk` is code points a delta, `delay` seconds between two of them."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    chunk: int = 7
    delay: float = 0.0
    first_delay: float = 0.0
    finish: str | None = "auto"
    usage: tuple[int, int] | None = (10, 5)
    reasoning: str = ""
    interleaved: bool = False
    cut_after: int | None = None
    done_line: bool = True
    style: str = "stream"
    """`whole`: one JSON body instead of a stream. `old_call`, `parts`: old or odd deltas."""
    expects: Callable[[Request], bool] | None = None

    def finish_reason(self) -> str | None:
        return ("tool_calls" if self.calls else "stop") if self.finish == "auto" else self.finish


@dataclass(frozen=True, slots=True)
class Fails:
    """An HTTP failure. `{key}` in the message becomes the key that the client sent."""

    status: int
    message: str = "no"
    headers: Mapping[str, str] = field(default_factory=dict)
    expects: Callable[[Request], bool] | None = None


Step = Says | Fails


class ScriptedEndpoint:
    """Runs in threads of this process, on a free port of the loopback address."""

    def __init__(self, script: Sequence[Step] | Callable[[Request], Step]) -> None:
        self._rule = script if callable(script) else None
        self._steps = [] if callable(script) else list(script)
        self._lock = threading.Lock()
        self.requests: list[Request] = []
        self.problems: list[str] = []
        self.broken_off = threading.Event()
        self._server = _Server(self)

    def endpoint(
        self, *, model: str = "scripted", key: str = "sk-test-1", timeout: float = 30
    ) -> Endpoint:
        port = self._server.server_address[1]
        return Endpoint(f"http://127.0.0.1:{port}/v1", model, key, timeout)

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        if kind is None:
            self.check()

    def check(self) -> None:
        """Raise `AssertionError` if a request was unforeseen or a step was not used."""
        unused = [f"never asked for: {step}" for step in self._steps]
        if self.problems or unused:
            raise AssertionError("; ".join([*self.problems, *unused]))

    def next_step(self, request: Request) -> Step:
        with self._lock:
            self.requests.append(request)
            if self._rule:
                return self._rule(request)
            if not self._steps:
                self.problems.append(f"unforeseen request: {request['messages'][-1]}")
                return Fails(418, "the script is over")
            step = self._steps.pop(0)
            if step.expects and not step.expects(request):
                self.problems.append(f"not the expected request: {request['messages'][-1]}")
            return step


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, script: ScriptedEndpoint) -> None:
        self.script = script
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is part of many scripts; anything else is a failed script."""
        problem = sys.exception()
        if not isinstance(problem, ConnectionError):
            self.script.problems.append(repr(problem))


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Silence: a test's output is not an access log."""

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["content-length"])))
        step = self.server.script.next_step(request)
        try:
            if isinstance(step, Fails):
                self._fail(step)
            elif request.get("stream") and step.style != "whole":
                self._stream(step)
            else:
                self._send(200, _whole(step), {})
        except (BrokenPipeError, ConnectionResetError):
            self.server.script.broken_off.set()
            self.close_connection = True

    def _fail(self, step: Fails) -> None:
        key = self.headers.get("authorization", "").removeprefix("Bearer ")
        error = {"error": {"message": step.message.replace("{key}", key), "type": "error"}}
        self._send(step.status, error, step.headers)

    def _send(self, status: int, value: Mapping[str, Any], headers: Mapping[str, str]) -> None:
        body = json.dumps(value, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        for name, header in headers.items():
            self.send_header(name, header)
        self.end_headers()
        self.wfile.write(body)

    def _stream(self, step: Says) -> None:
        time.sleep(step.first_delay)
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        for number, part in enumerate(chunks_of(step)):
            if number == step.cut_after:
                self.close_connection = True
                self.connection.close()
                return
            self._write(f"data: {json.dumps(part, ensure_ascii=False)}\n\n")
            time.sleep(step.delay)
        if step.done_line:
            self._write("data: [DONE]\n\n")
        self.wfile.write(b"0\r\n\r\n")

    def _write(self, text: str) -> None:
        body = text.encode()
        self.wfile.write(b"%x\r\n%s\r\n" % (len(body), body))
        self.wfile.flush()


def chunks_of(step: Says) -> Iterator[dict[str, Any]]:
    """The reply as the chunks that a server would send."""
    yield _chunk({"role": "assistant", "content": ""})
    for piece in _pieces(step.reasoning, step.chunk):
        yield _chunk({"reasoning_content": piece})
    for piece in _pieces(step.text, step.chunk):
        in_parts = [{"type": "text", "text": piece}]
        yield _chunk({"content": in_parts if step.style == "parts" else piece})
    yield from _old_call_chunks(step) if step.style == "old_call" else _call_chunks(step)
    if (reason := step.finish_reason()) is not None:
        yield _chunk({}, finish=reason)
    if step.usage:
        yield {**_chunk({}), "choices": [], "usage": _usage(step)}


def _old_call_chunks(step: Says) -> Iterator[dict[str, Any]]:
    """As servers called one function before there were tools."""
    for call in step.calls:
        yield _chunk({"function_call": {"name": call.name, "arguments": ""}})
        for piece in _pieces(call.argument_text(), step.chunk):
            yield _chunk({"function_call": {"arguments": piece}})


def _call_chunks(step: Says) -> Iterator[dict[str, Any]]:
    streams = [
        list(_pieces_of_call(call, place, step.chunk)) for place, call in enumerate(step.calls)
    ]
    if step.interleaved:
        for turn in range(max(map(len, streams), default=0)):
            yield from (_chunk({"tool_calls": [s[turn]]}) for s in streams if turn < len(s))
        return
    for pieces in streams:
        yield from (_chunk({"tool_calls": [piece]}) for piece in pieces)


def _pieces_of_call(call: Call, place: int, size: int) -> Iterator[dict[str, Any]]:
    index = place if call.index == -1 else call.index
    where = {} if index is None else {"index": index}
    known = f"call_{place + 1}" if call.id == "auto" else call.id
    named = {"id": known} if known else {}
    yield {
        **where,
        **named,
        "type": "function",
        "function": {"name": call.name, "arguments": ""},
    }
    for piece in _pieces(call.argument_text(), size):
        yield {**where, "function": {"arguments": piece}}


def _pieces(text: str, size: int) -> Iterator[str]:
    return (text[at : at + size] for at in range(0, len(text), max(size, 1)))


def _chunk(delta: dict[str, Any], *, finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": "scripted",
        "choices": [choice],
    }


def _usage(step: Says) -> dict[str, int]:
    prompt, completion = step.usage or (0, 0)
    return {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }


def _whole(step: Says) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": step.text}
    if step.calls:
        message["tool_calls"] = [
            {
                "id": f"call_{place}",
                "type": "function",
                "function": {"name": call.name, "arguments": call.argument_text()},
            }
            for place, call in enumerate(step.calls, 1)
        ]
    choice = {"index": 0, "message": message, "finish_reason": step.finish_reason()}
    return {
        "id": "c",
        "object": "chat.completion",
        "created": 0,
        "model": "scripted",
        "choices": [choice],
        "usage": _usage(step),
    }
