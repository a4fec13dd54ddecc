"""New bytes for a paper are a new version: it takes over when it can be found, and not before."""

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from django.db import connections

from documents import ingestion
from documents.inspecting import RefusedFileError
from documents.models import Change, Document, ParsedFile, Version
from documents.reader import newest_version
from documents.removing import remove, remove_version
from documents.storage import file_path
from documents.uploads import add_file, add_version, cancel
from projects.models import Project
from tests.documents.pdf_making import make_pdf

State = Version.State


@pytest.fixture
def first(project: Project, tmp_path: Path) -> Version:
    path = make_pdf(tmp_path / "first.pdf", mark="first")
    version = add_file(project, path_or_upload=path, file_name="a.pdf", user=None).version
    return searchable(version)


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    return make_pdf(tmp_path / "newer.pdf", mark="newer")


def searchable(version: Version) -> Version:
    assert ingestion.parse_version(version.pk) is ingestion.Outcome.DONE
    assert ingestion.index_version(version.pk) is ingestion.Outcome.DONE
    version.refresh_from_db()
    return version


def upload(document: Document, path: Path) -> Version:
    return add_version(document, path_or_upload=path, file_name=path.name, user=None).version


def live(project: Project) -> list[int]:
    versions = Version.objects.live().filter(project=project)
    return list(versions.order_by("number").values_list("number", flat=True))


def news(version: Version) -> list[str]:
    changes = Change.objects.filter(file_id=version.public_id).order_by("pk")
    return list(changes.values_list("kind", flat=True))


def test_the_newer_file_takes_over_when_it_can_be_searched(
    project: Project, first: Version, newer: Path
) -> None:
    second = upload(first.document, newer)
    assert (second.number, second.document_id) == (2, first.document_id)
    assert live(project) == [1]
    assert newest_version(first) == first  # nothing newer can be read yet
    assert ingestion.parse_version(second.pk) is ingestion.Outcome.DONE
    assert live(project) == [2]
    first.refresh_from_db()
    assert first.superseded_at is not None
    assert first.parsed is not None  # its citations go on being placed in it
    assert file_path(first.sha256).is_file()
    assert newest_version(first) == second
    assert (news(first), news(second)) == (["added", "removed"], ["added"])


def test_a_newer_file_that_can_not_be_read_leaves_the_earlier_one(
    project: Project, first: Version, newer: Path
) -> None:
    second = upload(first.document, newer)
    file_path(second.sha256).unlink()
    assert ingestion.parse_version(second.pk) is ingestion.Outcome.FAILED
    assert live(project) == [1]
    first.refresh_from_db()
    assert first.superseded_at is None
    assert news(first) == ["added"]


def test_of_two_newer_files_the_last_wins_whichever_is_ready_first(
    project: Project, first: Version, newer: Path, tmp_path: Path
) -> None:
    second = upload(first.document, newer)
    third = upload(first.document, make_pdf(tmp_path / "third.pdf", mark="third"))
    searchable(third)
    searchable(second)
    assert third.number == 3
    assert live(project) == [3]
    assert news(second) == []


@pytest.mark.parametrize("end", [cancel, remove_version])
def test_when_the_newer_file_goes_the_earlier_one_is_current_again(
    end: Callable[[Version], object], project: Project, first: Version, newer: Path
) -> None:
    second = upload(first.document, newer)
    ingestion.parse_version(second.pk)
    end(second)
    assert live(project) == [1]
    first.refresh_from_db()
    assert first.superseded_at is None
    assert news(first) == ["added", "removed", "added"]
    assert news(second) == ["added", "removed"]


def test_removing_the_earlier_file_leaves_the_newer_one(
    project: Project, first: Version, newer: Path
) -> None:
    searchable(upload(first.document, newer))
    remove_version(first)
    assert live(project) == [2]
    assert first.removed_at is not None
    assert not ParsedFile.objects.filter(sha256=first.sha256).exists()
    assert Document.objects.live().get() == first.document


def test_the_last_file_takes_the_paper_with_it(
    project: Project, first: Version, newer: Path
) -> None:
    second = upload(first.document, newer)
    remove_version(first)
    assert Document.objects.live().exists()
    remove_version(second)
    assert not Document.objects.live().exists()
    assert not ParsedFile.objects.exists()
    remove_version(second)
    assert news(second).count("removed") == 1


def test_the_same_bytes_are_the_same_version(first: Version, tmp_path: Path) -> None:
    again = add_version(
        first.document,
        path_or_upload=make_pdf(tmp_path / "again.pdf", mark="first"),
        file_name="b.pdf",
        user=None,
    )
    assert (again.created, again.version) == (False, first)


def test_a_file_of_another_paper_is_refused_by_name(
    project: Project, first: Version, newer: Path
) -> None:
    other = add_file(project, path_or_upload=newer, file_name="b.pdf", user=None).version
    with pytest.raises(RefusedFileError) as refused:
        upload(first.document, newer)
    assert refused.value.code == "another_paper"
    assert other.document.title in refused.value.message
    remove(other.document)
    moved = upload(first.document, newer)
    assert (moved.pk, moved.document_id, moved.number) == (other.pk, first.document_id, 2)
    searchable(moved)
    assert live(project) == [2]


def test_a_paper_that_comes_back_has_only_the_file_that_came(
    project: Project, first: Version, newer: Path
) -> None:
    second = searchable(upload(first.document, newer))
    remove(first.document)
    back = add_file(project, path_or_upload=newer, file_name="b.pdf", user=None)
    assert (back.created, back.version) == (True, second)
    assert live(project) == []
    searchable(back.version)
    assert live(project) == [2]
    first.refresh_from_db()
    assert first.removed_at is not None


@pytest.mark.django_db(transaction=True)
def test_two_newer_files_that_become_searchable_at_once_do_not_wait_for_each_other_for_ever(
    project: Project, first: Version, newer: Path, tmp_path: Path, redis: object
) -> None:
    second = upload(first.document, newer)
    third = upload(first.document, make_pdf(tmp_path / "third.pdf", mark="third"))
    both = threading.Barrier(2, timeout=60)
    ended: list[object] = []

    def read(version: Version) -> None:
        try:
            both.wait()
            ended.append(ingestion.parse_version(version.pk))
        except BaseException as error:  # noqa: BLE001 - the test says what it was
            ended.append(error)
        finally:
            connections.close_all()

    readers = [threading.Thread(target=read, args=(version,)) for version in (second, third)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join(timeout=120)
    assert ended == [ingestion.Outcome.DONE] * 2
    assert live(project) == [3]
