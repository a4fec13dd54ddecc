"""Nearest chunks: exactly, inside the scope, and by graphs where the scope is large."""

import numpy as np
import pytest
from django.db import connection

from documents.models import Chunk, ChunkVector, Document, EmbeddingSpace, ParsedFile, Version
from projects.models import Project
from retrieval.graphs import build_graph, drop_graphs, has_graph, wants_graph
from retrieval.models import ShelvedReading
from retrieval.vectors import VectorHit, nearest_chunks
from tests.retrieval.papers import new_project

pytestmark = pytest.mark.django_db
DIMENSIONS = 16


@pytest.fixture
def space() -> EmbeddingSpace:
    return EmbeddingSpace.objects.create(name="random", revision="1", dimensions=DIMENSIONS)


@pytest.fixture
def project() -> Project:
    return new_project()


def fill(
    space: EmbeddingSpace,
    name: str,
    count: int,
    project: Project | None = None,
    subject: np.ndarray | float = 0.0,
) -> tuple[ParsedFile, np.ndarray, list[int]]:
    """A reading with random vectors around `subject`; a live version of `project` has it."""
    chance = np.random.default_rng(list(name.encode()))
    vectors = (chance.normal(size=(count, DIMENSIONS)) + subject).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    parsed = ParsedFile.objects.create(
        sha256=name, parser="test-1", page_count=1, complete=True, chunked=True
    )
    chunks = Chunk.objects.bulk_create(
        Chunk(parsed=parsed, ordinal=number, spans=[], kind="text", tokens=1)
        for number in range(count)
    )
    ChunkVector.objects.bulk_create(
        ChunkVector(space=space, parsed=parsed, chunk=chunk, vec=vector)
        for chunk, vector in zip(chunks, vectors, strict=True)
    )
    if project is not None:
        put_into(project, parsed)
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")  # an index waits for no pending check
    return parsed, vectors, [chunk.pk for chunk in chunks]


def put_into(project: Project, parsed: ParsedFile) -> Version:
    return Version.objects.create(
        document=Document.objects.create(project=project, title=parsed.sha256),
        project=project,
        sha256=parsed.sha256,
        file_name="a.pdf",
        size=1,
        parsed=parsed,
        state=Version.State.READY,
    )


def halved(numbers: np.ndarray) -> np.ndarray:
    """As they are stored: in half precision."""
    return numbers.astype(np.float16).astype(np.float64)


def test_the_scan_gives_the_order_and_the_similarity_of_numpy(space: EmbeddingSpace) -> None:
    parsed, vectors, chunks = fill(space, "one", 200)
    query = np.random.default_rng(9).normal(size=DIMENSIONS).astype(np.float32)
    query /= np.linalg.norm(query)
    stored, asked = halved(vectors), halved(query)
    cosines = stored @ asked / np.linalg.norm(stored, axis=1) / np.linalg.norm(asked)
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


def both_ways(
    query: np.ndarray, space: EmbeddingSpace, readings: list[int], *, limit: int = 50
) -> tuple[list[VectorHit], list[VectorHit]]:
    """By the scan, and with graphs wherever they may be asked."""
    exact = nearest_chunks(query, space=space, readings=readings, limit=limit)
    near = nearest_chunks(query, space=space, readings=readings, limit=limit, most_scanned=0)
    return exact, near


def shared(exact: list[VectorHit], near: list[VectorHit]) -> int:
    similarities = [hit.similarity for hit in near]
    assert similarities == sorted(similarities, reverse=True)
    assert len({hit.chunk for hit in near}) == len(near) == len(exact)
    return len({hit.chunk for hit in exact} & {hit.chunk for hit in near})


def test_a_large_scope_asks_the_graph_and_finds_nearly_the_same(
    space: EmbeddingSpace, project: Project
) -> None:
    parsed, vectors, _ = fill(space, "large", 1500, project)
    assert not has_graph(space, project.pk)
    build_graph(space, project.pk, concurrently=False)
    assert has_graph(space, project.pk)
    found = sum(shared(*both_ways(query, space, [parsed.pk])) for query in vectors[:20])

    assert found >= 0.97 * 20 * 50


def test_a_graph_is_really_asked(space: EmbeddingSpace, project: Project) -> None:
    """Its index is used: the searches are counted by PostgreSQL itself."""
    parsed, vectors, _ = fill(space, "large", 2000, project)
    build_graph(space, project.pk, concurrently=False)
    before = graph_scans()
    both_ways(vectors[0], space, [parsed.pk])
    assert graph_scans() == before + 1


def graph_scans() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_clear_snapshot(), pg_stat_force_next_flush()")
        cursor.execute(
            "SELECT sum(pg_stat_get_xact_numscans(indexrelid)) FROM pg_index JOIN pg_class"
            " ON oid = indexrelid WHERE relname LIKE 'chunk_vectors_%%_of_%%'"
        )
        return int(cursor.fetchone()[0])


def test_a_small_part_of_a_large_project_is_scanned(
    space: EmbeddingSpace, project: Project
) -> None:
    fill(space, "large", 2000, project)
    small, vectors, chunks = fill(space, "small", 60, project)
    build_graph(space, project.pk, concurrently=False)

    exact, near = both_ways(vectors[0], space, [small.pk], limit=100)

    assert exact == near
    assert sorted(hit.chunk for hit in near) == sorted(chunks)


@pytest.mark.parametrize("share", [0.11, 0.3, 0.6])
def test_a_filter_neither_shortens_nor_spoils_a_result(
    space: EmbeddingSpace, project: Project, share: float
) -> None:
    """The scope is about something else than the query: the graph meets the others first."""
    count = 1500
    _, vectors, _ = fill(space, "large", int(count * (1 - share)), project)
    subject = -vectors[:1].mean(axis=0) * 2
    scope, _, _ = fill(space, "scope", int(count * share), project, subject=subject)
    build_graph(space, project.pk, concurrently=False)
    found = sum(shared(*both_ways(query, space, [scope.pk], limit=100)) for query in vectors[:10])
    assert found >= 0.97 * 10 * 100


def test_what_is_in_no_graph_yet_is_found_too(space: EmbeddingSpace, project: Project) -> None:
    old, _, _ = fill(space, "old", 1500, project)
    build_graph(space, project.pk, concurrently=False)
    new, vectors, chunks = fill(space, "new", 40, project)
    readings = [old.pk, new.pk]

    exact, near = both_ways(vectors[3], space, readings)
    assert near[0].chunk == chunks[3]
    assert shared(exact, near) >= 48

    assert wants_graph(space, project.pk)
    build_graph(space, project.pk, concurrently=False)
    assert not wants_graph(space, project.pk)
    assert ShelvedReading.objects.get(parsed=new).rows == 40
    exact, near = both_ways(vectors[3], space, readings)
    assert near[0].chunk == chunks[3]
    assert shared(exact, near) >= 48


def test_a_reading_of_two_projects_is_found_in_both(
    space: EmbeddingSpace, project: Project
) -> None:
    """It stands in one graph; the other project has a graph without it."""
    both, vectors, chunks = fill(space, "both", 800, project)
    build_graph(space, project.pk, concurrently=False)
    second = new_project("second")
    put_into(second, both)
    own, _, _ = fill(space, "own", 900, second)
    build_graph(space, second.pk, concurrently=False)
    for readings in ([both.pk], [both.pk, own.pk]):
        exact, near = both_ways(vectors[5], space, readings)
        assert near[0].chunk == chunks[5]
        assert shared(exact, near) >= 48


def test_a_reading_without_all_its_vectors_waits_outside(
    space: EmbeddingSpace, project: Project
) -> None:
    parsed, vectors, chunks = fill(space, "half", 300, project)
    ChunkVector.objects.filter(chunk_id=chunks[0]).delete()
    build_graph(space, project.pk, concurrently=False)
    assert not ShelvedReading.objects.exists()
    ChunkVector.objects.create(space=space, parsed=parsed, chunk_id=chunks[0], vec=vectors[0])
    _, near = both_ways(vectors[0], space, [parsed.pk])
    assert near[0].chunk == chunks[0]


def test_the_graph_of_a_project_that_is_gone_goes_too(
    space: EmbeddingSpace, project: Project
) -> None:
    parsed, vectors, chunks = fill(space, "kept", 500, project)
    build_graph(space, project.pk, concurrently=False)
    gone = project.pk
    other = new_project("other")
    put_into(other, parsed)
    project.delete()
    drop_graphs(project_id=gone)
    assert not has_graph(space, gone)
    assert (
        nearest_chunks(vectors[1], space=space, readings=[parsed.pk], limit=1)[0].chunk
        == (chunks[1])
    )
    build_graph(space, other.pk, concurrently=False)
    assert shared(*both_ways(vectors[1], space, [parsed.pk])) >= 48


@pytest.mark.django_db(transaction=True)
def test_a_graph_whose_building_was_cut_off_is_not_used_and_built_again() -> None:
    space = EmbeddingSpace.objects.create(name="random", revision="1", dimensions=DIMENSIONS)
    project = new_project()
    parsed, vectors, chunks = fill(space, "cut", 400, project)
    build_graph(space, project.pk)
    with connection.cursor() as cursor:  # what a killed CREATE INDEX CONCURRENTLY leaves
        cursor.execute(
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = %s::regclass",
            [f"chunk_vectors_{space.pk}_of_{project.pk}"],
        )
    assert not has_graph(space, project.pk)
    assert wants_graph(space, project.pk, most_scanned=0)
    assert both_ways(vectors[7], space, [parsed.pk])[1][0].chunk == chunks[7]
    build_graph(space, project.pk)
    assert has_graph(space, project.pk)
    assert both_ways(vectors[7], space, [parsed.pk])[1][0].chunk == chunks[7]
    drop_graphs(space_id=space.pk)
    assert not has_graph(space, project.pk)
