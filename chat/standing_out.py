"""Whether the nearest passage of another language is nearer than chance. Needs the vectors.

Across languages no word is shared and cosines say little by themselves: they lie in a narrow band
whatever is asked. So the best one is measured against those of the same papers' other passages.
"""

import math
from collections.abc import Sequence

import numpy as np

from documents.models import Chunk, ChunkVector, EmbeddingSpace
from documents.pages.language_shift import toward
from documents.pages.languages import is_han
from documents.vectors.embedding import EmbedderUnavailableError, active_space, embed_query
from documents.vectors.embedding_spaces import space_in_use
from retrieval.evidence import Scope
from retrieval.vectors import nearest_chunks

BAR = 3.6
"""Standard deviations above the mean, where there are `USUAL` passages or more."""
USUAL = 500
FEWEST = 12
SAMPLE = 600
LOOKED_AT = 40


def prominence(question: str, scope: Scope, language: str) -> float:
    """How far the nearest passage of the papers in `language` stands out from the rest of them.

    From 1 on it is more than chance; 0 where that can't be told.
    """
    readings = [each.parsed_id for each in scope.versions if each.language[:2] == language]
    try:
        space = space_in_use(scope.project_id) or active_space()
        vector = toward(embed_query(question, space=space), question, language, space=space)
    except EmbedderUnavailableError:
        return 0.0
    others = _sample(space, readings, han=language == "zh")
    if len(others) < FEWEST:
        return 0.0
    nearest = nearest_chunks(vector, space=space, readings=readings, limit=LOOKED_AT)
    best = _best_in_script([(hit.chunk, hit.similarity) for hit in nearest], han=language == "zh")
    cosines = others @ vector
    deviations = (best - cosines.mean()) / max(float(cosines.std()), 1e-6)
    return float(deviations / _bar(space, readings))


def _bar(space: EmbeddingSpace, readings: Sequence[int]) -> float:
    """Among few passages the best of chance lies lower: it grows with the root of the logarithm."""
    count = ChunkVector.objects.filter(space=space, parsed_id__in=readings).count()
    return BAR * min(1.0, math.sqrt(math.log(max(count, 2)) / math.log(USUAL)))


def _sample(space: EmbeddingSpace, readings: Sequence[int], *, han: bool) -> np.ndarray:
    """Vectors of passages in that script, spread evenly over the papers, shape (n, dimensions)."""
    rows = ChunkVector.objects.filter(space=space, parsed_id__in=readings)
    pks = list(rows.order_by("chunk_id").values_list("pk", flat=True))
    step = max(1, len(pks) // SAMPLE)
    taken = ChunkVector.objects.filter(pk__in=pks[::step]).values_list("vec", "chunk__terms")
    kept = [vector for vector, terms in taken if is_han("".join(terms)) == han]
    return np.asarray([_as_array(vector) for vector in kept], dtype=np.float32)


def _as_array(vector: object) -> np.ndarray:
    as_numpy = getattr(vector, "to_numpy", None)
    return np.asarray(as_numpy() if as_numpy else vector, dtype=np.float32)


def _best_in_script(hits: Sequence[tuple[int, float]], *, han: bool) -> float:
    terms = dict(
        Chunk.objects.filter(pk__in=[chunk for chunk, _ in hits]).values_list("pk", "terms")
    )
    fitting = [near for chunk, near in hits if is_han("".join(terms[chunk])) == han]
    return max(fitting, default=-1.0)
