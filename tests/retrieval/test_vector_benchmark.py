"""The measurement of the vector search, at a small scale, and that it leaves nothing behind."""

import numpy as np
import pytest
from django.db import connection

from documents.models import ChunkVector, EmbeddingSpace
from documents.vectors.embedder import unit_rows
from retrieval.scratch_tables import PREFIX, scratch_tables
from retrieval.vector_benchmark import SELECTIVITIES, measured
from retrieval.vector_samples import CHUNKS_OF_A_PAPER, vector_source

pytestmark = pytest.mark.django_db
TABLE = ChunkVector._meta.db_table


def schemas() -> list[str]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT nspname FROM pg_namespace WHERE nspname LIKE %s", [f"{PREFIX}%"])
        return [name for (name,) in cursor.fetchall()]


def real() -> np.ndarray:
    rows = np.random.default_rng(3).normal(size=(80, 24)).astype(np.float32) + 0.5
    return unit_rows(rows)


def test_every_scope_is_measured_and_the_tables_are_gone() -> None:
    found = measured(real(), rows=1200, dimensions=32, seed=1)
    assert found["rows"] == 1200
    assert [scope["selectivity"] for scope in found["scopes"]] == list(SELECTIVITIES)
    assert all(scope["recall50"] >= 0.97 for scope in found["scopes"])
    assert not schemas()
    assert not ChunkVector.objects.exists()


def test_scratch_tables_hide_the_real_ones_and_keep_them() -> None:
    space = EmbeddingSpace.objects.create(name="real", revision="1", dimensions=4)
    with scratch_tables([EmbeddingSpace._meta.db_table]):
        assert not EmbeddingSpace.objects.exists()
    assert EmbeddingSpace.objects.get() == space
    assert not schemas()


def test_what_a_killed_measurement_left_is_swept_away() -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"CREATE SCHEMA {PREFIX}dead")
    with scratch_tables([TABLE]):
        assert f"{PREFIX}dead" not in schemas()


@pytest.mark.parametrize("dimensions", [8, 24, 40])
def test_made_up_vectors_have_length_one_and_papers_hang_together(dimensions: int) -> None:
    source = vector_source(real(), dimensions=dimensions, seed=2)
    papers = source.papers(5)
    chunks = np.concatenate(list(source.chunks(papers)))
    assert chunks.shape == (5 * CHUNKS_OF_A_PAPER, dimensions)
    np.testing.assert_allclose(np.linalg.norm(chunks, axis=1), 1, atol=1e-5)
    cosines = chunks @ chunks.T
    of_paper = np.repeat(np.arange(5), CHUNKS_OF_A_PAPER)
    same = of_paper[:, None] == of_paper[None, :]
    assert cosines[same].mean() > cosines[~same].mean()
