"""Nearest chunks: exactly, inside the scope, and by the graph where the scope is large."""

import numpy as np
import pytest
from django.db import connection

from documents.models import Chunk, ChunkVector, EmbeddingSpace, ParsedFile
from retrieval.vectors import build_graph, has_graph, nearest_chunks

pytestmark = pytest.mark.django_db
DIMENSIONS = 16


@pytest.fixture
def space() -> EmbeddingSpace:
    return EmbeddingSpace.objects.create(name="random", revision="1", dimensions=DIMENSIONS)


def fill(space: EmbeddingSpace, name: str, count: int) -> tuple[ParsedFile, np.ndarray, list[int]]:
    chance = np.random.default_rng(len(name))
    vectors = chance.normal(size=(count, DIMENSIONS)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    parsed = ParsedFile.objects.create(sha256=name, parser="test-1", page_count=1)
    chunks = Chunk.objects.bulk_create(
        Chunk(parsed=parsed, ordinal=number, spans=[], kind="text", tokens=1)
        for number in range(count)
    )
    ChunkVector.objects.bulk_create(
        ChunkVector(space=space, parsed=parsed, chunk=chunk, vec=vector)
        for chunk, vector in zip(chunks, vectors, strict=True)
    )
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # an index waits for no pending check
    return parsed, vectors, [chunk.pk for chunk in chunks]


def test_the_scan_gives_the_order_and_the_similarity_of_numpy(space: EmbeddingSpace) -> None:
    parsed, vectors, chunks = fill(space, "one", 200)
    query = np.random.default_rng(9).normal(size=DIMENSIONS).astype(np.float32)
    query /= np.linalg.norm(query)
    cosines = vectors @ query
    best = np.argsort(-cosines)[:10]

    hits = nearest_chunks(query, space=space, readings=[parsed.pk], limit=10)

    assert [hit.chunk for hit in hits] == [chunks[at] for at in best]
    assert [hit.similarity for hit in hits] == pytest.approx(list(cosines[best]), abs=1e-5)


def test_other_files_and_other_spaces_are_left_out(space: EmbeddingSpace) -> None:
    mine, vectors, chunks = fill(space, "mine", 5)
    fill(space, "theirs", 5)
    other = EmbeddingSpace.objects.create(name="other", revision="1", dimensions=DIMENSIONS)
    for chunk in Chunk.objects.filter(parsed=mine):
        ChunkVector.objects.create(space=other, parsed=mine, chunk=chunk, vec=vectors[0])

    hits = nearest_chunks(vectors[0], space=space, readings=[mine.pk], limit=50)

    assert sorted(hit.chunk for hit in hits) == sorted(chunks)


def test_no_files_give_no_chunks(space: EmbeddingSpace) -> None:
    assert nearest_chunks(np.ones(DIMENSIONS, np.float32), space=space, readings=[], limit=5) == []


def test_a_large_scope_asks_the_graph_and_finds_nearly_the_same(space: EmbeddingSpace) -> None:
    parsed, vectors, _ = fill(space, "large", 3000)
    assert not has_graph(space)
    build_graph(space, concurrently=False)
    assert has_graph(space)
    readings, shared = [parsed.pk], 0
    for query in vectors[:20]:
        exact = nearest_chunks(query, space=space, readings=readings, limit=50)
        near = nearest_chunks(query, space=space, readings=readings, limit=50, most_scanned=100)
        similarities = [hit.similarity for hit in near]
        assert similarities == sorted(similarities, reverse=True)
        shared += len({hit.chunk for hit in exact} & {hit.chunk for hit in near})

    assert shared >= 0.97 * 20 * 50


def test_a_small_part_of_a_large_space_is_scanned(space: EmbeddingSpace) -> None:
    fill(space, "large", 2000)
    small, vectors, chunks = fill(space, "small", 60)
    build_graph(space, concurrently=False)

    hits = nearest_chunks(vectors[0], space=space, readings=[small.pk], limit=100, most_scanned=100)

    assert sorted(hit.chunk for hit in hits) == sorted(chunks)
