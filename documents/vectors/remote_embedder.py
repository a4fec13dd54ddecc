"""Embedders behind `/v1/embeddings`: our own service, or an outside server."""

import hashlib
import re
import socket
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import httpx2
import numpy as np
from django.conf import settings
from django.utils.translation import gettext as _

from documents.vectors.embedder import (
    EmbedderUnavailableError,
    Side,
    SpaceIdentity,
    Vectors,
    unit_rows,
)
from llm.embeddings import EmbeddingsClient, EmbeddingServer
from llm.port import ModelError

E5_NAME = re.compile(r"(?<![a-z0-9])e5(?![a-z0-9])", re.IGNORECASE)
SOCKET_BASE_URL = "http://embedding/v1"
QUERY_SECONDS = 20.0
PASSAGE_SECONDS = 300.0
MOST_DIMENSIONS = 4000
"""What an index of pgvector can hold in half precision."""
LONGEST_NAME = 160
LONGEST_REVISION = 80
LEAST_LENGTH = 1e-6
SHORTEST_CUT = 200


class RemoteEmbedder:
    """A model behind `/v1/embeddings`. `forget` is called when it fails or became another."""

    def __init__(
        self,
        server: EmbeddingServer,
        space: SpaceIdentity,
        *,
        forget: Callable[[], object],
        ours: bool,
        e5: bool = False,
    ) -> None:
        self._space = space
        self._ours = ours
        self._forget = forget
        self._prefixes = {"query": "query: ", "passage": "passage: "} if e5 else {}
        self._clients = {
            # A question waits for nobody who is not there: its words can be searched meanwhile.
            "query": EmbeddingsClient(
                replace(server, timeout=QUERY_SECONDS, retries=0 if ours else 1)
            ),
            "passage": EmbeddingsClient(replace(server, timeout=PASSAGE_SECONDS)),
        }

    @property
    def space(self) -> SpaceIdentity:
        return self._space

    def embed(self, texts: Sequence[str], side: Side) -> Vectors:
        prefix = self._prefixes.get(side, "")
        try:
            rows = self._rows([prefix + text for text in texts], side)
        except ModelError as error:
            self._forget()
            raise EmbedderUnavailableError(str(error)) from error
        if rows.shape[1] != self._space.dimensions:
            self._forget()
            raise EmbedderUnavailableError(
                _("The embedding server now returns vectors of another length. Try again.")
            )
        if (np.linalg.norm(rows, axis=1) < LEAST_LENGTH).any():
            raise EmbedderUnavailableError(
                _("The embedding server returned a vector of zeros, which is near to nothing.")
            )
        return unit_rows(rows)

    def _rows(self, texts: Sequence[str], side: Side) -> Vectors:
        """As the server makes them. What is too long for it is cut: its beginning says most."""
        input_type = side if self._ours else ""
        try:
            return self._clients[side].embed(texts, input_type=input_type)
        except ModelError as error:
            if error.code != "context_too_long":
                raise
        return np.concatenate([self._shortened(text, side) for text in texts])

    def _shortened(self, text: str, side: Side) -> Vectors:
        while True:
            try:
                return self._clients[side].embed([text])
            except ModelError as error:
                if error.code != "context_too_long" or len(text) <= SHORTEST_CUT:
                    raise
            text = text[: len(text) // 2]


def service_embedder(kind: str, forget: Callable[[], object]) -> RemoteEmbedder:
    """The model that our service holds, or another of its kinds, which it loads when first asked.

    `kind` is empty for the one that it was started with.
    """
    base_url = settings.LITO_EMBEDDING_BASE_URL
    if kind and settings.LITO_EMBEDDER == "openai":
        base_url = ""
    path = "" if base_url else settings.LITO_EMBEDDING_SOCKET
    base_url = base_url or SOCKET_BASE_URL
    if kind:
        base_url = base_url.removesuffix("/").removesuffix("/v1") + f"/{kind}/v1"
    health = _health(base_url, path)
    space = SpaceIdentity(**health["space"])
    server = EmbeddingServer(base_url, health["model"], socket=path)
    return RemoteEmbedder(server, space, forget=forget, ours=True)


def outside_embedder(base_url: str, model: str, forget: Callable[[], object]) -> RemoteEmbedder:
    """A model of an outside server: its dimensions are those of a first vector."""
    if not (model and base_url):
        raise EmbedderUnavailableError(
            _("LITO_EMBEDDER=openai needs LITO_EMBEDDING_BASE_URL and LITO_EMBEDDING_MODEL.")
        )
    if len(model) > LONGEST_NAME or not model.isprintable() or not model.strip():
        raise EmbedderUnavailableError(
            _("LITO_EMBEDDING_MODEL is no name of a model: at most %(most)d characters, in a line.")
            % {"most": LONGEST_NAME}
        )
    server = EmbeddingServer(base_url, model, settings.LITO_EMBEDDING_API_KEY)
    dimensions = _dimensions(replace(server, timeout=QUERY_SECONDS))
    space = SpaceIdentity(model, _revision(without_password(base_url)), dimensions)
    e5 = bool(E5_NAME.search(model))
    return RemoteEmbedder(server, space, forget=forget, ours=False, e5=e5)


def without_password(address: str) -> str:
    parts = urlsplit(address)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _revision(address: str) -> str:
    """The address; a long one by its beginning and what tells it from others."""
    if len(address) <= LONGEST_REVISION:
        return address
    digest = hashlib.sha256(address.encode()).hexdigest()[:12]
    return f"{address[: LONGEST_REVISION - len(digest) - 1]} {digest}"


def _dimensions(server: EmbeddingServer) -> int:
    client = EmbeddingsClient(server)
    try:
        dimensions = int(client.embed(["dimensions"]).shape[1])
    except ModelError as error:
        raise EmbedderUnavailableError(str(error)) from error
    finally:
        client.close()
    if dimensions > MOST_DIMENSIONS:
        raise EmbedderUnavailableError(
            _("The model's vectors have %(found)d numbers; at most %(most)d can be searched.")
            % {"found": dimensions, "most": MOST_DIMENSIONS}
        )
    return dimensions


def _health(base_url: str, path: str) -> dict[str, Any]:
    """What the service says of itself once it is ready."""
    if path and not _listens(path):
        raise EmbedderUnavailableError(_not_running())
    transport = httpx2.HTTPTransport(uds=path) if path else None
    try:
        with httpx2.Client(transport=transport, timeout=5) as client:
            health = client.get(base_url.removesuffix("/").removesuffix("/v1") + "/health").json()
    except (httpx2.HTTPError, OSError, ValueError) as error:
        raise EmbedderUnavailableError(_not_running()) from error
    match health:
        case {"status": "ready", "space": {}, "model": str()}:
            ready: dict[str, Any] = health
            return ready
        case {"status": "failed", "message": str(message)}:
            raise EmbedderUnavailableError(message)
        case _:
            raise EmbedderUnavailableError(
                _("The embedding model is still being loaded. Try again in a moment.")
            )


def _listens(path: str) -> bool:
    with socket.socket(socket.AF_UNIX) as probe:
        return probe.connect_ex(path) == 0


def _not_running() -> str:
    return _("The embedding service does not answer. Start Lito with `make up` and try again.")
