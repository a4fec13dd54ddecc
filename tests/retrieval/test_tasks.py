from pathlib import Path
from typing import Any

import pytest
from django.conf import settings

from documents.chunks.tokens import TOKENIZER
from documents.models import EmbeddingSpace, ParsedFile
from retrieval import keyword_index, tasks
from retrieval.graphs import has_graph
from retrieval.index_checking import check
from retrieval.models import KeywordIndex
from tests.retrieval.papers import add_paper, new_project

pytestmark = pytest.mark.django_db


def test_the_task_brings_an_index_up_to_date() -> None:
    project = new_project()
    add_paper(project, "Roots", [("text", "", "Roots drink water.")], embedded=False)

    tasks.follow_documents(project.pk)

    assert check(project).agrees
    last = project.changes.order_by("pk").last()
    assert last is not None
    assert KeywordIndex.objects.get(project=project).applied_change == last.pk


def test_a_project_that_is_gone_is_no_error() -> None:
    tasks.follow_documents(987654)


def test_the_index_of_a_removed_project_is_removed(
    django_capture_on_commit_callbacks: Any,
) -> None:
    kept, gone = new_project("kept"), new_project("gone")
    for project in (kept, gone):
        keyword_index.follow_documents(project)
    name = gone.public_id
    with django_capture_on_commit_callbacks(execute=True):
        gone.delete()

    assert (Path(settings.LITO_INDEXES) / kept.public_id).is_dir()
    assert not (Path(settings.LITO_INDEXES) / name).exists()


def test_a_space_of_few_vectors_gets_no_graph() -> None:
    space = EmbeddingSpace.objects.create(name="few", revision="1", dimensions=8, active=True)
    project = new_project()
    tasks.build_missing_graph(project.pk)
    assert not has_graph(space, project.pk)


@pytest.mark.usefixtures("redis")
def test_a_recorded_change_sends_its_project_to_the_index(
    django_capture_on_commit_callbacks: Any, redis: Any
) -> None:
    project = new_project()
    with django_capture_on_commit_callbacks(execute=True):
        add_paper(project, "Roots", [("text", "", "Roots drink water.")], embedded=False)
    assert sent(redis).count(b"retrieval.tasks.follow_documents") == 1


def test_a_space_that_has_outgrown_the_scan_asks_for_its_graph(redis: Any) -> None:
    project = new_project()
    add_paper(
        project, "Roots", [("text", "", "Roots drink water."), ("text", "", "Leaves breathe.")]
    )
    space = EmbeddingSpace.objects.get(active=True)
    assert not tasks.ask_for_graph(project.pk, most_scanned=2 * space.dimensions)
    assert tasks.ask_for_graph(project.pk, most_scanned=space.dimensions)
    assert sent(redis).count(b"retrieval.tasks.build_missing_graph") == 1


def test_the_end_of_indexing_looks_whether_a_graph_is_wanted(redis: Any, settings: Any) -> None:
    """The signal that a worker sends reaches retrieval, though documents know nothing of it."""
    from celery.signals import task_success

    from documents.tasks import index_version
    from retrieval.apps import after_task

    settings.LITO_VECTOR_SCAN = 384
    project = new_project()
    version = add_paper(
        project, "Roots", [("text", "", "Roots drink water."), ("text", "", "Leaves breathe.")]
    )
    index_version.push_request(args=(version.pk,))  # type: ignore[call-arg] # as Celery does
    try:
        answers = dict(task_success.send(sender=index_version, result=None))
    finally:
        index_version.pop_request()
    assert answers[after_task] is None
    assert sent(redis).count(b"retrieval.tasks.build_missing_graph") == 1


def sent(redis: Any) -> bytes:
    """Everything that waits in the queue `index`."""
    return b"".join(redis.lrange("index", 0, -1))


@pytest.mark.usefixtures("redis")
def test_terms_are_renewed_from_a_workers_start_and_where_it_came_to_a_stop(redis: Any) -> None:
    task = b"retrieval.tasks.renew_terms_of_next"
    watch = tasks.TermsWatch()
    watch.look(True)
    assert sent(redis).count(task) == 0
    project = new_project()
    for number in range(3):
        add_paper(project, f"Paper {number}", [("text", "", "Roots drink.")], embedded=False)
    ParsedFile.objects.update(tokenizer=0)

    watch.look(True)
    assert sent(redis).count(task) == 1
    ParsedFile.objects.filter(pk__in=ParsedFile.objects.values("pk")[:1]).update(
        tokenizer=TOKENIZER
    )
    watch.look(False)  # one less: it goes on
    assert sent(redis).count(task) == 1
    watch.look(False)  # none less within a minute: it stopped
    assert sent(redis).count(task) == 2

    tasks.renew_terms_of_next()
    watch.look(False)
    watch.look(False)
    assert sent(redis).count(task) == 2
    assert not ParsedFile.objects.exclude(tokenizer=TOKENIZER).exists()
