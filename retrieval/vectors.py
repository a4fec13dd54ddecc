"""Chunks by the cosine of their vectors with the query's, within a scope."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.db import connection, transaction
from numpy.typing import NDArray

from documents.models import ChunkVector, EmbeddingSpace

MOST_NUMBERS_SCANNED = 20_000_000
"""Rows times dimensions up to which every vector is compared: 52,000 rows of 384, 19,500 of 1024.
Measured: there the graph begins to be faster than the scan.
"""
LEAST_SHARE_FOR_GRAPH = 0.1
"""A graph search under a filter that keeps less of the space than this loses rows."""
EF_SEARCH = 200
ADVISORY_LOCK = 0x686E7377
"""“hnsw” in ASCII; the second key is the space."""


@dataclass(frozen=True, slots=True)
class VectorHit:
    """A chunk and its cosine similarity to the query, -1 to 1."""

    chunk: int
    similarity: float


EXACT = """
SELECT chunk_id, 1 - distance FROM (
    SELECT chunk_id, vec <=> %(query)s::vector AS distance
    FROM {table}
    WHERE space_id = {space} AND parsed_id = ANY(%(readings)s)
    OFFSET 0
) AS scanned
ORDER BY distance, chunk_id
LIMIT %(limit)s
"""
"""`OFFSET 0` keeps the planner from the graph, which loses rows under a filter."""

GRAPH = """
SELECT chunk_id, 1 - distance FROM (
    SELECT chunk_id, vec::halfvec({dimensions}) <=> %(query)s::halfvec({dimensions}) AS distance
    FROM {table}
    WHERE space_id = {space} AND parsed_id = ANY(%(readings)s)
    ORDER BY distance
    LIMIT %(limit)s
) AS near
ORDER BY distance, chunk_id
"""
"""The space stands in the text, since the index is partial; the outer order mends a relaxed one."""


def nearest_chunks(
    query: NDArray[np.float32],
    *,
    space: EmbeddingSpace,
    readings: Sequence[int],
    limit: int,
    most_scanned: int = MOST_NUMBERS_SCANNED,
) -> list[VectorHit]:
    """The `limit` chunks of the `ParsedFile` ids `readings` nearest to `query`, nearest first.

    Up to `most_scanned` numbers every vector in the scope is compared, which is right by
    construction; beyond, the space's graph is asked if it has one and the scope is a fair part of
    it. `query` has the space's dimensions.
    """
    if not readings:
        return []
    most_rows = most_scanned // space.dimensions
    values = "[" + ",".join(repr(float(value)) for value in query) + "]"
    parameters: dict[str, Any] = {"query": values, "readings": list(readings), "limit": limit}
    with transaction.atomic(), connection.cursor() as cursor:
        by_graph = (
            _rows(space, readings, up_to=most_rows + 1) > most_rows
            and has_graph(space)
            and _rows(space, readings) >= LEAST_SHARE_FOR_GRAPH * _rows(space)
        )
        if by_graph:
            cursor.execute("SET LOCAL hnsw.iterative_scan = relaxed_order")
            cursor.execute(f"SET LOCAL hnsw.ef_search = {EF_SEARCH}")
            cursor.execute("SET LOCAL plan_cache_mode = force_custom_plan")
        statement = (GRAPH if by_graph else EXACT).format(
            table=_table(), space=int(space.pk), dimensions=int(space.dimensions)
        )
        cursor.execute(statement, parameters)
        return [VectorHit(chunk, similarity) for chunk, similarity in cursor.fetchall()]


def has_graph(space: EmbeddingSpace) -> bool:
    """Whether the space's graph stands and is complete."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass(%s)",
            [connection.ops.quote_name(_graph(space))],
        )
        return bool(cursor.fetchone() == (True,))


def wants_graph(space: EmbeddingSpace, *, most_scanned: int = MOST_NUMBERS_SCANNED) -> bool:
    """Whether the space has outgrown the exact scan and has no graph yet."""
    most_rows = most_scanned // space.dimensions
    return not has_graph(space) and _rows(space, up_to=most_rows + 1) > most_rows


def build_graph(space: EmbeddingSpace, *, concurrently: bool = True) -> None:
    """Build the space's HNSW graph over half-precision vectors, or build it again if it broke.

    `concurrently` lets others write meanwhile, and can't be done inside a transaction. While
    another process builds it, nothing is done.
    """
    if not concurrently:
        _build(space, concurrently=False)
        return
    key = [ADVISORY_LOCK, space.pk]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", key)
        if cursor.fetchone() != (True,):
            return
        try:
            _build(space, concurrently=True)
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s, %s)", key)


def _build(space: EmbeddingSpace, *, concurrently: bool) -> None:
    name = connection.ops.quote_name(_graph(space))
    how = "CONCURRENTLY" if concurrently else ""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX {how} IF EXISTS {name}")
        cursor.execute(
            f"CREATE INDEX {how} {name} ON {_table()}"
            f" USING hnsw ((vec::halfvec({int(space.dimensions)})) halfvec_cosine_ops)"
            f" WHERE space_id = {int(space.pk)}"
        )


def _graph(space: EmbeddingSpace) -> str:
    return f"chunk_vectors_of_space_{int(space.pk)}"


def _table() -> str:
    return connection.ops.quote_name(ChunkVector._meta.db_table)  # noqa: SLF001 (documented API)


def _rows(
    space: EmbeddingSpace, readings: Sequence[int] | None = None, *, up_to: int | None = None
) -> int:
    rows = ChunkVector.objects.filter(space=space)
    if readings is not None:
        rows = rows.filter(parsed_id__in=readings)
    return (rows if up_to is None else rows[:up_to]).count()
