"""The terms of a keyword index: each has a number, given out by first appearance and for good.

Kept in layers like the postings, so that new terms never make old ones be written again.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class TermLayer:
    """Terms as 64-bit hashes of their text, ascending, and their numbers."""

    hashes: NDArray[np.uint64]
    numbers: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Every term ever met. Two of a million terms share a hash with a probability of 3e-8; they
    would be one term.
    """

    layers: tuple[TermLayer, ...] = ()

    def __len__(self) -> int:
        return sum(len(layer.hashes) for layer in self.layers)

    def find(self, terms: Sequence[str]) -> NDArray[np.int32]:
        """Numbers of `terms`, -1 where a term is unknown."""
        return self._find(_hashes(terms))

    def _find(self, hashes: NDArray[np.uint64]) -> NDArray[np.int32]:
        found = np.full(len(hashes), -1, np.int32)
        for layer in self.layers:
            at = layer.hashes.searchsorted(hashes)
            at[at == len(layer.hashes)] = 0
            here = layer.hashes[at] == hashes
            found[here] = layer.numbers[at[here]]
        return found

    def with_terms(self, terms: Sequence[str]) -> tuple["Vocabulary", NDArray[np.int32]]:
        """A vocabulary that knows distinct `terms` as well, and their numbers."""
        hashes = _hashes(terms)
        found = self._find(hashes)
        new = np.flatnonzero(found < 0)
        if not len(new):
            return self, found
        found[new] = np.arange(len(self), len(self) + len(new))
        order = new[np.argsort(hashes[new])]
        layers = (*self.layers, TermLayer(hashes[order], found[order]))
        return Vocabulary(_joined_at_the_end(layers)), found


def _joined_at_the_end(layers: tuple[TermLayer, ...]) -> tuple[TermLayer, ...]:
    """Layers each more than twice as large as all after it: few, and each term seldom rewritten."""
    first, size = len(layers) - 1, len(layers[-1].hashes)
    while first and len(layers[first - 1].hashes) <= 2 * size:
        first -= 1
        size += len(layers[first].hashes)
    if first == len(layers) - 1:
        return layers
    hashes = np.concatenate([layer.hashes for layer in layers[first:]])
    numbers = np.concatenate([layer.numbers for layer in layers[first:]])
    order = np.argsort(hashes, kind="stable")
    return (*layers[:first], TermLayer(hashes[order], numbers[order]))


def _hashes(terms: Sequence[str]) -> NDArray[np.uint64]:
    digests = [hashlib.blake2b(_encoded(term), digest_size=8).digest() for term in terms]
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


def _encoded(term: str) -> bytes:
    return term.encode("utf-8", "surrogatepass")
