"""An embedder loaded into this process: the one that the settings name, or an older one."""

import os
from pathlib import Path

from django.conf import settings

from documents.vectors.embedder import Embedder, EmbedderUnavailableError

MOST_THREADS = 4
LOCAL = ("bundled", "bge-m3")


def load_configured(*, threads: int = 0) -> Embedder:
    """Load the configured model, as `load_local`."""
    return load_local(settings.LITO_EMBEDDER, threads=threads)


def load_local(kind: str, *, threads: int = 0) -> Embedder:
    """Load the model; takes a second (bundled) or a minute (BGE-M3).

    Raises `EmbedderUnavailableError` where it can't be had.
    """
    threads = threads or min(len(os.sched_getaffinity(0)), MOST_THREADS)
    match kind:
        case "bundled":
            from documents.vectors import bundled_embedder

            return bundled_embedder.load(
                cache=Path(settings.LITO_CACHE) / "models", threads=threads
            )
        case "bge-m3":
            from documents.vectors import bge_embedder

            return bge_embedder.load(settings.LITO_BGE_PATH, threads=threads)
        case "openai":
            raise EmbedderUnavailableError(
                "LITO_EMBEDDER=openai asks an outside server: there is no model to load here."
            )
        case other:
            raise EmbedderUnavailableError(
                f"LITO_EMBEDDER is {other!r}; it can be bundled, bge-m3 or openai."
            )
