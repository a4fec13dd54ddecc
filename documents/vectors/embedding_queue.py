"""One thread that holds the model, fed text by text: a query never waits behind a long batch."""

import itertools
import queue
import threading
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field

import numpy as np

from documents.vectors.embedder import (
    Embedder,
    EmbedderUnavailableError,
    Load,
    Side,
    SpaceIdentity,
    Vectors,
)

MOST_WAITING_TEXTS = 2048
"""Of queries, and as many of passages: passages can't keep a query out."""
URGENCY: dict[Side, int] = {"query": 0, "passage": 1}


class TooBusyError(Exception):
    """More texts are waiting than the queue may hold: come back later."""


@dataclass(slots=True)
class _Request:
    texts: Sequence[str]
    side: Side
    result: "Future[Vectors]" = field(default_factory=Future)
    rows: list[Vectors] = field(default_factory=list)


class EmbeddingQueue:
    """Loads the model, then embeds one text at a time: queries first, passage requests in turn."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._order = itertools.count()
        self._waiting: queue.PriorityQueue[tuple[int, int, _Request | None]] = queue.PriorityQueue()
        self._waiting_texts: dict[Side, int] = dict.fromkeys(URGENCY, 0)
        self._lock = threading.Lock()
        self._embedder: Embedder | None = None
        self.failure = ""
        self._thread = threading.Thread(target=self._work, name="embedding", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Let the text that is being embedded finish; whatever waits is dropped."""
        self._waiting.put((-1, next(self._order), None))
        self._thread.join(timeout=10)

    @property
    def space(self) -> SpaceIdentity | None:
        """None while the model loads, and for good after it failed to."""
        return self._embedder.space if self._embedder else None

    def submit(self, texts: Sequence[str], side: Side) -> "Future[Vectors]":
        """A future of one row per text. Cancelling it drops what has not been embedded yet.

        Raises `TooBusyError`, and `EmbedderUnavailableError` after a failed load. While the model
        loads, requests wait.
        """
        if self.failure:
            raise EmbedderUnavailableError(self.failure)
        with self._lock:
            waiting = self._waiting_texts[side]
            if waiting and waiting + len(texts) > MOST_WAITING_TEXTS:
                raise TooBusyError
            self._waiting_texts[side] += len(texts)
        request = _Request(texts, side)
        self._put(request)
        return request.result

    def _put(self, request: _Request) -> None:
        self._waiting.put((URGENCY[request.side], next(self._order), request))

    def _work(self) -> None:
        try:
            self._embedder = self._load()
        except EmbedderUnavailableError as error:
            self.failure = str(error)
        except Exception as error:  # the thread's edge: said to every caller, and logged
            self.failure = f"The embedding model could not be loaded: {error}"
            raise
        finally:
            while (request := self._waiting.get()[2]) is not None:
                self._advance(request)

    def _advance(self, request: _Request) -> None:
        """Embed the request's next text, then let others have their turn."""
        if request.result.cancelled():
            self._left(request, len(request.texts) - len(request.rows))
            return
        if self._embedder is None:
            self._left(request, len(request.texts))
            _settle(request.result, EmbedderUnavailableError(self.failure))
            return
        place = len(request.rows)
        try:
            request.rows.append(
                self._embedder.embed(request.texts[place : place + 1], request.side)
            )
        except Exception as error:  # noqa: BLE001 - one text must not end the service
            self._left(request, len(request.texts) - place)
            _settle(request.result, error)
            return
        self._left(request, 1)
        if len(request.rows) < len(request.texts):
            self._put(request)
        else:
            _settle(request.result, np.concatenate(request.rows))

    def _left(self, request: _Request, texts: int) -> None:
        with self._lock:
            self._waiting_texts[request.side] -= texts


def _settle(result: "Future[Vectors]", outcome: Vectors | Exception) -> None:
    """Set the outcome unless the caller went away in the meantime."""
    if not result.set_running_or_notify_cancel():
        return
    if isinstance(outcome, Exception):
        result.set_exception(outcome)
    else:
        result.set_result(outcome)
