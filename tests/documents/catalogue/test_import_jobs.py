"""Imports as work in the background: seen, stopped, killed, and done twice."""

import os
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from documents.catalogue import import_jobs, import_staging, importing
from documents.catalogue.import_files import read_dropped
from documents.catalogue.import_jobs import begin, cancel, run, take_unfinished
from documents.catalogue.references import LENGTHS, Person, Reference, fitted
from documents.claiming import LEASE, MOST_ATTEMPTS
from documents.import_tasks import run_import
from documents.ingestion import Outcome
from documents.models import Document
from documents.record_models import LibraryImport
from lito.celery import app
from projects.models import Membership, Project, User

State = LibraryImport.State
DEAD_WORKER = "another-host:1:00000000"
ENTRIES = 3 * importing.ENTRIES_AT_ONCE
pytestmark = pytest.mark.django_db


@pytest.fixture
def report(project: Project, user: User) -> LibraryImport:
    """An import of many entries that has just begun."""
    return begin(project, [library()], user=user)


def library(*, pdf: str = "") -> SimpleUploadedFile:
    file = f", file={{:{pdf}:PDF}}" if pdf else ""
    entries = [
        f"@article{{k{n}, title={{Number {n} of the many}}, year=2020{file if not n else ''}}}"
        for n in range(ENTRIES)
    ]
    return SimpleUploadedFile("lib.bib", "\n".join(entries).encode())


class DyingHold:
    """The hold of a worker that dies when it has stored a few entries."""

    def __init__(self, hold: import_jobs.ImportHold, *, checks: int) -> None:
        self._hold = hold
        self._left = checks

    @property
    def report(self) -> LibraryImport:
        return self._hold.report

    def check(self) -> None:
        self._left -= 1
        if self._left < 0:
            raise KeyboardInterrupt
        self._hold.check()

    def beat(self, **fields: object) -> None:
        self._hold.beat(**fields)

    def finish(self, outcomes: list[dict[str, Any]]) -> None:
        self._hold.finish(outcomes)


def dies_in(report: LibraryImport, *, checks: int) -> None:
    hold = import_jobs._claim(report.pk)
    assert isinstance(hold, import_jobs.ImportHold)
    with import_staging.staged(report.public_id) as files, pytest.raises(KeyboardInterrupt):
        importing.bring_in(DyingHold(hold, checks=checks), read_dropped(files))


def buried(report: LibraryImport) -> None:
    LibraryImport.objects.filter(pk=report.pk).update(
        claimed_by=DEAD_WORKER, claimed_at=timezone.now() - 2 * LEASE
    )


def test_a_killed_workers_successor_goes_on_behind_the_last_stored_entry(
    project: Project, user: User, pdf: Path
) -> None:
    files = [library(pdf="a.pdf"), SimpleUploadedFile("a.pdf", pdf.read_bytes())]
    report = begin(project, files, user=user)
    dies_in(report, checks=importing.ENTRIES_AT_ONCE + 3)
    report.refresh_from_db()
    assert (report.state, report.done) == (State.WORKING, importing.ENTRIES_AT_ONCE)
    assert run(report.pk) is Outcome.BUSY
    buried(report)
    assert take_unfinished() == [report.pk]
    assert run(report.pk) is Outcome.DONE
    report.refresh_from_db()
    assert (report.state, report.done, report.claimed_by) == (State.DONE, ENTRIES, "")
    assert [one["title"] for one in report.outcomes] == [
        f"Number {n} of the many" for n in range(ENTRIES)
    ]
    assert Document.objects.filter(project=project).count() == 1
    assert run(report.pk) is Outcome.NOTHING_TO_DO


def test_a_paper_that_a_dead_worker_added_is_said_to_be_added(
    project: Project, user: User, pdf: Path
) -> None:
    files = [library(pdf="a.pdf"), SimpleUploadedFile("a.pdf", pdf.read_bytes())]
    report = begin(project, files, user=user)
    dies_in(report, checks=2)
    assert Document.objects.filter(project=project).count() == 1
    report.refresh_from_db()
    assert report.outcomes == []
    buried(report)
    run(report.pk)
    report.refresh_from_db()
    assert report.outcomes[0]["status"] == "created"
    assert Document.objects.get(project=project).title == "Number 0 of the many"


def test_an_import_can_be_cancelled_in_the_middle_and_keeps_what_it_has(
    report: LibraryImport, client: Client, user: User
) -> None:
    dies_in(report, checks=importing.ENTRIES_AT_ONCE + 3)
    client.force_login(user)
    where = (report.project.slug, report.public_id)
    progress = client.get(reverse("import_progress", args=where))
    assert f"{importing.ENTRIES_AT_ONCE} of {ENTRIES}" in progress.content.decode()
    assert "HX-Refresh" not in progress
    assert client.post(reverse("cancel_import", args=where)).status_code == 302
    report.refresh_from_db()
    assert (report.state, len(report.outcomes)) == (State.CANCELLED, importing.ENTRIES_AT_ONCE)
    assert client.get(reverse("import_progress", args=where))["HX-Refresh"] == "true"
    page = client.get(reverse("import_report", args=where)).content.decode()
    assert f"Cancelled after {importing.ENTRIES_AT_ONCE} of {ENTRIES} entries" in page
    assert run(report.pk) is Outcome.NOTHING_TO_DO
    assert not cancel(report)


def test_the_files_go_when_the_import_is_over(report: LibraryImport, own_files: Path) -> None:
    kept = own_files / "imports" / report.public_id
    assert kept.is_dir()
    run(report.pk)
    assert not kept.exists()


@pytest.mark.parametrize("state", [State.DONE, State.WAITING])
def test_old_files_of_imports_that_are_over_are_swept(
    report: LibraryImport, own_files: Path, state: str
) -> None:
    LibraryImport.objects.update(state=state)
    kept = own_files / "imports" / report.public_id
    import_jobs.sweep()
    assert kept.is_dir(), "it is not old"
    long_ago = timezone.now() - timedelta(days=30)
    os.utime(kept, (long_ago.timestamp(),) * 2)
    import_jobs.sweep()
    assert kept.is_dir() == (state == State.WAITING)


def test_files_that_are_gone_fail_the_import_with_a_sentence(report: LibraryImport) -> None:
    import_staging.drop(report.public_id)
    assert run(report.pk) is Outcome.FAILED
    report.refresh_from_db()
    assert report.state == State.FAILED
    assert "Choose them again" in report.failure


def test_whoever_may_no_longer_edit_brings_nothing_in(report: LibraryImport, user: User) -> None:
    Membership.objects.filter(user=user).update(role=Membership.Role.VIEWER)
    assert run(report.pk) is Outcome.LOST
    report.refresh_from_db()
    assert (report.state, report.outcomes) == (State.FAILED, [])


def test_an_import_over_which_workers_die_is_given_up(report: LibraryImport) -> None:
    for _attempt in range(MOST_ATTEMPTS + 1):
        import_jobs._claim(report.pk)
        buried(report)
    report.refresh_from_db()
    assert report.state == State.FAILED
    assert take_unfinished() == []


def test_a_task_that_was_lost_is_sent_again(report: LibraryImport) -> None:
    assert take_unfinished() == []
    assert take_unfinished(all_lost=True) == [report.pk]
    LibraryImport.objects.update(claimed_at=timezone.now() - 2 * LEASE)
    assert take_unfinished() == [report.pk]


def test_reasons_are_in_the_language_of_whoever_began(project: Project, user: User) -> None:
    with translation.override("zh-hans"):
        report = begin(project, [library()], user=user)
    run(report.pk)
    report.refresh_from_db()
    with translation.override("zh-hans"):
        assert report.outcomes[0]["reason"] == translation.gettext(
            "No paper here is this one, and the entry names no PDF."
        )
    assert report.outcomes[0]["reason"] != "No paper here is this one, and the entry names no PDF."


def test_the_task_waits_in_a_queue_that_a_worker_has() -> None:
    routes = app.conf.task_routes[run_import.name]
    assert routes["queue"] == "parse"


def test_every_field_of_an_entry_is_cut_to_its_length() -> None:
    endless: dict[str, Any] = dict.fromkeys(LENGTHS, "9" * 20000)
    entry = Reference(**endless, people=(Person("x" * 900, "y" * 900),) * 4000)
    kept, cut = fitted(entry)
    assert set(cut) == {*LENGTHS, "authors"}
    assert all(len(getattr(kept, name)) <= most for name, most in LENGTHS.items())
    assert kept.doi == kept.arxiv_id == "", "half an identifier names another work"
    assert len(kept.people) == 3000
    assert max(len(person.shown) for person in kept.people) <= 200
    plain = Reference("A title", (Person("Berg", "Ada"),), 2020, volume="4", pages="1-9")
    assert fitted(plain) == (plain, ())
