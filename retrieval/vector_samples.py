"""Made-up vectors that lie as real ones do: for measurements of what no one has at hand.

The bundled model embeds sentences of the demo papers. Their mean and their covariance are kept; the
chunks of a made-up paper share half of their deviation from the mean, as those of real papers do.
Other lengths than the model's are reached by turning the vectors into a larger space, or a smaller
one, with a little noise in all its directions.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from django.conf import settings

from documents.chunks.chunk_text import text_of
from documents.chunks.chunking import chunk_pages
from documents.chunks.sentences import split_sentences
from documents.demonstration import FOLDER
from documents.parsing import parse_pages
from documents.vectors import bundled_embedder
from documents.vectors.embedder import Vectors, unit_rows

CHUNKS_OF_A_PAPER = 60
SHARED = 0.5
"""Of the variance, what the chunks of one paper have in common."""
NOISE = 0.15
"""Length of the noise, as a part of a vector's deviation from the mean."""
LEAST_CHARACTERS = 40
MOST_SENTENCES = 400
AT_ONCE = 20_000


def real_vectors() -> Vectors:
    """Of sentences of the demo papers; takes about ten seconds of processor time."""
    embedder = bundled_embedder.load(cache=Path(settings.LITO_CACHE) / "models")
    texts: list[str] = []
    for paper in sorted(FOLDER.glob("*.pdf")):
        pages = list(parse_pages(paper))
        words = {page.number: page.text for page in pages}
        for chunk in chunk_pages(pages):
            text = text_of(chunk.spans, words)
            sentences = (text[start:end] for start, end in split_sentences(text))
            texts += [each for each in sentences if len(each) >= LEAST_CHARACTERS]
    step = max(1, len(texts) // MOST_SENTENCES)
    return embedder.embed(texts[::step], "passage")


@dataclass(frozen=True, slots=True)
class VectorSource:
    """Draws unit vectors of `dimensions`."""

    mean: Vectors
    deviations: Vectors
    turn: Vectors
    noise: float
    chance: np.random.Generator

    def papers(self, count: int) -> Vectors:
        """What each of `count` papers is about: for `chunks` and `queries`."""
        return self._drawn(count)

    def chunks(self, papers: Vectors) -> Iterator[Vectors]:
        """The vectors of all chunks in blocks, paper after paper."""
        rows = len(papers) * CHUNKS_OF_A_PAPER
        for start in range(0, rows, AT_ONCE):
            numbers = np.arange(start, min(rows, start + AT_ONCE))
            yield self._vectors(papers[numbers // CHUNKS_OF_A_PAPER])

    def queries(self, papers: Vectors, count: int) -> Vectors:
        """What someone might ask: each about a paper, as near to it as a chunk of it."""
        return self._vectors(papers[self.chance.integers(len(papers), size=count)])

    def _vectors(self, shared: Vectors) -> Vectors:
        own = self._drawn(len(shared))
        rows = self.mean + np.sqrt(SHARED) * shared + np.sqrt(1 - SHARED) * own
        turned = rows @ self.turn
        noise = self.chance.standard_normal(turned.shape, np.float32)
        return unit_rows(turned + self.noise / np.sqrt(turned.shape[1]) * noise)

    def _drawn(self, count: int) -> Vectors:
        """Deviations from the mean with the covariance of the real ones."""
        weights = self.chance.standard_normal((count, len(self.deviations)), np.float32)
        drawn: Vectors = weights @ self.deviations / np.float32(np.sqrt(len(self.deviations)))
        return drawn


def vector_source(real: Vectors, *, dimensions: int, seed: int) -> VectorSource:
    """A source of vectors that lie like `real`, in `dimensions`."""
    chance = np.random.default_rng(seed)
    mean = real.mean(axis=0)
    length = real.shape[1]
    square = chance.standard_normal((max(dimensions, length), max(dimensions, length)))
    turn = np.linalg.qr(square)[0][:length, :dimensions].astype(np.float32)
    noise = NOISE * float(np.linalg.norm(real - mean, axis=1).mean())
    return VectorSource(mean, real - mean, turn, noise, chance)
