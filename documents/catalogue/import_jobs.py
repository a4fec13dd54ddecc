"""An import as work for the background: begun in a request, brought in by a worker, stopped or not.

What is brought in is stored a few entries at a time, together with the heartbeat of whoever does
it: a worker may die anywhere, and the next one goes on behind the last stored entry.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.core.files.base import File
from django.db import transaction
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from documents.catalogue import import_staging
from documents.catalogue.import_files import UnreadableLibraryError, read_dropped
from documents.catalogue.importing import bring_in
from documents.claiming import (
    MOST_ATTEMPTS,
    LostClaimError,
    Unclaimed,
    drop,
    is_gone,
    new_worker,
    was_dropped,
)
from documents.ingestion import Outcome, is_database_gone
from documents.record_models import LibraryImport
from projects.models import Project, User

State = LibraryImport.State


def begin(project: Project, files: Sequence[File[Any]], *, user: User) -> LibraryImport:
    """Look into the files, keep them, and return the import, which a worker has to be told of.

    Raises `UnreadableLibraryError`, and then nothing is stored.
    """
    dropped = read_dropped(files)
    report = LibraryImport(
        project=project,
        file_name=dropped.name,
        created_by=user,
        state=State.WAITING,
        total=len(dropped.entries),
        language=translation.get_language() or "",
        claimed_at=timezone.now(),
    )
    import_staging.stage(report.public_id, files)
    try:
        report.save()
    except BaseException:
        import_staging.drop(report.public_id)
        raise
    return report


def run(import_id: int) -> Outcome:
    """Bring in what is left of an import. Safe to run twice, and at the same time."""
    hold = _claim(import_id)
    if isinstance(hold, Unclaimed):
        return Outcome[hold.name]
    with translation.override(hold.report.language or None):
        outcome = _bring_in(hold)
    import_staging.drop(hold.report.public_id)
    return outcome


def cancel(report: LibraryImport) -> bool:
    """Stop an import; return whether there was anything to stop. What was brought in stays.

    The worker notices before it stores the next entries.
    """
    working = LibraryImport.objects.filter(pk=report.pk, state__in=State.unfinished())
    if not working.update(state=State.CANCELLED, claimed_by=""):
        return False
    report.refresh_from_db()
    import_staging.drop(report.public_id)
    return True


def take_unfinished(*, all_lost: bool = False) -> list[int]:
    """The imports that nobody works on though somebody should; notes that they are sent again.

    `all_lost`: the queue may be gone, so do not wait for silence where nobody has begun.
    """
    with transaction.atomic():
        unfinished = LibraryImport.objects.select_for_update(skip_locked=True).filter(
            state__in=State.unfinished()
        )
        lost = [
            report
            for report in unfinished.order_by("pk")
            if (all_lost and not report.claimed_by) or is_gone(report.claimed_by, report.claimed_at)
        ]
        for report in lost:
            report.attempts += bool(report.claimed_by)
            report.claimed_by, report.claimed_at = "", timezone.now()
            report.save(update_fields=("attempts", "claimed_by", "claimed_at"))
    return [report.pk for report in lost]


def sweep() -> int:
    """Delete files of imports that are over or gone."""
    unfinished = LibraryImport.objects.filter(state__in=State.unfinished())
    return import_staging.sweep(wanted=set(unfinished.values_list("public_id", flat=True)))


@dataclass(frozen=True, slots=True)
class ImportHold:
    """The right to bring an import in until it is released or lost."""

    report: LibraryImport
    worker: str

    def beat(self, **fields: object) -> None:
        """Say that the work goes on, and store `fields` with it. Raises `LostClaimError`."""
        mine = LibraryImport.objects.filter(
            pk=self.report.pk, claimed_by=self.worker, state=State.WORKING
        )
        if not mine.update(claimed_at=timezone.now(), **fields):
            raise LostClaimError
        for name, value in fields.items():
            setattr(self.report, name, value)

    def check(self) -> None:
        """Before each piece of work. Raises `LostClaimError` also if whoever began it may no longer
        add papers here."""
        self.beat()
        user, project = self.report.created_by, self.report.project_id
        if user is None or not Project.objects.editable_by(user).filter(pk=project).exists():
            self.fail(_("Whoever began this import may no longer add papers to this project."))
            raise LostClaimError

    def finish(self, outcomes: list[dict[str, Any]]) -> None:
        self.beat(outcomes=outcomes, done=self.report.total, state=State.DONE, claimed_by="")

    def fail(self, sentence: str) -> None:
        self.beat(state=State.FAILED, failure=sentence, claimed_by="")


def _bring_in(hold: ImportHold) -> Outcome:
    try:
        with import_staging.staged(hold.report.public_id) as files:
            bring_in(hold, read_dropped(files))
    except LostClaimError:
        return Outcome.LOST
    except (UnreadableLibraryError, FileNotFoundError):
        return _fail(hold, _("The files of this import are gone. Choose them again."))
    except Exception as error:
        if is_database_gone(error):
            drop(hold.worker)
        else:
            _fail(hold, _("Something went wrong in the middle. Import the same files again."))
        raise
    return Outcome.DONE


def _fail(hold: ImportHold, sentence: str) -> Outcome:
    try:
        hold.fail(sentence)
    except LostClaimError:
        return Outcome.LOST
    return Outcome.FAILED


def _claim(import_id: int) -> ImportHold | Unclaimed:
    with new_worker() as worker:
        report = (
            LibraryImport.objects.select_for_update(of=("self",))
            .select_related("project", "created_by")
            .filter(pk=import_id, state__in=State.unfinished())
            .first()
        )
        if report is None:
            return Unclaimed.NOTHING_TO_DO
        if report.claimed_by and not is_gone(report.claimed_by, report.claimed_at):
            return Unclaimed.BUSY
        report.attempts += bool(report.claimed_by) and not was_dropped(report.claimed_by)
        report.state, report.claimed_by, report.claimed_at = State.WORKING, worker, timezone.now()
        report.save(update_fields=("attempts", "state", "claimed_by", "claimed_at"))
        hold = ImportHold(report, worker)
        if report.attempts >= MOST_ATTEMPTS:
            hold.fail(_("This import brought the worker down several times, and was given up."))
            transaction.on_commit(partial(import_staging.drop, report.public_id))
            return Unclaimed.NOTHING_TO_DO
    return hold
