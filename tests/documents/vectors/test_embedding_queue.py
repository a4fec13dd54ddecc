import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError

import numpy as np
import pytest

from documents.vectors.embedder import EmbedderUnavailableError, Side, SpaceIdentity, Vectors
from documents.vectors.embedding_queue import MOST_WAITING_TEXTS, EmbeddingQueue, TooBusyError


class SteppedEmbedder:
    """A deterministic embedder that embeds one more text each time the test lets it."""

    space = SpaceIdentity("stepped", "1", 2)

    def __init__(self) -> None:
        self.seen: list[str] = []
        self.allowed = threading.Semaphore(0)
        self.begun = threading.Semaphore(0)

    def embed(self, texts: Sequence[str], side: Side) -> Vectors:
        self.begun.release()
        assert self.allowed.acquire(timeout=10)
        self.seen.extend(texts)
        if "broken" in texts:
            raise ValueError("no vector for this text")
        return np.array([[len(text), side == "query"] for text in texts], np.float32)


@pytest.fixture
def embedder() -> SteppedEmbedder:
    return SteppedEmbedder()


@pytest.fixture
def queue(embedder: SteppedEmbedder) -> Iterator[EmbeddingQueue]:
    queue = EmbeddingQueue(lambda: embedder)
    queue.start()
    yield queue
    embedder.allowed.release(5000)
    queue.stop()


def test_a_query_overtakes_a_long_batch(embedder: SteppedEmbedder, queue: EmbeddingQueue) -> None:
    batch = queue.submit([f"passage {i}" for i in range(50)], "passage")
    assert embedder.begun.acquire(timeout=10)
    query = queue.submit(["query"], "query")
    embedder.allowed.release(2)
    np.testing.assert_array_equal(query.result(timeout=10), [[5, 1]])
    assert embedder.seen == ["passage 0", "query"]
    assert not batch.done()


def test_passage_requests_take_turns(embedder: SteppedEmbedder, queue: EmbeddingQueue) -> None:
    long = queue.submit(["a1", "a2", "a3", "a4"], "passage")
    assert embedder.begun.acquire(timeout=10)
    short = queue.submit(["b1"], "passage")
    embedder.allowed.release(3)
    short.result(timeout=10)
    assert embedder.seen[:2] == ["a1", "b1"]
    embedder.allowed.release(10)
    assert long.result(timeout=10).shape == (4, 2)


def test_a_cancelled_request_is_not_embedded_further(
    embedder: SteppedEmbedder, queue: EmbeddingQueue
) -> None:
    batch = queue.submit([f"dropped {i}" for i in range(50)], "passage")
    assert embedder.begun.acquire(timeout=10)
    assert batch.cancel()
    embedder.allowed.release(100)
    queue.submit(["after"], "passage").result(timeout=10)
    assert embedder.seen == ["dropped 0", "after"]
    with pytest.raises(CancelledError):
        batch.result()


def test_a_text_that_breaks_the_model_breaks_only_its_request(
    embedder: SteppedEmbedder, queue: EmbeddingQueue
) -> None:
    embedder.allowed.release(10)
    broken = queue.submit(["fine", "broken", "never reached"], "passage")
    with pytest.raises(ValueError, match="no vector"):
        broken.result(timeout=10)
    assert queue.submit(["next"], "query").result(timeout=10).shape == (1, 2)
    assert "never reached" not in embedder.seen


def test_what_waits_is_bounded_but_passages_keep_no_query_out(
    embedder: SteppedEmbedder, queue: EmbeddingQueue
) -> None:
    full = queue.submit(["x"] * MOST_WAITING_TEXTS, "passage")
    with pytest.raises(TooBusyError):
        queue.submit(["one more"], "passage")
    query = queue.submit(["query"], "query")
    full.cancel()
    embedder.allowed.release(10)
    query.result(timeout=10)
    # One text later the dropped request has come to its turn and counts no more.
    for _ in range(200):
        try:
            freed = queue.submit(["one more"], "passage")
        except TooBusyError:
            time.sleep(0.01)
            continue
        assert freed.result(timeout=10).shape == (1, 2)
        return
    pytest.fail("the dropped texts still count as waiting")


def test_requests_wait_while_the_model_loads(embedder: SteppedEmbedder) -> None:
    loaded = threading.Event()

    def load() -> SteppedEmbedder:
        assert loaded.wait(timeout=10)
        return embedder

    queue = EmbeddingQueue(load)
    queue.start()
    early = queue.submit(["early"], "query")
    assert queue.space is None
    loaded.set()
    embedder.allowed.release()
    assert early.result(timeout=10).shape == (1, 2)
    assert queue.space == embedder.space
    queue.stop()


def test_a_model_that_cannot_be_had_is_said_to_all_who_ask() -> None:
    asked = threading.Event()

    def load() -> SteppedEmbedder:
        assert asked.wait(timeout=10)
        raise EmbedderUnavailableError("Run `make install-bge`.")

    queue = EmbeddingQueue(load)
    queue.start()
    early = queue.submit(["early"], "query")
    asked.set()
    with pytest.raises(EmbedderUnavailableError, match="install-bge"):
        early.result(timeout=10)
    with pytest.raises(EmbedderUnavailableError, match="install-bge"):
        queue.submit(["late"], "passage")
    queue.stop()
