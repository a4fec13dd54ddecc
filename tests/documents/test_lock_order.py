"""A paper that is removed at the very moment when its reading ends: one waits, both finish."""

import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from django.db import connection, connections, transaction

from citations.models import NormalizedPage
from citations.normalizing import NORMALIZER
from citations.pages import normalize_pages
from documents import ingestion
from documents.claiming import LostClaimError
from documents.models import Change, Chunk, ChunkVector, Document, Page, ParsedFile, Version
from documents.parsing import parse_pages
from documents.reading_claims import ReadingClaim, always, claim_reading
from documents.removing import remove
from documents.storage import file_path
from documents.stored_pages import store_pages
from documents.uploads import add_file
from projects.models import Project
from tests.documents.pdf_making import make_pdf

PATIENCE = 60


@pytest.mark.django_db(transaction=True)
def test_removing_a_paper_while_its_reading_ends_locks_nobody_out(
    project: Project, pdf: Path, redis: object
) -> None:
    version = add_file(project, path_or_upload=pdf, file_name="a.pdf", user=None).version
    ended: list[object] = []

    def read() -> None:
        try:
            ended.append(ingestion.parse_version(version.pk))
        except BaseException as error:  # noqa: BLE001 - the test says what it was
            ended.append(error)
        finally:
            connections.close_all()

    reading = threading.Thread(target=read)
    with transaction.atomic():
        document = Document.objects.select_for_update().get(pk=version.document_id)
        reading.start()
        wait_until(somebody_waits_for_a_lock, while_alive=reading)
        remove(document)
    reading.join(PATIENCE)

    assert ended == [ingestion.Outcome.LOST]
    version.refresh_from_db()
    assert version.state == Version.State.CANCELLED
    assert version.parsed is None
    assert [change.kind for change in Change.objects.all()] == [Change.Kind.REMOVED]


@pytest.mark.django_db(transaction=True)
def test_what_the_background_stores_while_its_paper_is_removed_goes_with_it(
    project: Project, pdf: Path, redis: object
) -> None:
    version = add_file(project, path_or_upload=pdf, file_name="a.pdf", user=None).version
    ingestion.parse_version(version.pk)
    claim = claim_reading(version.sha256, "better", page_count=3, may_go_on=always)
    assert isinstance(claim, ReadingClaim)
    page = next(parse_pages(pdf))
    ended: list[object] = []

    def take_out() -> None:
        try:
            remove(version.document)
            ended.append("removed")
        except BaseException as error:  # noqa: BLE001 - the test says what it was
            ended.append(error)
        finally:
            connections.close_all()

    removing = threading.Thread(target=take_out)
    with transaction.atomic():
        claim.beat()
        removing.start()
        wait_until(somebody_waits_for_a_lock, while_alive=removing)
        store_pages(claim.parsed, [page])
    removing.join(PATIENCE)

    assert ended == ["removed"]
    with pytest.raises(LostClaimError):
        claim.beat()
    for kept in (ParsedFile, Page, Chunk):
        assert not kept.objects.exists()
    assert not file_path(version.sha256).exists()


@pytest.mark.django_db(transaction=True)
def test_pages_that_are_folded_while_their_paper_is_removed_break_nothing(
    project: Project, pdf: Path, redis: object
) -> None:
    version = add_file(project, path_or_upload=pdf, file_name="a.pdf", user=None).version
    ingestion.parse_version(version.pk)
    version.refresh_from_db()
    assert version.parsed is not None
    first = version.parsed.pages.get(number=1)
    NormalizedPage.objects.create(page=first, normalizer=NORMALIZER)
    ended: list[object] = []

    def doing(work: Callable[[], object]) -> threading.Thread:
        def guarded() -> None:
            try:
                work()
                ended.append("done")
            except BaseException as error:  # noqa: BLE001 - the test says what it was
                ended.append(error)
            finally:
                connections.close_all()

        thread = threading.Thread(target=guarded)
        thread.start()
        return thread

    with transaction.atomic():
        list(NormalizedPage.objects.select_for_update())
        removing = doing(partial(remove, version.document))
        wait_until(somebody_waits_for_a_lock, while_alive=removing)
        folding = doing(partial(normalize_pages, version.parsed))
        folding.join(0.5)
    for thread in (removing, folding):
        thread.join(PATIENCE)

    assert ended == ["done", "done"]
    assert not ParsedFile.objects.exists()
    assert not NormalizedPage.objects.exists()


def wait_until(happened: Callable[[], bool], *, while_alive: threading.Thread) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert while_alive.is_alive(), "the reading did not wait for the document"
        assert time.monotonic() < deadline
        time.sleep(0.02)


def somebody_waits_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_locks WHERE NOT granted"
            " AND pid IN (SELECT pid FROM pg_stat_activity WHERE datname = current_database())"
        )
        return bool(cursor.fetchone()[0])


@pytest.mark.django_db(transaction=True)
def test_two_workers_never_index_one_version_twice(
    project: Project, tmp_path: Path, redis: object
) -> None:
    path = make_pdf(tmp_path / "long.pdf", pages=60)
    version = add_file(project, path_or_upload=path, file_name="a.pdf", user=None).version
    ingestion.parse_version(version.pk)
    both = threading.Barrier(2, timeout=PATIENCE)
    ended: list[object] = []
    beats: list[int] = []

    def index() -> None:
        try:
            both.wait()
            watcher = partial(_note, beats)
            ended.append(ingestion.index_version(version.pk, watcher=watcher))
        except BaseException as error:  # noqa: BLE001 - the test says what it was
            ended.append(error)
        finally:
            connections.close_all()

    workers = [threading.Thread(target=index) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=PATIENCE)
    assert ingestion.Outcome.DONE in ended
    assert set(ended) <= {
        ingestion.Outcome.DONE,
        ingestion.Outcome.BUSY,
        ingestion.Outcome.NOTHING_TO_DO,
    }
    assert ended.count(ingestion.Outcome.DONE) == 1
    assert beats == sorted(beats)  # one worker's count, never begun anew by another
    assert ChunkVector.objects.count() == Chunk.objects.exclude(kind="reference").count()


def _note(beats: list[int], version: Version) -> None:
    beats.append(version.embedded_chunks)
