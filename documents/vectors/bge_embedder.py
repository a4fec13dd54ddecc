"""BGE-M3 through FlagEmbedding: the embedder for production. Needs the extra `bge`."""

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from documents.vectors.embedder import (
    EmbedderUnavailableError,
    Side,
    SpaceIdentity,
    Vectors,
    unit_rows,
)

if TYPE_CHECKING:
    from FlagEmbedding import BGEM3FlagModel

MOST_TOKENS = 1024
"""Chunks have at most about 400; the model itself would take 8,192."""


class BgeEmbedder:
    """Dense vectors of one checkpoint, in single precision on the CPU. No prefixes."""

    def __init__(self, model: "BGEM3FlagModel", *, revision: str) -> None:
        self._model = model
        dimensions = int(model.model.model.config.hidden_size)
        self._space = SpaceIdentity("bge-m3 FlagEmbedding fp32", revision, dimensions)

    @property
    def space(self) -> SpaceIdentity:
        return self._space

    def embed(self, texts: Sequence[str], side: Side) -> Vectors:
        if not texts:
            return np.zeros((0, self._space.dimensions), np.float32)
        encoded = self._model.encode(
            list(texts), batch_size=len(texts), max_length=MOST_TOKENS, return_dense=True
        )
        return unit_rows(np.asarray(encoded["dense_vecs"], np.float32))


def load(path: str, *, threads: int = 1) -> BgeEmbedder:
    """Load a local directory, or a hub id that is in the cache or can be downloaded.

    Raises `EmbedderUnavailableError` with what to do: not installed, no weights, damaged weights.
    """
    if find_spec("FlagEmbedding") is None:
        raise EmbedderUnavailableError(
            "BGE-M3 needs packages that are not installed: run `make install-bge` (Python 3.11), "
            "or set LITO_EMBEDDER=bundled."
        )
    import torch
    from FlagEmbedding import BGEM3FlagModel
    from safetensors import SafetensorError

    torch.set_num_threads(threads)
    try:
        model = BGEM3FlagModel(path, use_fp16=False, devices=["cpu"])
    except (OSError, ValueError, SafetensorError) as error:
        raise EmbedderUnavailableError(_what_to_do(path)) from error
    # Without its vocabulary file the tokenizer loads without a word and knows no words.
    if len(model.tokenizer) < model.model.model.config.vocab_size // 2:
        raise EmbedderUnavailableError(_what_to_do(path))
    return BgeEmbedder(model, revision=_revision(path))


def _what_to_do(path: str) -> str:
    if Path(path).is_dir():
        return (
            f"{path} holds no usable BGE-M3 checkpoint: it needs config.json, tokenizer files, the "
            "weights, colbert_linear.pt and sparse_linear.pt."
        )
    return (
        f"The weights of {path} are neither on this machine nor can they be downloaded. Download "
        "the model on a machine with network, copy its folder here and set LITO_BGE_PATH to it, "
        "or set LITO_EMBEDDER=bundled."
    )


def _revision(path: str) -> str:
    """Tells one checkpoint from another: the hub id, or the folder's name and weights' size."""
    folder = Path(path)
    if not folder.is_dir():
        return path[:80]
    weights = [*folder.glob("*.safetensors"), *folder.glob("pytorch_model*.bin")]
    return f"{folder.name[:50]} {sum(weight.stat().st_size for weight in weights)}"
