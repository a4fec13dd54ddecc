"""Another embedder: new vectors beside the old ones, then one step to them."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from documents.chunks.chunk_vectors import embed_reading
from documents.claiming import claim
from documents.models import Chunk, ChunkVector, EmbeddingSpace, ProjectSpace, Version
from documents.reading_claims import always
from documents.vectors import embedding
from documents.vectors.embedding import active_space, embed_query
from documents.vectors.embedding_spaces import space_in_use
from projects.models import Project, User
from retrieval.graphs import has_graph
from retrieval.reembedding import (
    is_wanted,
    progress,
    reembed_some,
    remove_left_over,
    switch_if_complete,
    waiting_readings,
)
from retrieval.scope import project_scope
from retrieval.search import search
from tests.llm.embedding_server import EmbeddingServerDouble
from tests.retrieval.papers import add_paper, new_project
from tests.waiting import until

pytestmark = pytest.mark.django_db
PAPERS = {
    "Ice": ("Sea ice has declined since records began.", "Bears travel over thinner floes."),
    "Roots": ("Roots drink water out of the soil.", "Leaves breathe through their pores."),
    "Prices": ("Prices rose in the second quarter.", "Wages followed a year later."),
}


@pytest.fixture(autouse=True)
def embedders_anew() -> Iterator[None]:
    forget()
    yield
    forget()


def forget() -> None:
    embedding.forget_embedders()
    embedding._query_vector.cache_clear()


@pytest.fixture
def outside() -> Iterator[EmbeddingServerDouble]:
    with EmbeddingServerDouble(dimensions=24) as server:
        yield server


def use_outside(settings: Any, server: EmbeddingServerDouble, model: str = "new-model") -> None:
    settings.LITO_EMBEDDER = "openai"
    settings.LITO_EMBEDDING_BASE_URL = server.base_url
    settings.LITO_EMBEDDING_MODEL = model
    forget()


def library(slug: str = "library") -> Project:
    project = new_project(slug)
    for title, texts in PAPERS.items():
        add_paper(project, f"{title} of {slug}", [("text", "", text) for text in texts])
    return project


def vectors_note(project: Project, need: str = "ice at sea") -> str:
    return str(search(need, scope=project_scope(project)).trace.vectors)


def found_by_vectors(project: Project, need: str) -> int:
    trace = search(need, scope=project_scope(project)).trace
    return sum(query.vectors for query in trace.queries)


def test_a_project_is_searched_in_the_old_space_until_nothing_is_missing_in_the_new_one(
    settings: Any, outside: EmbeddingServerDouble
) -> None:
    project = library()
    old = active_space()
    use_outside(settings, outside)
    new = active_space()
    assert (new.active, new.dimensions, space_in_use(project.pk)) == (True, 24, old)
    assert found_by_vectors(project, "frozen sea") == 6
    [shown] = progress()
    assert (shown.done, shown.total, shown.space) == (0, 6, old)

    assert waiting_readings(new)
    assert not switch_if_complete(project, new)
    reembed_some(may_go_on=always)

    assert space_in_use(project.pk) == new
    assert not EmbeddingSpace.objects.filter(pk=old.pk).exists()
    assert ChunkVector.objects.count() == ChunkVector.objects.filter(space=new).count() == 6
    assert found_by_vectors(project, "frozen sea") == 6
    assert not is_wanted()


def test_each_project_switches_when_its_own_vectors_are_there(
    settings: Any, outside: EmbeddingServerDouble
) -> None:
    first, second = library("first"), library("second")
    old = active_space()
    use_outside(settings, outside)
    new = active_space()
    for reading in waiting_readings(new):
        version = Version.objects.get(parsed=reading)
        if version.project == first:
            make(version, new)
    assert switch_if_complete(first, new)
    assert not switch_if_complete(second, new)
    assert (space_in_use(first.pk), space_in_use(second.pk)) == (new, old)
    remove_left_over()
    assert ChunkVector.objects.filter(space=old).count() == 12  # somebody is still searched there


def make(version: Version, space: EmbeddingSpace) -> None:
    vec = np.ones(space.dimensions, np.float32)
    for chunk in Chunk.objects.filter(parsed_id=version.parsed_id):
        ChunkVector.objects.create(space=space, parsed_id=chunk.parsed_id, chunk=chunk, vec=vec)


def test_new_projects_begin_in_the_new_space(settings: Any, outside: EmbeddingServerDouble) -> None:
    library("old")
    use_outside(settings, outside)
    new = active_space()
    fresh = library("fresh")
    assert space_in_use(fresh.pk) == new
    assert found_by_vectors(fresh, "frozen sea") == 6


def test_a_paper_that_comes_meanwhile_is_found_by_vectors_before_and_after_the_switch(
    settings: Any, outside: EmbeddingServerDouble
) -> None:
    project = library()
    old = active_space()
    use_outside(settings, outside)
    new = active_space()
    version = add_paper(project, "Late", [("text", "", "Late words.")], embedded=False)
    Version.objects.filter(pk=version.pk).update(state=Version.State.INDEXING)
    taken = claim(version.pk, Version.State.INDEXING, parser="test-1")
    embed_reading(taken)  # type: ignore[arg-type] # a claim, since nobody else is at it
    spaces = ChunkVector.objects.filter(parsed=version.parsed).values_list("space", flat=True)
    assert set(spaces) == {old.pk, new.pk}


def test_stopped_work_keeps_what_it_made_and_goes_on_from_there(
    settings: Any, outside: EmbeddingServerDouble
) -> None:
    project = library()
    use_outside(settings, outside)
    new = active_space()
    asked = iter([True, True])

    def stop_after_two() -> bool:
        if not next(asked, False):
            EmbeddingSpace.objects.filter(pk=new.pk).update(paused=True)
        return True

    assert not reembed_some(may_go_on=stop_after_two)
    kept = set(ChunkVector.objects.filter(space=new).values_list("pk", flat=True))
    assert 0 < len(kept) < 6
    assert space_in_use(project.pk) != new
    assert not reembed_some(may_go_on=always)  # still stopped
    texts = len(outside.requests)
    EmbeddingSpace.objects.filter(pk=new.pk).update(paused=False)
    reembed_some(may_go_on=always)
    assert kept < set(ChunkVector.objects.filter(space=new).values_list("pk", flat=True))
    assert space_in_use(project.pk) == new
    again = [text for request in outside.requests[texts:] for text in request["input"]]
    assert len(again) == 6 - len(kept)


def test_a_text_that_the_new_model_refuses_keeps_the_project_in_the_old_space(
    settings: Any, outside: EmbeddingServerDouble
) -> None:
    project = library()
    old = active_space()
    use_outside(settings, outside)
    new = active_space()
    answers = outside.embed
    outside.embed = lambda text, length: answers(text, length) * (0 if "Bears" in text else 1)
    reembed_some(may_go_on=always)
    new.refresh_from_db()
    assert "zeros" in new.problem
    assert space_in_use(project.pk) == old
    assert found_by_vectors(project, "frozen sea") == 6
    outside.embed = answers
    reembed_some(may_go_on=always)
    new.refresh_from_db()
    assert (new.problem, space_in_use(project.pk)) == ("", new)


def test_without_the_old_embedder_words_are_searched_and_the_trace_says_so(
    settings: Any, outside: EmbeddingServerDouble
) -> None:
    with EmbeddingServerDouble(dimensions=8) as gone:
        use_outside(settings, gone, "old-model")
        project = library()
        assert vectors_note(project) == "ok"
    use_outside(settings, outside)
    active_space()
    result = search("sea ice", scope=project_scope(project))
    assert result.evidence[0].version.title.startswith("Ice")
    assert "can't be reached" in result.trace.vectors
    reembed_some(may_go_on=always)
    assert vectors_note(project) == "ok"


def test_another_length_of_the_same_model_is_another_space(
    settings: Any, outside: EmbeddingServerDouble
) -> None:
    use_outside(settings, outside)
    project = library()
    old = active_space()
    outside.dimensions = 40
    forget()
    new = active_space()
    assert (new.name, new.dimensions) == (old.name, 40)
    assert space_in_use(project.pk) == old
    assert "no longer there" in vectors_note(project)
    reembed_some(may_go_on=always)
    assert space_in_use(project.pk) == new


def test_going_back_before_the_end_keeps_the_old_vectors(
    settings: Any, outside: EmbeddingServerDouble
) -> None:
    project = library()
    old = active_space()
    use_outside(settings, outside)
    new = active_space()
    settings.LITO_EMBEDDER = "bundled"
    forget()
    assert active_space() == old
    assert not ProjectSpace.objects.exists()
    assert ChunkVector.objects.filter(space=old).count() == 6
    remove_left_over()
    assert not EmbeddingSpace.objects.filter(pk=new.pk).exists()
    assert found_by_vectors(project, "frozen sea") == 6


def test_a_tiny_bge_checkpoint_takes_over_from_the_bundled_model(
    settings: Any, tmp_path: Path
) -> None:
    pytest.importorskip("FlagEmbedding", reason="needs the extra `bge`")
    from tests.documents.vectors.tiny_bge import make_checkpoint

    project = library()
    settings.LITO_EMBEDDER = "bge-m3"
    settings.LITO_BGE_PATH = str(make_checkpoint(tmp_path / "tiny"))
    forget()
    assert active_space().dimensions == 64
    assert vectors_note(project) == "ok"
    reembed_some(may_go_on=always)
    assert space_in_use(project.pk) == active_space()
    assert embed_query("sea ice", space=space_in_use(project.pk)).shape == (64,)
    assert vectors_note(project, "another need") == "ok"


@pytest.mark.django_db(transaction=True)
def test_two_workers_never_embed_a_passage_twice(
    settings: Any, outside: EmbeddingServerDouble
) -> None:
    project = library()
    use_outside(settings, outside)
    new = active_space()

    def work() -> None:
        for _ in range(4):
            reembed_some(may_go_on=always)
        connection.close()

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    texts = [text for request in outside.requests for text in request["input"]]
    made = [text for text in texts if text != "dimensions"]
    assert sorted(made) == sorted(text for texts in PAPERS.values() for text in texts)
    assert space_in_use(project.pk) == new


@pytest.mark.django_db(transaction=True)
def test_a_project_that_outgrew_the_scan_gets_its_graph_before_it_switches(
    settings: Any, outside: EmbeddingServerDouble
) -> None:
    settings.LITO_VECTOR_SCAN = 24
    project = library()
    use_outside(settings, outside)
    reembed_some(may_go_on=always)
    assert has_graph(active_space(), project.pk)
    assert found_by_vectors(project, "frozen sea") == 6


@pytest.mark.django_db(transaction=True)
def test_a_killed_worker_leaves_what_it_made_and_the_next_one_goes_on(
    settings: Any, outside: EmbeddingServerDouble
) -> None:
    project = library()
    use_outside(settings, outside)
    new = active_space()
    stuck = threading.Event()
    outside.script = [
        lambda request: (200, outside.vectors(request)),  # the dimensions
        lambda request: (200, outside.vectors(request)),  # the first paper
        lambda request: (stuck.wait(20), (503, {}))[1],
    ]
    environment = os.environ | {
        "LITO_EMBEDDER": "openai",
        "LITO_EMBEDDING_BASE_URL": outside.base_url,
        "LITO_EMBEDDING_MODEL": "new-model",
        "LITO_TEST_DATABASE": connection.settings_dict["NAME"],
    }
    worker = subprocess.Popen([sys.executable, "-c", WORKER], env=environment)
    try:
        until(lambda: len(outside.requests) >= 4, 60)
    finally:
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        stuck.set()
    made = ChunkVector.objects.filter(space=new).count()
    assert made == 2
    assert space_in_use(project.pk) != new
    until(lambda: not reembed_some(may_go_on=always) and space_in_use(project.pk) == new, 30)
    assert ChunkVector.objects.filter(space=new).count() == 6


WORKER = """
import os, django
from django.conf import settings
os.environ["DJANGO_SETTINGS_MODULE"] = "lito.settings"
settings.DATABASES["default"]["NAME"] = os.environ["LITO_TEST_DATABASE"]
django.setup()
from retrieval.reembedding import reembed_some
reembed_some(may_go_on=lambda: True)
"""


def test_admins_see_how_far_it_is_and_stop_it(
    client: Client, settings: Any, outside: EmbeddingServerDouble
) -> None:
    library("glaciers")
    use_outside(settings, outside)
    new = active_space()
    client.force_login(User.objects.create(username="ada", is_staff=True, is_superuser=True))
    page = client.get(reverse("embedding_models")).content.decode()
    assert "Glaciers" in page
    assert "0 of 6" in page
    client.post(reverse("pause_embedding"), {"paused": "1"})
    new.refresh_from_db()
    assert new.paused
    assert "Go on" in client.get(reverse("embedding_models")).content.decode()
    client.post(reverse("pause_embedding"), {"paused": "0"})
    reembed_some(may_go_on=always)
    assert "Glaciers" not in client.get(reverse("embedding_models")).content.decode()
