import threading
from datetime import timedelta
from pathlib import Path

import psycopg
import pytest
from celery import Celery
from django.db import OperationalError, connection
from django.utils import timezone
from pytest_django import Settings

from documents import claiming, ingestion, uploads, watching
from documents.catalogue.describing import edit
from documents.claiming import LostClaimError
from documents.ingestion import Outcome
from documents.models import Change, Chunk, ChunkVector, Page, ParsedFile, Version
from documents.parsing import PARSER
from documents.progress import progress, warnings_of
from documents.storage import file_path
from documents.tasks import send_task
from documents.uploads import add_file
from documents.vectors.embedding import EmbedderUnavailableError, active_space
from projects.models import Project
from tests.documents.pdf_making import make_pdf

State = Version.State
DEAD_WORKER = "another-host:1:00000000"


def added(project: Project, path: Path) -> Version:
    return add_file(project, path_or_upload=path, file_name=path.name, user=None).version


def ingested(project: Project, path: Path) -> Version:
    version = added(project, path)
    assert ingestion.parse_version(version.pk) is Outcome.DONE
    assert ingestion.index_version(version.pk) is Outcome.DONE
    version.refresh_from_db()
    return version


def reading_of(version: Version) -> ParsedFile:
    assert version.parsed is not None
    return version.parsed


def stop_after(version: Version, pages: int) -> None:
    """Leave the version as a worker leaves it that was killed after so many pages."""
    ingestion.parse_version(version.pk)
    version.refresh_from_db()
    Chunk.objects.all().delete()
    Page.objects.filter(number__gt=pages).delete()
    Change.objects.all().delete()
    ParsedFile.objects.update(complete=False, chunked=False)
    Version.objects.filter(pk=version.pk).update(
        state=State.PARSING,
        claimed_by=DEAD_WORKER,
        claimed_at=timezone.now() - claiming.LEASE - timedelta(seconds=1),
    )


def test_a_file_goes_from_queued_to_ready(project: Project, pdf: Path) -> None:
    version = added(project, pdf)
    assert progress(version).words == "Waiting to be read"

    assert ingestion.parse_version(version.pk) is Outcome.DONE
    version.refresh_from_db()
    assert version.state == State.INDEXING
    assert version in Version.objects.live()
    assert "words can be searched" in progress(version).words
    assert [page.number for page in reading_of(version).pages.all()] == [1, 2, 3]
    chunks = list(reading_of(version).chunks.all())
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    assert all(chunk.terms for chunk in chunks)
    assert list(Change.objects.values_list("kind", "file_id", "parsed_id")) == [
        ("added", version.public_id, version.parsed_id)
    ]

    assert ingestion.index_version(version.pk) is Outcome.DONE
    version.refresh_from_db()
    assert (version.state, version.claimed_by) == (State.READY, "")
    assert version.ready_at is not None
    assert ChunkVector.objects.filter(space=active_space()).count() == len(chunks)
    assert version.embedded_chunks == len(chunks)
    assert Change.objects.count() == 1
    assert progress(version).done == 3
    assert warnings_of(version) == []


def test_running_a_recipe_again_changes_nothing(project: Project, pdf: Path) -> None:
    version = ingested(project, pdf)
    before = list(Page.objects.values_list("pk")), list(Chunk.objects.values_list("pk"))
    assert ingestion.parse_version(version.pk) is Outcome.NOTHING_TO_DO
    assert ingestion.index_version(version.pk) is Outcome.NOTHING_TO_DO
    assert (list(Page.objects.values_list("pk")), list(Chunk.objects.values_list("pk"))) == before


def test_the_same_file_in_another_project_is_not_read_again(
    project: Project, other_project: Project, pdf: Path
) -> None:
    first = ingested(project, pdf)
    second = added(other_project, pdf)
    file_path(second.sha256).unlink()  # a second reading would need it
    assert ingestion.parse_version(second.pk) is Outcome.DONE
    assert ingestion.index_version(second.pk) is Outcome.DONE
    second.refresh_from_db()
    assert second.parsed == first.parsed
    assert second.state == State.READY
    assert ParsedFile.objects.count() == 1
    assert second.document.title == first.document.title


def test_a_file_name_of_one_project_is_not_told_to_another(
    project: Project, other_project: Project, pdf: Path
) -> None:
    secret = pdf.rename(pdf.with_name("2019 secret arXiv 1905.12345.pdf"))
    ingested(project, secret)
    plain = secret.rename(secret.with_name("plain.pdf"))
    second = ingested(other_project, plain)
    metadata = reading_of(second).metadata
    assert "secret" not in repr(metadata)
    assert "1905.12345" not in repr([metadata, second.document.__dict__])


def test_reading_goes_on_at_the_first_missing_page(project: Project, tmp_path: Path) -> None:
    version = added(project, make_pdf(tmp_path / "long.pdf", pages=6))
    stop_after(version, pages=4)
    kept = list(Page.objects.order_by("number").values_list("pk", flat=True))
    assert ingestion.parse_version(version.pk) is Outcome.DONE
    pages = list(Page.objects.order_by("number").values_list("pk", "number"))
    assert [number for _pk, number in pages] == [1, 2, 3, 4, 5, 6]
    assert [pk for pk, _number in pages[:4]] == kept
    version.refresh_from_db()
    assert version.state == State.INDEXING


def test_indexing_goes_on_where_it_stopped(project: Project, tmp_path: Path) -> None:
    version = ingested(project, make_pdf(tmp_path / "long.pdf", pages=6))
    kept = set(ChunkVector.objects.order_by("pk").values_list("pk", flat=True)[:1])
    ChunkVector.objects.exclude(pk__in=kept).delete()
    Version.objects.filter(pk=version.pk).update(state=State.INDEXING, embedded_chunks=1)
    assert ingestion.index_version(version.pk) is Outcome.DONE
    assert kept <= set(ChunkVector.objects.values_list("pk", flat=True))
    assert ChunkVector.objects.count() == Chunk.objects.count()


def test_reference_lists_get_no_vectors(project: Project, tmp_path: Path) -> None:
    version = added(project, make_pdf(tmp_path / "long.pdf", pages=6))
    ingestion.parse_version(version.pk)
    listed = Chunk.objects.order_by("ordinal").last()
    assert listed is not None
    Chunk.objects.filter(pk=listed.pk).update(kind="reference")
    ingestion.index_version(version.pk)
    version.refresh_from_db()
    assert not ChunkVector.objects.filter(chunk=listed).exists()
    assert version.embedded_chunks == ChunkVector.objects.count() == Chunk.objects.count() - 1
    assert version.state == State.READY


@pytest.mark.parametrize("state", [State.PARSING, State.INDEXING])
def test_a_claimed_version_is_left_to_its_worker(
    state: Version.State, project: Project, pdf: Path
) -> None:
    version = added(project, pdf)
    if state == State.INDEXING:
        ingestion.parse_version(version.pk)
    first = claiming.claim(version.pk, state, parser=PARSER)
    assert isinstance(first, claiming.Claim)
    recipe = ingestion.parse_version if state == State.PARSING else ingestion.index_version
    assert recipe(version.pk) is Outcome.BUSY
    first.release()
    assert recipe(version.pk) is Outcome.DONE


def test_two_projects_do_not_read_one_file_at_the_same_time(
    project: Project, other_project: Project, pdf: Path
) -> None:
    first, second = added(project, pdf), added(other_project, pdf)
    held = claiming.claim(first.pk, State.PARSING, parser=PARSER)
    assert isinstance(held, claiming.Claim)
    assert ingestion.parse_version(second.pk) is Outcome.BUSY
    held.release()
    assert ingestion.parse_version(second.pk) is Outcome.DONE


@pytest.mark.django_db(transaction=True)
def test_many_workers_at_one_version_read_it_once(
    project: Project, pdf: Path, redis: object
) -> None:
    version = added(project, pdf)
    outcomes: list[Outcome] = []

    def work() -> None:
        try:
            outcomes.append(ingestion.parse_version(version.pk))
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes.count(Outcome.DONE) == 1
    assert set(outcomes) <= {Outcome.DONE, Outcome.BUSY, Outcome.NOTHING_TO_DO}
    assert Page.objects.count() == 3
    assert Change.objects.count() == 1


def test_a_cancelled_version_stops_its_worker_and_can_be_tried_again(
    project: Project, pdf: Path
) -> None:
    version = added(project, pdf)
    claim = claiming.claim(version.pk, State.PARSING, parser=PARSER)
    assert isinstance(claim, claiming.Claim)
    claim.beat()
    assert uploads.cancel(version)
    with pytest.raises(LostClaimError):
        claim.beat()
    assert ingestion.parse_version(version.pk) is Outcome.NOTHING_TO_DO
    assert uploads.retry(version)
    assert ingestion.parse_version(version.pk) is Outcome.DONE


def test_cancelling_while_vectors_are_made_takes_it_out_of_search(
    project: Project, pdf: Path
) -> None:
    version = added(project, pdf)
    ingestion.parse_version(version.pk)
    uploads.cancel(version)
    assert not Version.objects.live().exists()
    assert list(Change.objects.values_list("kind", flat=True)) == ["added", "removed"]
    uploads.retry(version)
    ingestion.parse_version(version.pk)
    assert Version.objects.live().exists()


# httpcore forgets to close a Unix socket that nobody listens at.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_without_an_embedder_words_are_searchable_and_the_version_says_what_it_waits_for(
    project: Project, pdf: Path, settings: Settings, tmp_path: Path
) -> None:
    from documents.vectors import embedding

    version = added(project, pdf)
    ingestion.parse_version(version.pk)
    settings.LITO_EMBEDDING_IN_PROCESS = False
    settings.LITO_EMBEDDING_SOCKET = str(tmp_path / "nobody.sock")
    embedding._embedder.cache_clear()
    with pytest.raises(EmbedderUnavailableError):
        ingestion.index_version(version.pk)
    version.refresh_from_db()
    assert (version.state, version.claimed_by) == (State.INDEXING, "")
    assert progress(version).words == version.failure != ""
    assert version in Version.objects.live()
    settings.LITO_EMBEDDING_IN_PROCESS = True
    embedding._embedder.cache_clear()
    assert ingestion.index_version(version.pk) is Outcome.DONE
    version.refresh_from_db()
    assert (version.state, version.failure) == (State.READY, "")


def test_a_file_without_text_is_ready_and_names_its_pages(project: Project, tmp_path: Path) -> None:
    version = ingested(project, make_pdf(tmp_path / "scan.pdf", pages=3, blank=(1, 2, 3)))
    assert version.state == State.READY
    (warning,) = warnings_of(version)
    assert "Pages 1-3 are empty" in warning
    assert reading_of(version).warnings == [{"code": "empty", "pages": [1, 2, 3]}]
    assert not Chunk.objects.exists()


def test_pages_without_text_are_named_and_the_others_are_searchable(
    project: Project, tmp_path: Path
) -> None:
    version = ingested(project, make_pdf(tmp_path / "mixed.pdf", pages=4, blank=(2, 4)))
    (warning,) = warnings_of(version)
    assert "Pages 2, 4 are empty" in warning
    assert Page.objects.count() == 4
    assert Chunk.objects.exists()


def test_a_missing_file_fails_with_a_sentence(project: Project, pdf: Path) -> None:
    version = added(project, pdf)
    file_path(version.sha256).unlink()
    assert ingestion.parse_version(version.pk) is Outcome.FAILED
    version.refresh_from_db()
    assert (version.state, version.failure_code) == (State.FAILED, "file_missing")
    assert "Upload it again" in progress(version).words
    assert not Change.objects.exists()


def test_a_file_that_kills_its_workers_fails_in_the_end(project: Project, pdf: Path) -> None:
    version = added(project, pdf)
    stale = timezone.now() - 2 * claiming.LEASE
    for _attempt in range(claiming.MOST_ATTEMPTS):
        Version.objects.filter(pk=version.pk).update(
            state=State.PARSING, claimed_by=DEAD_WORKER, claimed_at=stale
        )
        assert watching.take_unfinished() == [(version.pk, State.PARSING)]
    assert ingestion.parse_version(version.pk) is Outcome.NOTHING_TO_DO
    version.refresh_from_db()
    assert (version.state, version.failure_code) == (State.FAILED, "worker_died")
    uploads.retry(version)
    assert ingestion.parse_version(version.pk) is Outcome.DONE


@pytest.mark.django_db(transaction=True)
def test_the_worker_itself_goes_on_at_once_after_the_database_broke_off(
    project: Project, pdf: Path
) -> None:
    version = added(project, pdf)
    place = connection.settings_dict
    address = f"host={place['HOST']} user={place['USER']} dbname={place['NAME']}"

    def break_off(_version: Version) -> None:
        with connection.cursor() as cursor:
            cursor.execute("select pg_backend_pid()")
            (backend,) = cursor.fetchone()
        with psycopg.connect(address) as other:
            other.execute("select pg_terminate_backend(%s, 5000)", (backend,))

    with pytest.raises(OperationalError):
        ingestion.parse_version(version.pk, watcher=break_off)
    connection.close()
    assert ingestion.parse_version(version.pk) is Outcome.DONE
    version.refresh_from_db()
    assert (version.state, version.attempts) == (State.INDEXING, 0)


def test_a_queue_that_is_gone_is_no_failure_of_whoever_adds_a_file(tmp_path: Path) -> None:
    nowhere = Celery(broker=f"redis+socket://{tmp_path}/gone.sock")
    send_task(nowhere.task(name="nothing")(watching.take_unfinished), 1)


@pytest.mark.parametrize(
    ("state", "claimed_by", "age", "all_lost", "taken"),
    [
        (State.QUEUED, "", timedelta(0), False, False),
        (State.QUEUED, "", watching.SILENCE * 2, False, True),
        (State.QUEUED, "", watching.SHORT_SILENCE * 1.1, False, True),
        (State.QUEUED, "", watching.SHORT_SILENCE * 0.5, False, False),
        (State.QUEUED, "", timedelta(0), True, True),
        (State.INDEXING, "", watching.SILENCE * 2, False, True),
        (State.PARSING, DEAD_WORKER, timedelta(0), False, False),
        (State.PARSING, DEAD_WORKER, timedelta(0), True, False),
        (State.PARSING, DEAD_WORKER, claiming.LEASE * 2, False, True),
        (State.READY, "", watching.SILENCE * 2, True, False),
        (State.CANCELLED, "", watching.SILENCE * 2, True, False),
    ],
)
def test_only_what_nobody_works_on_is_sent_again(
    state: Version.State,
    claimed_by: str,
    age: timedelta,
    all_lost: bool,
    taken: bool,
    project: Project,
    pdf: Path,
) -> None:
    version = added(project, pdf)
    Version.objects.filter(pk=version.pk).update(
        state=state, claimed_by=claimed_by, claimed_at=timezone.now() - age
    )
    found = watching.take_unfinished(all_lost=all_lost)
    assert found == ([(version.pk, state)] if taken else [])
    assert watching.take_unfinished() == []


def test_a_field_that_a_person_typed_is_never_overwritten(project: Project, pdf: Path) -> None:
    version = added(project, pdf)
    document = version.document
    edit(document, {"title": "My own title"})
    ingestion.parse_version(version.pk)
    document.refresh_from_db()
    assert document.title == "My own title"
