from collections.abc import Callable
from pathlib import Path

import pytest

from documents import ingestion
from documents.models import Change, Chunk, ChunkVector, Document, Page, ParsedFile, Version
from documents.removing import delete_if_unused, remove
from documents.storage import file_path
from documents.uploads import add_file, cancel
from projects.models import Project

State = Version.State


def ingested(project: Project, path: Path) -> Version:
    version = add_file(project, path_or_upload=path, file_name=path.name, user=None).version
    ingestion.parse_version(version.pk)
    ingestion.index_version(version.pk)
    version.refresh_from_db()
    return version


@pytest.mark.django_db(transaction=True)
def test_removing_takes_all_that_only_this_paper_needed(
    project: Project, pdf: Path, redis: object
) -> None:
    version = ingested(project, pdf)
    remove(version.document)
    for model in (ParsedFile, Page, Chunk, ChunkVector):
        assert not model.objects.exists()
    assert not file_path(version.sha256).exists()
    version.refresh_from_db()
    assert version.parsed is None
    assert version.document.removed_at is not None
    assert not Version.objects.live().exists()
    assert not Document.objects.live().exists()
    assert Change.objects.filter(kind="removed", file_id=version.public_id).count() == 1


@pytest.mark.django_db(transaction=True)
def test_what_another_project_uses_stays(
    project: Project, other_project: Project, pdf: Path, redis: object
) -> None:
    first, second = ingested(project, pdf), ingested(other_project, pdf)
    remove(first.document)
    assert file_path(second.sha256).is_file()
    assert Page.objects.count() == 3
    assert Version.objects.live().get() == second
    remove(second.document)
    assert not file_path(second.sha256).exists()
    assert not ParsedFile.objects.exists()


def test_removing_twice_is_as_good_as_once(project: Project, pdf: Path) -> None:
    version = ingested(project, pdf)
    stale = Document.objects.get(pk=version.document_id)
    remove(version.document)
    remove(stale)
    assert Change.objects.filter(kind="removed").count() == 1


@pytest.mark.parametrize("recipe", [ingestion.parse_version, ingestion.index_version])
def test_a_removed_paper_is_not_worked_on(
    recipe: Callable[[int], ingestion.Outcome], project: Project, pdf: Path
) -> None:
    version = add_file(project, path_or_upload=pdf, file_name="a.pdf", user=None).version
    remove(version.document)
    assert recipe(version.pk) is ingestion.Outcome.NOTHING_TO_DO
    version.refresh_from_db()
    assert version.state == State.CANCELLED


def test_a_file_that_is_needed_is_not_deleted(project: Project, pdf: Path) -> None:
    version = add_file(project, path_or_upload=pdf, file_name="a.pdf", user=None).version
    assert not delete_if_unused(version.sha256)
    assert file_path(version.sha256).is_file()


def test_a_paper_never_searchable_leaves_no_trace_in_search(project: Project, pdf: Path) -> None:
    version = add_file(project, path_or_upload=pdf, file_name="a.pdf", user=None).version
    cancel(version)
    remove(version.document)
    assert not Version.objects.live().exists()
