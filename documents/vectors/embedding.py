"""Vectors for the rest of Lito, by the model of an embedding space.

The models live in the embedding service (or on an outside server); only commands and tests load
them here, with `LITO_EMBEDDING_IN_PROCESS`.
"""

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from django.conf import settings
from django.utils.translation import gettext as _

from documents.models import EmbeddingSpace
from documents.vectors.embedder import Embedder, EmbedderUnavailableError, SpaceIdentity, Vectors
from documents.vectors.embedding_spaces import activated, identity_of, source_of
from documents.vectors.local_embedder import load_configured, load_local
from documents.vectors.remote_embedder import outside_embedder, service_embedder, without_password

__all__ = ["EmbedderUnavailableError", "active_space", "embed_passages", "embed_query"]

CACHED_QUERIES = 512
LONGEST_CACHED = 2000
"""Characters. Whoever pastes pages does so once."""


def embed_query(text: str, *, space: EmbeddingSpace | None = None) -> Vectors:
    """The unit vector of what someone searches for, shape (dimensions,); not to be written to.

    In `space`, or that of the configured embedder. Lately embedded texts are remembered.
    Raises `EmbedderUnavailableError`.
    """
    identity = identity_of(space) if space else _embedder().space
    text = _encodable(text)
    if len(text) > LONGEST_CACHED:
        return _query_vector.__wrapped__(identity, text)
    return _query_vector(identity, text)


@lru_cache(maxsize=CACHED_QUERIES)
def _query_vector(identity: SpaceIdentity, text: str) -> Vectors:
    vector: Vectors = _embedder_of(identity).embed([text], "query")[0]
    vector.setflags(write=False)
    return vector


def embed_passages(texts: Sequence[str], *, space: EmbeddingSpace | None = None) -> Vectors:
    """Unit vectors of texts to be found, shape (len(texts), dimensions), as by `embed_query`."""
    embedder = _embedder_of(identity_of(space)) if space else _embedder()
    if not texts:
        return np.zeros((0, embedder.space.dimensions), np.float32)
    return embedder.embed([_encodable(text) for text in texts], "passage")


def active_space() -> EmbeddingSpace:
    """The space of the configured embedder, made and switched to if it is not the active one.

    Projects that have vectors stay in the space that was active, until theirs are made anew.
    Raises `EmbedderUnavailableError` if the embedder can't say what it is.
    """
    return activated(_embedder().space, _configured_source())


def _encodable(text: str) -> str:
    """Half a surrogate pair, which broken PDFs yield, can be neither sent nor tokenised."""
    return text.encode("utf-8", "replace").decode()


def _embedder_of(identity: SpaceIdentity) -> Embedder:
    """The model that makes vectors of this space: the configured one, or an older one."""
    try:
        configured = _embedder()
    except EmbedderUnavailableError:
        if source_of(identity) == _configured_source():
            raise
    else:
        if configured.space == identity:
            return configured
    older = _older_embedder(identity)
    if older.space != identity:
        raise EmbedderUnavailableError(
            _("The model that made this project's vectors, %(model)s, is no longer there.")
            % {"model": identity.name}
        )
    return older


@lru_cache(maxsize=1)
def _embedder() -> Embedder:
    """The configured embedder. Forgotten after a failure, so that the next call looks anew."""
    if settings.LITO_EMBEDDER == "openai":
        return outside_embedder(
            settings.LITO_EMBEDDING_BASE_URL, settings.LITO_EMBEDDING_MODEL, forget_embedders
        )
    if settings.LITO_EMBEDDING_IN_PROCESS:
        return load_configured()
    return service_embedder("", forget_embedders)


@lru_cache(maxsize=2)
def _older_embedder(identity: SpaceIdentity) -> Embedder:
    source = source_of(identity)
    match source.get("embedder"):
        case "bundled" | "bge-m3" as kind:
            if settings.LITO_EMBEDDING_IN_PROCESS:
                return load_local(kind)
            return service_embedder(kind, forget_embedders)
        case "openai":
            return outside_embedder(source["base_url"], source["model"], forget_embedders)
    raise EmbedderUnavailableError(
        _("Nobody knows where the model is that made this project's vectors: %(model)s.")
        % {"model": identity.name}
    )


def forget_embedders() -> None:
    """Look anew who embeds, at the next call."""
    _embedder.cache_clear()
    _older_embedder.cache_clear()


def _configured_source() -> dict[str, str]:
    """How to find the configured embedder again once another is configured. Holds no key."""
    if settings.LITO_EMBEDDER != "openai":
        return {"embedder": settings.LITO_EMBEDDER}
    return {
        "embedder": "openai",
        "base_url": without_password(settings.LITO_EMBEDDING_BASE_URL),
        "model": settings.LITO_EMBEDDING_MODEL,
    }
