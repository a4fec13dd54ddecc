"""What an embedder is: the words that the embedders, the service and its clients share."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""Shape (texts, dimensions); every row has length 1, so that a dot product is the cosine."""

Side = Literal["query", "passage"]
"""Some models write a question and a passage differently. Both sides live in one space."""


@dataclass(frozen=True, slots=True)
class SpaceIdentity:
    """What makes vectors comparable. `name` carries model, runtime and precision."""

    name: str
    revision: str
    dimensions: int


class EmbedderUnavailableError(Exception):
    """No vectors can be had now. The text says what a person can do about it."""


class Embedder(Protocol):
    """A loaded model."""

    @property
    def space(self) -> SpaceIdentity: ...

    def embed(self, texts: Sequence[str], side: Side) -> Vectors: ...


Load = Callable[[], Embedder]


def unit_rows(vectors: Vectors) -> Vectors:
    """The rows scaled to length 1; a row of zeros stays."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: Vectors = (vectors / np.maximum(lengths, 1e-12)).astype(np.float32)
    return scaled
