"""The service as it runs: its own process, its own socket, real HTTP."""

import base64
import json
import os
import signal
import socket as sockets
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import numpy as np
import openai
import pytest

from documents.vectors.bundled_embedder import BundledEmbedder

LONG = "The treatment reduced mortality in the second cohort. " * 25


@dataclass
class Running:
    process: "subprocess.Popen[bytes]"
    socket: Path

    def client(self) -> httpx2.Client:
        transport = httpx2.HTTPTransport(uds=str(self.socket))
        return httpx2.Client(transport=transport, base_url="http://embedding", timeout=60)

    def accepts(self) -> bool:
        with sockets.socket(sockets.AF_UNIX) as probe:
            return probe.connect_ex(str(self.socket)) == 0

    def health(self) -> dict[str, Any]:
        with self.client() as client:
            answer: dict[str, Any] = client.get("/health").json()
        return answer

    def wait_until(self, status: str) -> dict[str, Any]:
        for _ in range(600):
            assert self.process.poll() is None
            if self.accepts() and (health := self.health())["status"] == status:
                return health
            time.sleep(0.05)
        pytest.fail(f"the service did not become {status}")


def start(socket: Path, **environment: str) -> Running:
    command = [sys.executable, "-m", "documents.vectors.embedding_service", "--socket", str(socket)]
    return Running(subprocess.Popen(command, env={**os.environ, **environment}), socket)


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="lito-e-") as path:
        yield Path(path)


@pytest.fixture(scope="module")
def service(folder: Path) -> Iterator[Running]:
    running = start(folder / "e.sock")
    running.wait_until("ready")
    yield running
    running.process.terminate()
    running.process.wait(timeout=20)


@pytest.fixture
def client(service: Running) -> Iterator[httpx2.Client]:
    with service.client() as client:
        yield client


def test_it_says_which_space_it_serves(service: Running, folder: Path) -> None:
    health = service.wait_until("ready")
    space = BundledEmbedder(cache=folder).space
    assert health["space"] == {
        "name": space.name,
        "revision": space.revision,
        "dimensions": space.dimensions,
    }
    with service.client() as client:
        assert [model["id"] for model in client.get("/v1/models").json()["data"]] == [
            health["model"]
        ]


def test_openais_own_client_gets_the_models_vectors(service: Running, folder: Path) -> None:
    transport = httpx2.HTTPTransport(uds=str(service.socket))
    with openai.OpenAI(
        base_url="http://embedding/v1",
        api_key="none",
        http_client=httpx2.Client(transport=transport),
    ) as client:
        reply = client.embeddings.create(model="", input=["one", "二"])
        asked = client.embeddings.create(model="", input="one", extra_body={"input_type": "query"})
    embedder = BundledEmbedder(cache=folder)
    received = np.array([vector.embedding for vector in reply.data], np.float32)
    np.testing.assert_allclose(received, embedder.embed(["one", "二"], "passage"), atol=1e-6)
    query = np.array(asked.data[0].embedding, np.float32)
    np.testing.assert_allclose(query, embedder.embed(["one"], "query")[0], atol=1e-6)


def test_floats_and_base64_carry_the_same_vector(client: httpx2.Client) -> None:
    request = {"input": "one"}
    floats = client.post("/v1/embeddings", json=request).json()["data"][0]["embedding"]
    packed = client.post("/v1/embeddings", json={**request, "encoding_format": "base64"}).json()
    unpacked = np.frombuffer(base64.b64decode(packed["data"][0]["embedding"]), "<f4")
    np.testing.assert_array_equal(np.array(floats, np.float32), unpacked)


def test_a_query_does_not_wait_for_a_long_batch(service: Running) -> None:
    def post(request: dict[str, Any]) -> float:
        with service.client() as client:
            begun = time.monotonic()
            assert client.post("/v1/embeddings", json=request).status_code == 200
            return time.monotonic() - begun

    with ThreadPoolExecutor(1) as pool:
        batch = pool.submit(post, {"input": [LONG] * 30})
        time.sleep(0.3)
        query = post({"input": "what reduces mortality?", "input_type": "query"})
        assert not batch.done()
        assert query < batch.result() / 3


@pytest.mark.parametrize(
    ("request_body", "status", "code"),
    [
        (b"", 400, "bad_request"),
        (b"{", 400, "bad_request"),
        (b"[]", 400, "bad_request"),
        (b"{}", 400, "bad_request"),
        (b'{"input": []}', 400, "bad_request"),
        (b'{"input": 7}', 400, "bad_request"),
        (b'{"input": [1, 2]}', 400, "bad_request"),
        (b'{"input": "x", "input_type": "title"}', 400, "bad_request"),
        (b'{"input": "x", "encoding_format": "int4"}', 400, "bad_request"),
        (json.dumps({"input": ["x"] * 257}).encode(), 400, "bad_request"),
        (json.dumps({"input": "x" * 100_001}).encode(), 400, "bad_request"),
        (b'{"input": "x", "model": "text-embedding-3-small"}', 404, "model_not_found"),
        (b"x" * (4 * 1024 * 1024 + 1), 413, "too_large"),
    ],
)
def test_a_request_that_it_cannot_serve_gets_a_typed_error(
    client: httpx2.Client, request_body: bytes, status: int, code: str
) -> None:
    reply = client.post("/v1/embeddings", content=request_body)
    assert (reply.status_code, reply.json()["error"]["code"]) == (status, code)
    assert reply.json()["error"]["message"]
    assert client.post("/v1/embeddings", json={"input": "still there"}).status_code == 200


@pytest.mark.parametrize("method_path", ["GET /v1/embeddings", "POST /health", "GET /admin"])
def test_there_is_nothing_else(client: httpx2.Client, method_path: str) -> None:
    assert client.request(*method_path.split(), json={}).status_code == 404


def test_only_its_own_user_can_open_the_socket(service: Running) -> None:
    assert stat.S_IMODE(service.socket.stat().st_mode) == 0o600


def test_a_client_that_goes_away_leaves_no_work_behind(service: Running) -> None:
    with service.client() as client, pytest.raises(httpx2.ReadTimeout):
        client.post("/v1/embeddings", json={"input": [LONG] * 200}, timeout=0.3)
    begun = time.monotonic()
    with service.client() as client:
        client.post("/v1/embeddings", json={"input": [LONG] * 4}).raise_for_status()
    assert time.monotonic() - begun < 5, "200 dropped texts would take longer than that"


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGKILL])
def test_it_ends_and_starts_again_on_the_same_socket(folder: Path, ending: signal.Signals) -> None:
    socket = folder / f"{ending.name}.sock"
    first = start(socket)
    first.wait_until("ready")
    first.process.send_signal(ending)
    code = first.process.wait(timeout=20)
    if ending is signal.SIGTERM:
        assert code == 0
        assert not socket.exists()
    again = start(socket)
    again.wait_until("ready")
    again.process.terminate()
    again.process.wait(timeout=20)


def test_a_model_that_is_not_there_is_said_and_does_not_end_the_service(folder: Path) -> None:
    running = start(folder / "none.sock", LITO_EMBEDDER="no-such-embedder")
    health = running.wait_until("failed")
    assert "no-such-embedder" in health["message"]
    with running.client() as client:
        reply = client.post("/v1/embeddings", json={"input": "x"})
    assert reply.status_code == 503
    assert "no-such-embedder" in reply.json()["error"]["message"]
    running.process.terminate()
    assert running.process.wait(timeout=20) == 0


def test_it_can_listen_on_a_port_for_other_machines() -> None:
    with sockets.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "documents.vectors.embedding_service", "--port", str(port)]
    process = subprocess.Popen(command)
    health: dict[str, Any] = {}
    try:
        for _ in range(200):
            with sockets.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    health = httpx2.get(f"http://127.0.0.1:{port}/health", timeout=5).json()
                    break
            time.sleep(0.05)
        assert health["status"] in ("loading", "ready")
    finally:
        process.terminate()
        assert process.wait(timeout=20) == 0
