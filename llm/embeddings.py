"""A client for any server with OpenAI's `/v1/embeddings`, over TCP or a Unix socket."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import httpx2
import numpy as np
import openai
from numpy.typing import NDArray

from llm.failures import read_failure
from llm.port import ModelError

TEXTS_PER_REQUEST = 64
CHARACTERS_PER_REQUEST = 200_000
RETRIES = 2
"""Asking for a vector changes nothing, so a lost or refused request may be sent again."""


@dataclass(frozen=True, slots=True)
class EmbeddingServer:
    """Where the server is. With `socket`, the host in `base_url` is only a name."""

    base_url: str
    model: str
    api_key: str = ""
    socket: str = ""
    timeout: float = 120.0
    retries: int = RETRIES


class EmbeddingsClient:
    """Asks one server for one model's vectors. Safe to share between threads."""

    def __init__(self, server: EmbeddingServer) -> None:
        self._server = server
        transport = httpx2.HTTPTransport(uds=server.socket) if server.socket else None
        self._http = httpx2.Client(transport=transport, timeout=server.timeout)
        self._client = openai.OpenAI(
            base_url=server.base_url,
            api_key=server.api_key or "none",
            max_retries=server.retries,
            timeout=server.timeout,
            http_client=self._http,
        )

    def close(self) -> None:
        """Close the connections. Also done when the last user lets go of the client."""
        self._client.close()

    def __del__(self) -> None:
        if hasattr(self, "_client"):
            self.close()

    def embed(self, texts: Sequence[str], *, input_type: str = "") -> NDArray[np.float32]:
        """One row per text, as the server made it. Raises `ModelError`.

        `input_type` ("query" or "passage") is an extension that other servers may refuse: leave it
        out for them.
        """
        rows = [self._ask(batch, input_type) for batch in batches(texts)]
        if len({part.shape[1] for part in rows}) > 1:
            raise ModelError("bad_reply", "The embedding server changed its vector length midway.")
        return np.concatenate(rows) if rows else np.zeros((0, 0), np.float32)

    def _ask(self, texts: Sequence[str], input_type: str) -> NDArray[np.float32]:
        extension = {"input_type": input_type} if input_type else None
        try:
            reply = self._client.embeddings.create(
                model=self._server.model, input=list(texts), extra_body=extension
            )
        except openai.OpenAIError as error:
            raise read_failure(error, secret=self._server.api_key) from error
        except (ValueError, TypeError, AttributeError) as error:  # what its parser lets out
            raise ModelError("bad_reply", "The embedding server's reply is no vectors.") from error
        return _rows(reply.data, len(texts))


def batches(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Runs of texts that one request may carry; a single long text goes alone."""
    start = characters = 0
    for place, text in enumerate(texts):
        full = place - start == TEXTS_PER_REQUEST
        if place > start and (full or characters + len(text) > CHARACTERS_PER_REQUEST):
            yield texts[start:place]
            start, characters = place, 0
        characters += len(text)
    if start < len(texts):
        yield texts[start:]


def _rows(vectors: Sequence[openai.types.Embedding] | None, wanted: int) -> NDArray[np.float32]:
    """The vectors in the order of the texts, checked: right number, one length, all finite."""
    in_order = sorted(vectors or (), key=lambda vector: vector.index)
    if [vector.index for vector in in_order] != list(range(wanted)):
        raise ModelError("bad_reply", "The embedding server did not return one vector per text.")
    try:
        rows = np.array([vector.embedding for vector in in_order], dtype=np.float32)
    except (TypeError, ValueError) as error:
        raise ModelError("bad_reply", "The embedding server's vectors differ in length.") from error
    if rows.ndim != 2 or rows.shape[1] == 0 or not np.isfinite(rows).all():
        raise ModelError("bad_reply", "The embedding server's vectors are no finite numbers.")
    return rows
