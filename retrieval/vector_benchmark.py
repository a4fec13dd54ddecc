"""The vector search against the exact one, in scopes from a whole large project down to a part."""

import struct
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from django.db import connection

from documents.models import EmbeddingSpace
from documents.vectors.embedder import Vectors
from retrieval.graphs import TABLE, create_graph
from retrieval.models import ShelvedReading
from retrieval.scratch_tables import scratch_tables
from retrieval.vector_samples import CHUNKS_OF_A_PAPER, real_vectors, vector_source
from retrieval.vectors import VectorHit, nearest_chunks

SELECTIVITIES = (1.0, 0.1, 0.01, 0.001)
QUERIES = 25
LIMIT = 100
"""As many as a search recalls."""
COMPARED = 50
EVERYTHING = 1 << 62
SPACE = PROJECT = 1
HEADER = b"PGCOPY\n\xff\r\n\0" + struct.pack(">ii", 0, 0)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--rows", type=int, default=300_000)
    parser.add_argument("--dimensions", type=int, default=1024)
    parser.add_argument("--seed", type=int, default=1)


def run(options: dict[str, Any]) -> dict[str, Any]:
    """Recall of the first 50 against the exact search, and milliseconds, for each selectivity."""
    rows, dimensions = options["rows"], options["dimensions"]
    return measured(real_vectors(), rows=rows, dimensions=dimensions, seed=options["seed"])


def measured(real: Vectors, *, rows: int, dimensions: int, seed: int) -> dict[str, Any]:
    """With so many made-up vectors that lie as the `real` ones do."""
    source = vector_source(real, dimensions=dimensions, seed=seed)
    papers = source.papers(max(1, rows // CHUNKS_OF_A_PAPER))
    space = EmbeddingSpace(pk=SPACE, name="measurement", dimensions=dimensions)
    with scratch_tables([TABLE, ShelvedReading._meta.db_table]):  # noqa: SLF001 (documented API)
        filling = _seconds(lambda: _fill(source.chunks(papers), len(papers)))
        building = _seconds(lambda: create_graph(space, PROJECT, concurrently=False))
        queries = source.queries(papers, QUERIES)
        scopes = [
            _scope(space, queries, _readings(len(papers), part, source.chance), part)
            for part in SELECTIVITIES
        ]
    return {
        "rows": len(papers) * CHUNKS_OF_A_PAPER,
        "dimensions": dimensions,
        "scopes": scopes,
        "filling_s": round(filling, 1),
        "building_s": round(building, 1),
    }


def _scope(
    space: EmbeddingSpace, queries: Vectors, readings: list[int], selectivity: float
) -> dict[str, Any]:
    def search(query: Vectors, most_scanned: int | None = None) -> list[VectorHit]:
        return nearest_chunks(
            query, space=space, readings=readings, limit=LIMIT, most_scanned=most_scanned
        )

    found = shared = 0
    times = []
    for query in queries:
        exact = {hit.chunk for hit in search(query, EVERYTHING)[:COMPARED]}
        search(query)
        started = perf_counter()
        hits = search(query)
        times.append((perf_counter() - started) * 1000)
        found += len(exact)
        shared += len(exact & {hit.chunk for hit in hits[:COMPARED]})
    return {
        "selectivity": selectivity,
        "rows": len(readings) * CHUNKS_OF_A_PAPER,
        "recall50": round(shared / found, 4),
        "median_ms": round(median(times), 1),
    }


def _readings(papers: int, selectivity: float, chance: np.random.Generator) -> list[int]:
    count = max(1, round(papers * selectivity))
    return sorted(map(int, chance.choice(papers, count, replace=False)))


def _fill(blocks: Iterator[Vectors], papers: int) -> None:
    """Chunks and readings are numbered from 0; all stand on the project's shelf."""
    with connection.cursor() as cursor:
        columns = "space_id, parsed_id, chunk_id, shelf, vec"
        with cursor.copy(f"COPY {TABLE} ({columns}) FROM STDIN (FORMAT BINARY)") as copy:
            copy.write(HEADER)
            number = 0
            for block in blocks:
                for row in block.astype(">f2"):
                    copy.write(_packed(number, row.tobytes()))
                    number += 1
            copy.write(struct.pack(">h", -1))
        cursor.execute(f"CREATE INDEX ON {TABLE} (space_id, parsed_id)")
        cursor.execute(f"ANALYZE {TABLE}")
    ShelvedReading.objects.bulk_create(
        ShelvedReading(space_id=SPACE, project_id=PROJECT, parsed_id=paper, rows=CHUNKS_OF_A_PAPER)
        for paper in range(papers)
    )


def _packed(number: int, values: bytes) -> bytes:
    """A row as binary COPY reads it; a halfvec is its length, two empty bytes and its values."""
    reading = number // CHUNKS_OF_A_PAPER
    keys = (SPACE, reading, number, PROJECT)
    fields = b"".join(struct.pack(">iq", 8, key) for key in keys)
    vector = struct.pack(">HH", len(values) // 2, 0) + values
    return struct.pack(">h", len(keys) + 1) + fields + struct.pack(">i", len(vector)) + vector


def _seconds(work: Callable[[], object]) -> float:
    started = perf_counter()
    work()
    return perf_counter() - started
