"""Vectors for the rest of Lito, and the embedding space that they belong to.

The model lives in the embedding service (or on an outside server); only commands and tests load
it here, with `LITO_EMBEDDING_IN_PROCESS`.
"""

import re
import socket
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import httpx2
import numpy as np
from django.conf import settings
from django.db import transaction
from django.utils.translation import gettext as _

from documents.embedder import (
    Embedder,
    EmbedderUnavailableError,
    Side,
    SpaceIdentity,
    Vectors,
    unit_rows,
)
from documents.local_embedder import load_configured
from documents.models import EmbeddingSpace
from llm.embeddings import EmbeddingsClient, EmbeddingServer
from llm.port import ModelError

__all__ = ["EmbedderUnavailableError", "active_space", "embed_passages", "embed_query"]

E5_NAME = re.compile(r"(?<![a-z0-9])e5(?![a-z0-9])", re.IGNORECASE)
SOCKET_BASE_URL = "http://embedding/v1"
QUERY_SECONDS = 30.0
PASSAGE_SECONDS = 300.0


def embed_query(text: str) -> Vectors:
    """The unit vector of what someone searches for, shape (dimensions,)."""
    vector: Vectors = _embedder().embed([_encodable(text)], "query")[0]
    return vector


def embed_passages(texts: Sequence[str]) -> Vectors:
    """Unit vectors of texts to be found, shape (len(texts), dimensions)."""
    embedder = _embedder()
    if not texts:
        return np.zeros((0, embedder.space.dimensions), np.float32)
    return embedder.embed([_encodable(text) for text in texts], "passage")


def active_space() -> EmbeddingSpace:
    """The space of the configured embedder, made and switched to if it is not the active one.

    Raises `EmbedderUnavailableError` if the embedder can't say what it is.
    """
    identity = _embedder().space
    fields: dict[str, Any] = {
        "name": identity.name,
        "revision": identity.revision,
        "dimensions": identity.dimensions,
    }
    if space := EmbeddingSpace.objects.filter(**fields, active=True).first():
        return space
    with transaction.atomic():
        # Locks the rows, so that two processes that start together agree on one active space.
        list(EmbeddingSpace.objects.select_for_update().order_by("pk"))
        space, _made = EmbeddingSpace.objects.get_or_create(**fields)
        EmbeddingSpace.objects.filter(active=True).exclude(pk=space.pk).update(active=False)
        space.active = True
        space.save(update_fields=["active"])
    return space


def _encodable(text: str) -> str:
    """Half a surrogate pair, which broken PDFs yield, can be neither sent nor tokenised."""
    return text.encode("utf-8", "replace").decode()


class RemoteEmbedder:
    """A model behind `/v1/embeddings`: our own service, or an outside server."""

    def __init__(
        self, server: EmbeddingServer, space: SpaceIdentity, *, ours: bool, e5: bool = False
    ) -> None:
        self._space = space
        self._ours = ours
        self._prefixes = {"query": "query: ", "passage": "passage: "} if e5 else {}
        self._clients = {
            "query": EmbeddingsClient(_with_timeout(server, QUERY_SECONDS)),
            "passage": EmbeddingsClient(_with_timeout(server, PASSAGE_SECONDS)),
        }

    @property
    def space(self) -> SpaceIdentity:
        return self._space

    def embed(self, texts: Sequence[str], side: Side) -> Vectors:
        prefix = self._prefixes.get(side, "")
        try:
            rows = self._clients[side].embed(
                [prefix + text for text in texts], input_type=side if self._ours else ""
            )
        except ModelError as error:
            _embedder.cache_clear()
            raise EmbedderUnavailableError(str(error)) from error
        if rows.shape[1] != self._space.dimensions:
            _embedder.cache_clear()
            raise EmbedderUnavailableError(
                _("The embedding server now returns vectors of another length. Try again.")
            )
        return unit_rows(rows)


def _with_timeout(server: EmbeddingServer, seconds: float) -> EmbeddingServer:
    return EmbeddingServer(server.base_url, server.model, server.api_key, server.socket, seconds)


@lru_cache(maxsize=1)
def _embedder() -> Embedder:
    """The configured embedder. Forgotten after a failure, so that the next call looks anew."""
    if settings.LITO_EMBEDDING_IN_PROCESS and settings.LITO_EMBEDDER != "openai":
        return load_configured()
    if settings.LITO_EMBEDDER == "openai":
        return _outside_server()
    return _our_service()


def _our_service() -> RemoteEmbedder:
    base_url = settings.LITO_EMBEDDING_BASE_URL
    path = "" if base_url else settings.LITO_EMBEDDING_SOCKET
    health = _health(base_url or SOCKET_BASE_URL, path)
    space = SpaceIdentity(**health["space"])
    server = EmbeddingServer(base_url or SOCKET_BASE_URL, health["model"], socket=path)
    return RemoteEmbedder(server, space, ours=True)


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


def _outside_server() -> RemoteEmbedder:
    """An outside server's space: its dimensions are those of a first vector."""
    model = settings.LITO_EMBEDDING_MODEL
    base_url = settings.LITO_EMBEDDING_BASE_URL
    if not (model and base_url):
        raise EmbedderUnavailableError(
            _("LITO_EMBEDDER=openai needs LITO_EMBEDDING_BASE_URL and LITO_EMBEDDING_MODEL.")
        )
    server = EmbeddingServer(base_url, model, settings.LITO_EMBEDDING_API_KEY)
    client = EmbeddingsClient(_with_timeout(server, QUERY_SECONDS))
    try:
        dimensions = client.embed(["dimensions"]).shape[1]
    except ModelError as error:
        raise EmbedderUnavailableError(str(error)) from error
    finally:
        client.close()
    space = SpaceIdentity(model[:160], base_url[:80], dimensions)
    return RemoteEmbedder(server, space, ours=False, e5=bool(E5_NAME.search(model)))
