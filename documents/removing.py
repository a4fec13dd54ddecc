"""Taking a paper out of a project: at once out of search, its citations keep their excerpts."""

from datetime import timedelta
from functools import partial

from django.db import transaction
from django.utils import timezone

from documents import changes, storage
from documents.models import Change, Chunk, Document, Page, ParsedFile, Version
from documents.reading_labels import parsed_label
from documents.rendering import forget_pages
from documents.versions import hold_document, step_down

State = Version.State
KEPT_FOR = timedelta(hours=1)
"""An old reading outlives its swap for so long: runs that began before it may still look there."""


def remove(document: Document) -> None:
    """Mark the paper as removed and tell retrieval and citations. Twice is as good as once.

    What only this paper needed goes with it: pages, chunks and vectors in the same transaction,
    the file and its images after it. The rows of the versions stay, so that citations can say
    what they cited.
    """
    with transaction.atomic():
        for sha256 in sorted(document.versions.values_list("sha256", flat=True)):
            storage.lock(sha256)
        locked = Document.objects.select_for_update().get(pk=document.pk)
        if locked.removed_at is not None:
            return
        versions = list(locked.versions.select_for_update(of=("self",)).select_related("project"))
        locked.removed_at = timezone.now()
        locked.save(update_fields=("removed_at",))
        document.removed_at = locked.removed_at
        _stop_work(versions)
        present = [version for version in versions if version.removed_at is None]
        for version in present:
            version.removed_at = locked.removed_at
            version.save(update_fields=("removed_at",))
        for version in present:
            _forget_file(version.sha256)
        for version in present:
            changes.record(version.project, Change.Kind.REMOVED, version)


def remove_version(version: Version) -> None:
    """Take one file of a paper out of the project; the last one takes the paper with it.

    The newest of the others is current then. Citations of it keep their excerpts.
    """
    with transaction.atomic():
        siblings = Version.objects.filter(document_id=version.document_id)
        for sha256 in sorted(siblings.values_list("sha256", flat=True)):
            storage.lock(sha256)
        hold_document(version.document_id)
        held = Version.objects.select_for_update(of=("self",)).select_related("document", "project")
        locked = held.get(pk=version.pk)
        if locked.gone_since is not None:
            return
        if not locked.document.versions.filter(removed_at=None).exclude(pk=locked.pk).exists():
            remove(locked.document)
            return
        _stop_work([locked])
        locked.removed_at = version.removed_at = timezone.now()
        locked.save(update_fields=("removed_at",))
        _forget_file(locked.sha256)
        step_down(locked)


def _forget_file(sha256: str) -> None:
    """What was read of a file that no live paper needs goes now, the file itself afterwards."""
    if not _is_used(sha256):
        _forget_readings(sha256)
        transaction.on_commit(partial(delete_if_unused, sha256))


def _forget_readings(sha256: str) -> None:
    """Locked first, with pages and chunks: whoever adds something to one of them at this moment has
    added it before, or can't any more. Else what came in between would break the removal."""
    readings = ParsedFile.objects.filter(sha256=sha256)
    parts = (part.objects.filter(parsed__sha256=sha256) for part in (Page, Chunk))
    for rows in (readings, *parts):
        list(rows.select_for_update(of=("self",)).order_by("pk").values_list("pk"))
    readings.delete()


def delete_if_unused(sha256: str) -> bool:
    """Delete the stored file, what was read of it and its images, unless a paper needs them.

    Returns whether they were deleted.
    """
    with transaction.atomic():
        storage.lock(sha256)
        if _is_used(sha256):
            return False
        _forget_readings(sha256)
        storage.delete(sha256)
        forget_pages(sha256)
        return True


def sweep_unused_readings() -> int:
    """Delete readings that no version has had for `KEPT_FOR`; return how many went.

    Of one that was given up the row stays while its file does: it says not to try again.
    """
    unused = ParsedFile.objects.filter(versions=None, used_at__lt=timezone.now() - KEPT_FOR)
    swept = 0
    for reading in unused.order_by("pk"):
        if _is_a_wish(reading):
            continue
        with transaction.atomic():
            storage.lock(reading.sha256)
            held = ParsedFile.objects.select_for_update().filter(pk=reading.pk).first()
            # Locked first, then looked at: no version can take it any more.
            if held is None or not unused.filter(pk=reading.pk).exists():
                continue
            if reading.failure_code and _is_used(reading.sha256):
                swept += bool(reading.pages.all().delete()[0])
            else:
                swept += bool(reading.delete()[0])
    return swept


def _is_a_wish(reading: ParsedFile) -> bool:
    """Whether it says that somebody asked OCR to try once more, and is not made yet."""
    is_made = reading.complete or bool(reading.failure_code)
    return bool(parsed_label(reading.parser).again) and not is_made


def sweep_unused_files() -> int:
    """Delete the files of projects that were deleted whole; return how many those were."""
    used = Version.objects.present().values_list("sha256", flat=True)
    unused = storage.stored_hashes() - set(used)
    return sum(delete_if_unused(sha256) for sha256 in unused)


def _stop_work(versions: list[Version]) -> None:
    """Workers notice at their next heartbeat that the version is no longer theirs."""
    working = (State.QUEUED, State.PARSING, State.INDEXING)
    own = Version.objects.filter(pk__in=[version.pk for version in versions], state__in=working)
    own.update(state=State.CANCELLED, claimed_by="")


def _is_used(sha256: str) -> bool:
    return Version.objects.present().filter(sha256=sha256).exists()
