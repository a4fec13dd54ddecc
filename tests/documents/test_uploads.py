import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from pytest_django import DjangoCaptureOnCommitCallbacks

from documents import ingestion, uploads
from documents.inspecting import RefusedFileError
from documents.models import Change, Document, Version
from documents.removing import remove
from documents.storage import file_path
from documents.uploads import Added, add_file
from projects.models import Project, User
from tests.documents.pdf_making import make_pdf

State = Version.State


def add(project: Project, path: Path, name: str = "growth.pdf") -> Added:
    return add_file(project, path_or_upload=path, file_name=name, user=None)


def test_a_file_becomes_a_document_with_one_version(
    project: Project, pdf: Path, user: User
) -> None:
    upload = SimpleUploadedFile("Growth of things.pdf", pdf.read_bytes())
    added = add_file(project, path_or_upload=upload, file_name=upload.name or "", user=user)
    version = added.version
    assert added.created
    assert (version.state, version.page_count, version.size) == (
        State.QUEUED,
        3,
        pdf.stat().st_size,
    )
    assert version.document.title == "Growth of things"
    assert version.document.provenance == {"title": "file_name"}
    assert (version.uploaded_by, version.document.created_by) == (user, user)
    assert file_path(version.sha256).read_bytes() == pdf.read_bytes()


def test_the_same_bytes_under_another_name_are_the_same_version(
    project: Project, pdf: Path
) -> None:
    first, second = add(project, pdf), add(project, pdf, "renamed.pdf")
    assert (first.created, second.created) == (True, False)
    assert first.version == second.version
    assert Document.objects.count() == 1


def test_other_bytes_under_the_same_name_are_another_document(
    project: Project, pdf: Path, tmp_path: Path
) -> None:
    other = make_pdf(tmp_path / "other.pdf", mark="other")
    assert add(project, pdf).version != add(project, other).version
    assert Document.objects.count() == 2


def test_each_project_has_a_version_of_its_own_over_one_file(
    project: Project, other_project: Project, pdf: Path, own_files: Path
) -> None:
    assert add(project, pdf).version != add(other_project, pdf).version
    assert len(list(own_files.rglob("*.pdf"))) == 1


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "empty_file"),
        (b"<html>no</html>", "not_a_pdf"),
    ],
)
@pytest.mark.django_db
def test_of_a_refused_file_nothing_is_stored(
    content: bytes, code: str, project: Project, own_files: Path
) -> None:
    upload = SimpleUploadedFile("paper.pdf", content)
    with pytest.raises(RefusedFileError) as refusal:
        add_file(project, path_or_upload=upload, file_name="paper.pdf", user=None)
    assert refusal.value.code == code
    assert not Document.objects.exists()
    assert [path for path in own_files.rglob("*") if path.is_file()] == []


def in_threads(count: int, work: Callable[[], Added]) -> list[Added]:
    """What `work` returns when many do it at the same moment."""
    gate = threading.Barrier(count)

    def run(_number: int) -> Added:
        gate.wait()
        try:
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


@pytest.mark.django_db(transaction=True)
def test_many_who_add_the_same_bytes_at_once_get_one_version(
    project: Project, pdf: Path, own_files: Path, redis: object
) -> None:
    added = in_threads(8, lambda: add(project, pdf))
    assert len({each.version.pk for each in added}) == 1
    assert sum(each.created for each in added) == 1
    assert Document.objects.count() == 1
    assert len([path for path in own_files.rglob("*") if path.is_file()]) == 1


@pytest.mark.django_db(transaction=True)
def test_adding_while_another_project_removes_never_loses_the_file(
    project: Project, other_project: Project, pdf: Path, redis: object
) -> None:
    for _round in range(5):
        first = add(project, pdf)
        both = iter((True, False))
        pick = threading.Lock()

        def remove_or_add(
            first: Added = first, both: Iterator[bool] = both, pick: threading.Lock = pick
        ) -> Added:
            with pick:
                removes = next(both)
            if removes:
                remove(first.version.document)
                return first
            return add(other_project, pdf)

        in_threads(2, remove_or_add)
        kept = Version.objects.get(project=other_project)
        assert file_path(kept.sha256).is_file()
        remove(kept.document)
        assert not file_path(kept.sha256).exists()


def test_a_removed_document_comes_back_with_its_bytes(project: Project, pdf: Path) -> None:
    first = add(project, pdf).version
    ingestion.parse_version(first.pk)
    ingestion.index_version(first.pk)
    remove(first.document)
    again = add(project, pdf)
    assert again.created
    assert again.version == first
    ingestion.parse_version(first.pk)
    ingestion.index_version(first.pk)
    assert Version.objects.live().get() == first
    kinds = Change.objects.order_by("pk").values_list("kind", flat=True)
    assert list(kinds) == ["added", "removed", "added"]


@pytest.mark.parametrize("state", [State.FAILED, State.CANCELLED])
def test_a_failed_or_cancelled_file_is_tried_again_when_it_is_added_again(
    state: Version.State, project: Project, pdf: Path
) -> None:
    version = add(project, pdf).version
    Version.objects.filter(pk=version.pk).update(state=state, failure_code="x", failure="No.")
    again = add(project, pdf)
    version.refresh_from_db()
    assert not again.created
    assert (version.state, version.failure_code, version.failure) == (State.QUEUED, "", "")


def test_adding_sends_the_parsing_task_after_the_commit(
    project: Project,
    pdf: Path,
    redis: object,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    with django_capture_on_commit_callbacks() as callbacks:
        add(project, pdf)
        add(project, pdf)
    assert len(callbacks) == 2
    with django_capture_on_commit_callbacks() as callbacks:
        add_file(project, path_or_upload=pdf, file_name="x.pdf", user=None, enqueue=False)
    assert callbacks == []


@pytest.mark.parametrize(
    ("state", "stops"),
    [
        (State.QUEUED, True),
        (State.PARSING, True),
        (State.INDEXING, True),
        (State.READY, False),
        (State.FAILED, False),
    ],
)
def test_only_work_that_goes_on_can_be_cancelled(
    state: Version.State, stops: bool, project: Project, pdf: Path
) -> None:
    version = add(project, pdf).version
    Version.objects.filter(pk=version.pk).update(state=state)
    assert uploads.cancel(version) is stops
    version.refresh_from_db()
    assert version.state == (State.CANCELLED if stops else state)
    assert uploads.retry(version) is (stops or state == State.FAILED)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("paper.pdf", "paper.pdf"),
        ("../../etc/passwd", "passwd"),
        ("C:\\Papers\\论文.pdf", "论文.pdf"),
        ("a\x00b\u202e.pdf", "ab.pdf"),
        ("", "document.pdf"),
        ("..", "document.pdf"),
        ("研" * 300 + ".pdf", "研" * 251 + ".pdf"),
        ("<script>.pdf", "<script>.pdf"),
    ],
)
def test_a_file_name_is_kept_printable_and_short(given: str, kept: str) -> None:
    assert uploads.safe_name(given) == kept
