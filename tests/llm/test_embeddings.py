import base64
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from llm.embeddings import (
    CHARACTERS_PER_REQUEST,
    TEXTS_PER_REQUEST,
    EmbeddingsClient,
    EmbeddingServer,
    batches,
)
from llm.port import ModelError
from tests.llm.embedding_server import EmbeddingServerDouble, vector_of


@pytest.fixture
def server() -> Iterator[EmbeddingServerDouble]:
    with EmbeddingServerDouble(dimensions=5) as running:
        yield running


@pytest.fixture
def client(server: EmbeddingServerDouble) -> Iterator[EmbeddingsClient]:
    client = EmbeddingsClient(EmbeddingServer(server.base_url, "m", "sk-secret-key", timeout=5))
    yield client
    client.close()


def failing(status: int, message: str = "no") -> Any:
    return lambda _request: (status, {"error": {"message": message, "code": None}})


@pytest.mark.parametrize("floats_only", [True, False])
def test_each_text_gets_its_row_over_many_requests(
    server: EmbeddingServerDouble, client: EmbeddingsClient, floats_only: bool
) -> None:
    server.floats_only = floats_only
    texts = [f"{i} text" for i in range(TEXTS_PER_REQUEST * 2 + 3)]
    rows = client.embed(texts)
    assert [len(request["input"]) for request in server.requests] == [64, 64, 3]
    for row, text in zip(rows, texts, strict=True):
        np.testing.assert_allclose(row, vector_of(text, 5), rtol=1e-6)


def test_rows_that_come_in_another_order_are_sorted(
    server: EmbeddingServerDouble, client: EmbeddingsClient
) -> None:
    def backwards(request: dict[str, Any]) -> tuple[int, Any]:
        reply = server.vectors(request)
        return 200, {**reply, "data": reply["data"][::-1]}

    server.script = [backwards]
    np.testing.assert_allclose(client.embed(["a", "b"])[0], vector_of("a", 5), rtol=1e-6)


def test_no_text_is_no_request(server: EmbeddingServerDouble, client: EmbeddingsClient) -> None:
    assert client.embed([]).shape == (0, 0)
    assert server.requests == []


def test_the_side_is_sent_only_where_it_is_asked_for(
    server: EmbeddingServerDouble, client: EmbeddingsClient
) -> None:
    client.embed(["a"])
    client.embed(["a"], input_type="query")
    assert "input_type" not in server.requests[0]
    assert server.requests[1]["input_type"] == "query"


@pytest.mark.parametrize(
    ("texts", "sizes"),
    [
        ([], []),
        (["a"], [1]),
        (["x" * CHARACTERS_PER_REQUEST, "y"], [1, 1]),
        (["x" * (CHARACTERS_PER_REQUEST * 3)], [1]),
        (["x" * (CHARACTERS_PER_REQUEST // 2)] * 5, [2, 2, 1]),
        (["a"] * TEXTS_PER_REQUEST, [TEXTS_PER_REQUEST]),
        (["a"] * (TEXTS_PER_REQUEST + 1), [TEXTS_PER_REQUEST, 1]),
    ],
)
def test_a_request_carries_what_servers_accept(texts: list[str], sizes: list[int]) -> None:
    cut = list(batches(texts))
    assert [len(batch) for batch in cut] == sizes
    assert [text for batch in cut for text in batch] == texts


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_server_that_fails_for_a_moment_is_asked_again(
    server: EmbeddingServerDouble, client: EmbeddingsClient, status: int
) -> None:
    server.script = [failing(status)]
    assert client.embed(["a"]).shape == (1, 5)
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("status", "code", "attempts"),
    [
        (400, "bad_request", 1),
        (401, "unauthorized", 1),
        (403, "unauthorized", 1),
        (404, "no_such_model", 1),
        (429, "rate_limited", 3),
        (500, "server_error", 3),
    ],
)
def test_a_refusal_is_a_typed_error_without_the_key(
    server: EmbeddingServerDouble, client: EmbeddingsClient, status: int, code: str, attempts: int
) -> None:
    server.script = [failing(status, "bad key sk-secret-key")] * 3
    with pytest.raises(ModelError) as caught:
        client.embed(["a"])
    assert caught.value.code == code
    assert "sk-secret-key" not in str(caught.value)
    assert len(server.requests) == attempts


def entries(*vectors: Any) -> dict[str, Any]:
    data = [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(vectors)]
    return {"object": "list", "model": "m", "data": data, "usage": {}}


@pytest.mark.parametrize(
    "reply",
    [
        entries([1.0, 2.0]),
        entries([1.0], [1.0], [1.0]),
        entries([1.0, 2.0], [1.0]),
        entries([], []),
        entries([1.0, None], [1.0, 2.0]),
        entries(base64.b64encode(b"\0\0\xc0\x7f").decode(), base64.b64encode(b"\0" * 4).decode()),
        entries("not base64!", "at all"),
        {"object": "list", "data": []},
        {"object": "list"},
        {"hello": "world"},
        [],
        b"<html>gateway</html>",
    ],
)
def test_a_reply_that_is_no_vectors_is_never_stored(
    server: EmbeddingServerDouble, client: EmbeddingsClient, reply: Any
) -> None:
    server.script = [lambda _request: (200, reply)]
    with pytest.raises(ModelError) as caught:
        client.embed(["a", "b"])
    assert caught.value.code in ("bad_reply", "cut_off", "server_error")


def test_a_server_that_is_not_there_is_unreachable() -> None:
    client = EmbeddingsClient(EmbeddingServer("http://127.0.0.1:9/v1", "m", timeout=2))
    with pytest.raises(ModelError) as caught:
        client.embed(["a"])
    assert caught.value.code == "unreachable"
    client.close()
