"""Chunks of invented words that are distributed as the keyword tokens of real abstracts are."""

import numpy as np
from numpy.typing import NDArray

LENGTHS = (159, 67)
"""Mean and deviation of tokens in a chunk, function words left out."""
FREQUENCIES = {
    1: 1.39e-2,
    2: 5.3e-3,
    10: 3.7e-3,
    50: 1.97e-3,
    100: 1.30e-3,
    500: 3.9e-4,
    1000: 1.9e-4,
    2000: 7.7e-5,
    5000: 2.1e-5,
    10_000: 7.3e-6,
    20_000: 2.4e-6,
    300_000: 3.7e-8,
}
"""Of the word of a rank, counted over 5,183 English abstracts; the last is drawn on from there."""
REPEATED = 0.4
"""Of the words of a chunk so many stand in it already: then as many are distinct as in abstracts.
"""

Chunks = list[list[str]]


def synthetic_chunks(number: int, chance: np.random.Generator) -> Chunks:
    lengths = np.maximum(1, chance.normal(*LENGTHS, number)).astype(np.int64)
    ends = np.cumsum(lengths)
    starts = np.repeat(ends - lengths, lengths)
    words = chance.choice(len(_PROBABILITIES), size=int(ends[-1]), p=_PROBABILITIES)
    terms = _NAMES[words[_sources(starts, chance)]].tolist()
    return [terms[end - length : end] for end, length in zip(ends, lengths, strict=True)]


def _sources(starts: NDArray[np.int64], chance: np.random.Generator) -> NDArray[np.int64]:
    """For each token the one that it repeats, by place: itself where it is new in its chunk."""
    places = np.arange(len(starts))
    earlier = starts + ((places - starts) * chance.random(len(starts))).astype(np.int64)
    sources = np.where(chance.random(len(starts)) < REPEATED, earlier, places)
    while not np.array_equal(further := sources[sources], sources):
        sources = further
    return sources


def _probabilities() -> NDArray[np.float64]:
    ranks = np.arange(1, max(FREQUENCIES) + 1)
    logs = np.interp(np.log(ranks), np.log(list(FREQUENCIES)), np.log(list(FREQUENCIES.values())))
    weights = np.exp(logs)
    return np.asarray(weights / weights.sum())


_PROBABILITIES = _probabilities()
_NAMES = np.array([f"word{rank}" for rank in range(1, len(_PROBABILITIES) + 1)], dtype=object)
