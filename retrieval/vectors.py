"""Chunks by the cosine of their vectors with the query's, within a scope."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from documents.models import ChunkVector, EmbeddingSpace


@dataclass(frozen=True, slots=True)
class VectorHit:
    """A chunk and its cosine similarity to the query, -1 to 1."""

    chunk: int
    similarity: float


EXACT = """
SELECT chunk_id, 1 - distance FROM (
    SELECT chunk_id, vec <=> %(query)s::vector AS distance
    FROM {table}
    WHERE space_id = %(space)s AND parsed_id = ANY(%(readings)s)
    OFFSET 0
) AS scanned
ORDER BY distance, chunk_id
LIMIT %(limit)s
"""
"""`OFFSET 0` keeps the planner from an approximate index, which loses rows under a filter."""


def nearest_chunks(
    query: NDArray[np.float32], *, space: EmbeddingSpace, readings: Sequence[int], limit: int
) -> list[VectorHit]:
    """The `limit` chunks of the `ParsedFile` ids `readings` nearest to `query`, nearest first.

    Every vector in the scope is compared: right by construction, and the fastest way up to tens of
    thousands of chunks. `query` has the space's dimensions.
    """
    if not readings:
        return []
    values = "[" + ",".join(repr(float(value)) for value in query) + "]"
    statement = EXACT.format(table=connection.ops.quote_name(ChunkVector._meta.db_table))
    with connection.cursor() as cursor:
        cursor.execute(
            statement,
            {"query": values, "space": space.pk, "readings": list(readings), "limit": limit},
        )
        return [VectorHit(chunk, similarity) for chunk, similarity in cursor.fetchall()]
