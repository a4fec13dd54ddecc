"""What the rest of Lito sees of vectors: the functions, the space, and plain sentences."""

import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.db import connection
from pytest_django import Settings

from documents.models import EmbeddingSpace
from documents.vectors import embedding
from documents.vectors.embedding import (
    EmbedderUnavailableError,
    active_space,
    embed_passages,
    embed_query,
)
from tests.llm.embedding_server import EmbeddingServerDouble


@pytest.fixture(autouse=True)
def forgotten_embedder() -> Iterator[None]:
    forget()
    yield
    forget()


def forget() -> None:
    embedding.forget_embedders()
    embedding._query_vector.cache_clear()


@pytest.fixture(scope="module")
def socket() -> Iterator[Path]:
    """The socket of a running embedding service."""
    with tempfile.TemporaryDirectory(prefix="lito-e-") as folder:
        path = Path(folder) / "e.sock"
        command = [
            sys.executable,
            "-m",
            "documents.vectors.embedding_service",
            "--socket",
            str(path),
        ]
        process = subprocess.Popen(command)
        yield path
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture
def outside() -> Iterator[EmbeddingServerDouble]:
    with EmbeddingServerDouble(dimensions=8) as server:
        yield server


def use_service(settings: Settings, socket: Path) -> None:
    settings.LITO_EMBEDDING_IN_PROCESS = False
    settings.LITO_EMBEDDING_SOCKET = str(socket)


def use_outside(settings: Settings, server: EmbeddingServerDouble, model: str) -> None:
    settings.LITO_EMBEDDER = "openai"
    settings.LITO_EMBEDDING_BASE_URL = server.base_url
    settings.LITO_EMBEDDING_MODEL = model
    settings.LITO_EMBEDDING_API_KEY = "key-1"


def when_ready(space: EmbeddingSpace | None = None) -> np.ndarray:
    for _ in range(300):
        try:
            return embed_query("sea ice", space=space)
        except EmbedderUnavailableError:
            time.sleep(0.1)
    pytest.fail("the service never became ready")


def test_the_service_and_this_process_give_the_same_vectors(
    settings: Settings, socket: Path
) -> None:
    here = embed_query("sea ice"), embed_passages(["one", "二", ""])
    use_service(settings, socket)
    forget()
    there = when_ready(), embed_passages(["one", "二", ""])
    for ours, theirs in zip(here, there, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-6)


@pytest.mark.parametrize("where", ["here", "service"])
def test_vectors_have_length_one_and_the_right_shape(
    settings: Settings, socket: Path, where: str
) -> None:
    if where == "service":
        use_service(settings, socket)
        when_ready()
    texts = [f"passage {i}" for i in range(150)]
    vectors = embed_passages(texts)
    assert vectors.shape == (150, 384)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    np.testing.assert_allclose(vectors[77], embed_passages([texts[77]])[0], atol=1e-6)
    assert embed_query("passage 77").shape == (384,)
    assert embed_passages([]).shape == (0, 384)


def test_half_a_surrogate_pair_is_no_reason_to_fail(settings: Settings, socket: Path) -> None:
    assert embed_passages(["broken \ud835 letter"]).shape == (1, 384)
    use_service(settings, socket)
    forget()
    when_ready()
    assert embed_passages(["broken \ud835 letter"]).shape == (1, 384)


@pytest.mark.django_db
def test_the_space_is_made_once_and_is_the_active_one() -> None:
    space = active_space()
    assert (space.dimensions, space.active) == (384, True)
    assert "e5" in space.name
    assert "int8" in space.name
    assert active_space() == space
    assert EmbeddingSpace.objects.count() == 1


@pytest.mark.django_db
def test_another_embedder_gets_a_space_of_its_own_and_the_old_one_stays(
    settings: Settings, outside: EmbeddingServerDouble
) -> None:
    bundled = active_space()
    use_outside(settings, outside, "text-embedding-x")
    forget()
    other = active_space()
    assert (other.name, other.dimensions) == ("text-embedding-x", 8)
    bundled.refresh_from_db()
    assert (bundled.active, other.active) == (False, True)
    settings.LITO_EMBEDDER = "bundled"
    forget()
    assert active_space() == bundled
    assert EmbeddingSpace.objects.filter(active=True).count() == 1


@pytest.mark.django_db(transaction=True)
def test_processes_that_ask_together_agree_on_one_space() -> None:
    embed_query("load the model first")
    found: list[int] = []

    def ask() -> None:
        found.append(active_space().pk)
        connection.close()

    threads = [threading.Thread(target=ask) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 6
    assert set(found) == {EmbeddingSpace.objects.get().pk}


@pytest.mark.parametrize(
    ("model", "query", "passage"),
    [
        ("text-embedding-x", "q", "p"),
        ("BAAI/bge-m3", "q", "p"),
        ("intfloat/multilingual-e5-large", "query: q", "passage: p"),
        ("model5-e50", "q", "p"),
    ],
)
def test_only_an_e5_model_elsewhere_gets_prefixes(
    settings: Settings, outside: EmbeddingServerDouble, model: str, query: str, passage: str
) -> None:
    use_outside(settings, outside, model)
    embed_query("q")
    embed_passages(["p"])
    assert [request["input"] for request in outside.requests[-2:]] == [[query], [passage]]
    assert all("input_type" not in request for request in outside.requests)
    assert outside.keys == {"Bearer key-1"}


def test_an_outside_servers_vectors_are_brought_to_length_one(
    settings: Settings, outside: EmbeddingServerDouble
) -> None:
    use_outside(settings, outside, "text-embedding-x")
    outside.scale = 7.5
    np.testing.assert_allclose(np.linalg.norm(embed_passages(["a", "b"]), axis=1), 1, atol=1e-6)


def test_a_server_that_changes_its_length_is_refused_once_then_looked_at_anew(
    settings: Settings, outside: EmbeddingServerDouble
) -> None:
    use_outside(settings, outside, "text-embedding-x")
    assert embed_query("q").shape == (8,)
    outside.dimensions = 16
    with pytest.raises(EmbedderUnavailableError, match="another length"):
        embed_query("another q")
    assert embed_query("q").shape == (16,)


def test_without_a_service_a_plain_sentence_says_what_to_do(
    settings: Settings, tmp_path: Path
) -> None:
    use_service(settings, tmp_path / "nobody.sock")
    with pytest.raises(EmbedderUnavailableError, match="make up"):
        embed_query("x")
    with pytest.raises(EmbedderUnavailableError, match="make up"):
        embed_passages(["x"])


def test_a_service_that_comes_later_is_found(settings: Settings, socket: Path) -> None:
    use_service(settings, socket.with_name("not-yet.sock"))
    with pytest.raises(EmbedderUnavailableError):
        embed_query("x")
    use_service(settings, socket)
    assert when_ready().shape == (384,)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"LITO_EMBEDDER": "openai", "LITO_EMBEDDING_BASE_URL": ""}, "LITO_EMBEDDING_BASE_URL"),
        ({"LITO_EMBEDDER": "word2vec"}, "bundled, bge-m3 or openai"),
    ],
)
def test_settings_that_cannot_work_are_named(
    settings: Settings, changed: dict[str, str], says: str
) -> None:
    for name, value in changed.items():
        setattr(settings, name, value)
    with pytest.raises(EmbedderUnavailableError, match=says):
        embed_query("x")


def test_a_query_is_embedded_once_and_nobody_can_spoil_it(
    settings: Settings, outside: EmbeddingServerDouble
) -> None:
    use_outside(settings, outside, "text-embedding-x")
    first = embed_query("q")
    asked = len(outside.requests)
    assert embed_query("q") is first
    assert len(outside.requests) == asked
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 5
    embed_query("long " * 500)
    embed_query("long " * 500)
    assert len(outside.requests) == asked + 2


def test_a_text_that_is_too_long_for_the_server_is_cut(
    settings: Settings, outside: EmbeddingServerDouble
) -> None:
    """As servers of small models answer: 413, or a sentence about tokens."""
    use_outside(settings, outside, "small")
    embed_query("first")
    most = 700

    def refuse(request: dict[str, Any]) -> tuple[int, Any]:
        longest = max(len(text) for text in request["input"])
        if longest > most:
            return 413, {"error": {"message": "inputs must have less than 512 tokens"}}
        return 200, outside.vectors(request)

    outside.script = [refuse] * 40
    assert embed_query("word " * 2000).shape == (8,)
    assert embed_passages(["short", "word " * 1000]).shape == (2, 8)
    assert max(len(text) for text in outside.requests[-1]["input"]) <= most


@pytest.mark.parametrize(
    ("model", "dimensions", "says"),
    [("x" * 161, 8, "no name"), ("two\nlines", 8, "no name"), ("huge", 4001, "at most 4000")],
)
def test_a_model_that_cannot_be_used_is_refused(
    settings: Settings, outside: EmbeddingServerDouble, model: str, dimensions: int, says: str
) -> None:
    outside.dimensions = dimensions
    use_outside(settings, outside, model)
    with pytest.raises(EmbedderUnavailableError, match=says):
        embed_query("q")


def test_a_vector_of_zeros_is_refused(settings: Settings, outside: EmbeddingServerDouble) -> None:
    use_outside(settings, outside, "text-embedding-x")
    embed_query("first")
    outside.scale = 0
    with pytest.raises(EmbedderUnavailableError, match="zeros"):
        embed_passages(["a", "b"])


@pytest.mark.django_db
def test_the_service_gives_an_older_model_on_demand(
    settings: Settings, socket: Path, outside: EmbeddingServerDouble
) -> None:
    """An outside server is configured now; the bundled model made the vectors that are there."""
    here = embed_query("sea ice")
    bundled = active_space()
    use_outside(settings, outside, "text-embedding-x")
    settings.LITO_EMBEDDING_IN_PROCESS = False
    settings.LITO_EMBEDDING_SOCKET = str(socket)
    forget()
    assert active_space().name == "text-embedding-x"
    there = when_ready(space=bundled)
    np.testing.assert_allclose(there, here, atol=1e-6)


@pytest.mark.django_db
def test_no_key_is_stored_or_shown(settings: Settings, outside: EmbeddingServerDouble) -> None:
    use_outside(settings, outside, "text-embedding-x")
    address = outside.base_url.replace("http://", "http://ada:key-1@")
    settings.LITO_EMBEDDING_BASE_URL = address
    forget()
    space = active_space()
    assert "key-1" not in f"{space.name} {space.revision} {space.source}"
