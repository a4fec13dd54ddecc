"""What a person does with a file: add it, have it tried again, stop it."""

import re
from dataclasses import dataclass
from pathlib import PurePosixPath

from django.db import IntegrityError, transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.translation import gettext as _

from documents import storage
from documents.inspecting import Inspection, RefusedFileError, inspect_pdf
from documents.models import Document, Version
from documents.readings import ask_again, decline
from documents.storage import StoredFile, Upload
from documents.tasks import enqueue_parsing
from documents.versions import hold_document, step_down
from projects.models import Project, User

NAME_LENGTH = 255
_UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")

State = Version.State
STOPPED = (State.FAILED, State.CANCELLED)
WORKING = (State.QUEUED, State.PARSING, State.INDEXING)


@dataclass(frozen=True, slots=True)
class Added:
    """The version that holds the bytes, and whether it was not in the project before."""

    version: Version
    created: bool


def add_file(
    project: Project,
    *,
    path_or_upload: Upload,
    file_name: str,
    user: User | None,
    enqueue: bool = True,
) -> Added:
    """Put a file into the project and, unless `enqueue` is off, have it read after the commit.

    The same bytes are the same version; if it had failed or was cancelled, it is tried again; if
    its document had been removed, that comes back. Raises `RefusedFileError`, and then nothing
    is stored.
    """
    with storage.receive(path_or_upload) as incoming:
        inspection = inspect_pdf(incoming.path)
        with transaction.atomic():
            storage.lock(incoming.sha256)
            added = _add(project, incoming, inspection, safe_name(file_name), user)
            storage.keep(incoming)
            if enqueue and added.version.state == State.QUEUED:
                _stamp(added.version)
                enqueue_parsing(added.version.pk)
    return added


def add_version(
    document: Document,
    *,
    path_or_upload: Upload,
    file_name: str,
    user: User | None,
    enqueue: bool = True,
) -> Added:
    """Put a new file of a paper into its project; it takes over once it can be searched.

    Until then, and in every citation made until then, the earlier version stays. The same bytes are
    the same version. Raises `RefusedFileError`, also if the file is another paper's here, and then
    nothing is stored.
    """
    with storage.receive(path_or_upload) as incoming:
        inspection = inspect_pdf(incoming.path)
        with transaction.atomic():
            storage.lock(incoming.sha256)
            hold_document(document.pk)
            added = _add_version(document, incoming, inspection, safe_name(file_name), user)
            storage.keep(incoming)
            if enqueue and added.version.state == State.QUEUED:
                _stamp(added.version)
                enqueue_parsing(added.version.pk)
    return added


def retry(version: Version) -> bool:
    """Have a failed or cancelled version tried again, or the better reading that was given up or
    cancelled; return whether there was any."""
    with transaction.atomic():
        restarted = _restart(version, allowed=STOPPED)
        if restarted:
            enqueue_parsing(version.pk)
    return restarted or ask_again(version)


def cancel(version: Version) -> bool:
    """Stop the work on a version; return whether there was any. What is stored is kept for a retry.

    The worker notices at its next heartbeat. Of a version that is ready the making of a better
    reading is stopped: it keeps the one it has.
    """
    with transaction.atomic():
        hold_document(version.document_id)
        found = Version.objects.select_for_update().filter(pk=version.pk, state__in=WORKING).first()
        if found is None:
            return decline(version)
        searchable = found.state == State.INDEXING
        version.state = found.state = State.CANCELLED
        found.claimed_by = ""
        found.save(update_fields=("state", "claimed_by"))
        if searchable:
            step_down(version)
    return True


def safe_name(file_name: str) -> str:
    """The last part of a name, printable, at most `NAME_LENGTH` code points, its ending kept.

    >>> safe_name("C:\\\\papers\\\\a\\x00b.pdf"), safe_name("../")
    ('ab.pdf', 'document.pdf')
    """
    name = _UNPRINTABLE.sub("", file_name.replace("\\", "/")).rstrip("/")
    name = PurePosixPath(name).name.strip()
    if not name.strip("."):
        return "document.pdf"
    if len(name) <= NAME_LENGTH:
        return name
    ending = PurePosixPath(name).suffix[:10]
    return name[: NAME_LENGTH - len(ending)] + ending


def _add(
    project: Project, file: StoredFile, inspection: Inspection, name: str, user: User | None
) -> Added:
    """The project's version of these bytes, new, found, or come back."""
    try:
        with transaction.atomic():
            return Added(_new_version(project, file, inspection, name, user), created=True)
    except IntegrityError:
        same = Version.objects.select_related("document", "project")
        version = same.get(project=project, sha256=file.sha256)
    if version.gone_since is not None:
        _bring_back(version)
        return Added(version, created=True)
    _restart(version, allowed=STOPPED)
    return Added(version, created=False)


def _bring_back(version: Version) -> None:
    """A file that had been removed is in its paper again; other versions that went stay away."""
    Document.objects.filter(pk=version.document_id).update(removed_at=None)
    version.document.removed_at = version.removed_at = version.superseded_at = None
    version.save(update_fields=("removed_at", "superseded_at"))
    _restart(version, allowed=tuple(State))


def _add_version(
    document: Document, file: StoredFile, inspection: Inspection, name: str, user: User | None
) -> Added:
    same = Version.objects.select_related("document", "project")
    version = same.filter(project=document.project, sha256=file.sha256).first()
    last = document.versions.aggregate(last=Max("number"))["last"] or 0
    if version is None:
        return Added(
            _stored_version(document, file, inspection, name, user, number=last + 1), created=True
        )
    if version.gone_since is not None:
        if version.document_id != document.pk:  # its own paper has gone, or gave it up
            version.document, version.number = document, last + 1
            version.save(update_fields=("document", "number"))
        _bring_back(version)
        return Added(version, created=True)
    if version.document_id != document.pk:
        raise RefusedFileError(
            "another_paper",
            _("This file is already in the project, as “%(title)s”. Remove it there first.")
            % {"title": version.document.title or version.file_name},
        )
    _restart(version, allowed=STOPPED)
    return Added(version, created=False)


def _new_version(
    project: Project, file: StoredFile, inspection: Inspection, name: str, user: User | None
) -> Version:
    document = Document.objects.create(
        project=project,
        title=PurePosixPath(name).stem,
        provenance={"title": "file_name"},
        created_by=user,
    )
    return _stored_version(document, file, inspection, name, user, number=1)


def _stored_version(
    document: Document,
    file: StoredFile,
    inspection: Inspection,
    name: str,
    user: User | None,
    *,
    number: int,
) -> Version:
    return Version.objects.create(
        document=document,
        project=document.project,
        number=number,
        sha256=file.sha256,
        file_name=name,
        size=file.size,
        page_count=inspection.page_count,
        uploaded_by=user,
    )


def _restart(version: Version, *, allowed: tuple[Version.State, ...]) -> bool:
    fresh = {
        "state": State.QUEUED,
        "failure_code": "",
        "failure": "",
        "claimed_by": "",
        "claimed_at": timezone.now(),
        "attempts": 0,
        "embedded_chunks": 0,
        "ready_at": None,
    }
    restarted = Version.objects.filter(pk=version.pk, state__in=allowed).update(**fresh)
    if restarted:
        for name, value in fresh.items():
            setattr(version, name, value)
    return bool(restarted)


def _stamp(version: Version) -> None:
    """Note when the task was sent: the watch takes long silence for a lost task."""
    version.claimed_at = timezone.now()
    version.save(update_fields=("claimed_at",))
