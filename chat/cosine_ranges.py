"""What a cosine means in the embedding space in use, found by measuring.

One embedder puts unrelated texts at .74 and a question's answer at .86, another at .02 and .65. So
a fixed cosine says nothing. Here a cosine becomes a position: 0 is the mean of unrelated texts and
1 the mean of questions with their answers, both of plain sentences embedded once for each space.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from chat.reference_pairs import CHINESE, ENGLISH, Pair
from documents.pages.language_shift import toward
from documents.pages.languages import is_han
from documents.vectors.embedder import Vectors
from documents.vectors.embedding import active_space, embed_passages, embed_query

CLEAR = 3.0
"""Standard deviations of unrelated cosines by which answers must lie above them on the average.

Below, the embedder does not know the language: its cosines then say as good as nothing.
"""


@dataclass(frozen=True, slots=True)
class CosineRange:
    """Cosines of unrelated texts (mean and standard deviation) and of answers (mean)."""

    unrelated: float
    spread: float
    related: float

    @property
    def is_clear(self) -> bool:
        return self.related - self.unrelated >= CLEAR * self.spread > 0

    def positions(self, cosines: Vectors) -> Sequence[float]:
        """0 at the mean of unrelated texts, 1 at that of answers."""
        width = self.related - self.unrelated
        return [(float(cosine) - self.unrelated) / width for cosine in cosines]


def range_of(cosines: Vectors) -> CosineRange:
    """The range of a square of cosines: answers on the diagonal, unrelated texts elsewhere."""
    unrelated = cosines[~np.eye(len(cosines), dtype=bool)]
    return CosineRange(
        float(unrelated.mean()), float(unrelated.std()), float(np.diag(cosines).mean())
    )


def cosine_range(*, asked_in_chinese: bool, answered_in_chinese: bool) -> CosineRange:
    """The active space's range for questions and sentences in these scripts.

    Raises `EmbedderUnavailableError`.
    """
    space = active_space()
    return _measured(
        f"{space.name} {space.revision}", asked=asked_in_chinese, answered=answered_in_chinese
    )


@lru_cache(maxsize=16)
def _measured(space: str, *, asked: bool, answered: bool) -> CosineRange:
    """`asked` and `answered` in Chinese or not; all in the active space."""
    language = "zh" if answered else "en"
    questions = [
        toward(vector, pair.question, language)
        for pair, vector in zip(
            _pairs(chinese=asked), _questions(space, chinese=asked), strict=True
        )
    ]
    return range_of(np.stack(questions) @ _answers(space, chinese=answered).T)


@lru_cache(maxsize=8)
def _questions(_space: str, *, chinese: bool) -> Vectors:
    return np.stack([embed_query(pair.question) for pair in _pairs(chinese=chinese)])


@lru_cache(maxsize=8)
def _answers(_space: str, *, chinese: bool) -> Vectors:
    return embed_passages([pair.answer for pair in _pairs(chinese=chinese)])


def _pairs(*, chinese: bool) -> Sequence[Pair]:
    return CHINESE if chinese else ENGLISH


def positions(question: str, sentences: Sequence[str], *, across: bool = False) -> Sequence[float]:
    """How near the sentences come to the question; `across` if they are in the other script.

    All 0 if the embedder does not know the language well enough to tell.
    Raises `EmbedderUnavailableError`.
    """
    if not sentences:
        return []
    asked_in_chinese = is_han(question)
    found = cosine_range(
        asked_in_chinese=asked_in_chinese, answered_in_chinese=asked_in_chinese != across
    )
    if not found.is_clear:
        return [0.0] * len(sentences)
    vector = embed_query(question)
    if across:
        vector = toward(vector, question, "en" if asked_in_chinese else "zh")
    return found.positions(embed_passages(sentences) @ vector)
