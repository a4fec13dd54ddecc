"""Chunks by the cosine of their vectors with the query's, within a scope."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.conf import settings
from django.db import connection, transaction
from numpy.typing import NDArray

from documents.models import EmbeddingSpace
from retrieval.graphs import TABLE, Part, as_array, parts_in_graphs

EF_SEARCH = 600
OVERFETCH = 4
"""Rows that a graph is asked for, times the limit: under a filter those that it gives first are not
always the nearest."""
LEAST_SHARE = 0.1
"""Of a graph's rows that a scope must keep: under a narrower filter the graph loses rows and time,
and the scan is faster."""


@dataclass(frozen=True, slots=True)
class VectorHit:
    """A chunk and its cosine similarity to the query, -1 to 1."""

    chunk: int
    similarity: float


EXACT = """
SELECT chunk_id, 1 - distance FROM (
    SELECT chunk_id, vec <=> %(query)s::halfvec AS distance
    FROM {table}
    WHERE space_id = %(space)s AND parsed_id = ANY(%(readings)s::bigint[])
    OFFSET 0
) AS scanned
ORDER BY distance, chunk_id
LIMIT %(limit)s
"""
"""`OFFSET 0` keeps the planner from a graph, which loses rows under a filter."""

GRAPH = """
SELECT chunk_id, 1 - distance FROM (
    SELECT chunk_id, vec::halfvec({dimensions}) <=> %(query)s::halfvec({dimensions}) AS distance
    FROM {table}
    WHERE space_id = {space} AND shelf = {shelf} AND parsed_id = ANY(%(readings)s::bigint[])
    ORDER BY distance
    LIMIT %(fetched)s
) AS near
ORDER BY distance, chunk_id
LIMIT %(limit)s
"""
"""Space and shelf stand in the text, since the index is partial; the outer order mends a relaxed
one."""


def nearest_chunks(
    query: NDArray[np.float32],
    *,
    space: EmbeddingSpace,
    readings: Sequence[int],
    limit: int,
    most_scanned: int | None = None,
) -> list[VectorHit]:
    """The `limit` chunks of the `ParsedFile` ids `readings` nearest to `query`, nearest first.

    Up to `most_scanned` numbers (rows times dimensions; by default as the setting says) every
    vector in the scope is compared, which is right by construction. Beyond, graphs are asked for
    the readings that stand in them, if the scope is a fair part of the graph; the rest is scanned.
    `query` has the space's dimensions.
    """
    if not readings:
        return []
    most_numbers = settings.LITO_VECTOR_SCAN if most_scanned is None else most_scanned
    parts = parts_in_graphs(
        space, readings, more_than=most_numbers // space.dimensions, least_share=LEAST_SHARE
    )
    asked = {reading for part in parts for reading in part.readings}
    rest = [reading for reading in readings if reading not in asked] if asked else list(readings)
    search = _Search(query, space, limit)
    hits = search.exactly(rest) if rest else []
    for part in parts:
        hits += search.by_graph(part)
    return sorted(hits, key=lambda hit: (-hit.similarity, hit.chunk))[:limit]


class _Search:
    """One query vector, asked of the database."""

    def __init__(self, query: NDArray[np.float32], space: EmbeddingSpace, limit: int) -> None:
        self._query = "[" + ",".join(map(repr, query.tolist())) + "]"
        self._space = space
        self._limit = limit

    def exactly(self, readings: Sequence[int]) -> list[VectorHit]:
        return self._hits(EXACT.format(table=TABLE), readings)

    def by_graph(self, part: Part) -> list[VectorHit]:
        """The graph's nearest. Exactly, if it gave fewer than there must be."""
        statement = GRAPH.format(
            table=TABLE,
            space=int(self._space.pk),
            shelf=int(part.shelf),
            dimensions=int(self._space.dimensions),
        )
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SET LOCAL hnsw.iterative_scan = relaxed_order")
            cursor.execute(f"SET LOCAL hnsw.ef_search = {max(EF_SEARCH, min(self._limit, 1000))}")
            cursor.execute("SET LOCAL enable_sort = off")
            cursor.execute("SET LOCAL plan_cache_mode = force_custom_plan")
            hits = self._hits(statement, part.readings)
        if len(hits) < min(self._limit, part.rows):
            return self.exactly(part.readings)
        return hits

    def _hits(self, statement: str, readings: Sequence[int]) -> list[VectorHit]:
        parameters: dict[str, Any] = {
            "query": self._query,
            "space": self._space.pk,
            "readings": as_array(readings),
            "limit": self._limit,
            "fetched": OVERFETCH * self._limit,
        }
        with connection.cursor() as cursor:
            cursor.execute(statement, parameters)
            return [VectorHit(chunk, similarity) for chunk, similarity in cursor.fetchall()]
