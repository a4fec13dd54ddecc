from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django import Settings

from documents import ingestion
from documents.models import Change, Chunk, ChunkVector, Document, Page, ParsedFile, Version
from documents.removing import delete_if_unused, remove, sweep_unused_files
from documents.rendering import render_page
from documents.storage import file_path
from documents.uploads import add_file, cancel
from projects.models import Project
from tests.documents.pdf_making import make_pdf

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


def test_the_images_of_its_pages_go_with_a_file(
    project: Project, pdf: Path, settings: Settings, tmp_path: Path
) -> None:
    settings.LITO_CACHE = tmp_path / "cache"
    version = add_file(project, path_or_upload=pdf, file_name="a.pdf", user=None).version
    render_page(file_path(version.sha256), 1, width_px=200)
    assert list(settings.LITO_CACHE.rglob("*.webp"))
    version.document.delete()
    assert delete_if_unused(version.sha256)
    assert list(settings.LITO_CACHE.rglob("*.webp")) == []


def test_the_files_of_a_project_that_was_deleted_are_swept(
    project: Project, other_project: Project, pdf: Path, tmp_path: Path
) -> None:
    gone = add_file(project, path_or_upload=pdf, file_name="a.pdf", user=None).version
    other = make_pdf(tmp_path / "b.pdf", mark="b")
    kept = add_file(other_project, path_or_upload=other, file_name="b.pdf", user=None).version
    project.delete()
    assert sweep_unused_files() == 1
    assert not file_path(gone.sha256).exists()
    assert file_path(kept.sha256).is_file()


def test_a_paper_never_searchable_leaves_no_trace_in_search(project: Project, pdf: Path) -> None:
    version = add_file(project, path_or_upload=pdf, file_name="a.pdf", user=None).version
    cancel(version)
    remove(version.document)
    assert not Version.objects.live().exists()
