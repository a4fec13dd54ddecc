"""A project made of files for a measurement, gone when the block ends."""

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from django.db import transaction

from documents import ingestion, storage
from documents.failures import failure_words
from documents.inspecting import RefusedFileError
from documents.models import Version
from documents.uploads import add_file
from projects.models import Membership, Project, User
from retrieval import keyword_index

Say = Callable[[str], None]

State = Version.State


@dataclass(frozen=True, slots=True)
class MeasuredLibrary:
    """The project, who asks in it, and the file name of each version by its public id."""

    project: Project
    user: User
    file_names: dict[str, str]


@contextmanager
def library_of_files(paths: Sequence[Path], say: Say) -> Iterator[MeasuredLibrary]:
    """The files, parsed and indexed by the recipes of the workers, in a project of their own.

    What was read out of a file stays in the database, so that the next time is quick. A file that
    is refused is said and left out.
    """
    name = f"measurement-{secrets.token_hex(4)}"
    user = User.objects.create_user(name, is_active=False)
    project = Project.objects.create(slug=name, name=name, created_by=user)
    Membership.objects.create(project=project, user=user, role=Membership.Role.VIEWER)
    try:
        file_names = {}
        for place, path in enumerate(paths, 1):
            label = f"[{place}/{len(paths)}] {path.name}"
            if version := _ingested(project, path, label, say):
                file_names[version.public_id] = path.name
        yield MeasuredLibrary(project, user, file_names)
    finally:
        keyword_index.forget(project.public_id)
        hashes = set(project.versions.values_list("sha256", flat=True))
        project.delete()
        user.delete()
        for sha256 in hashes:
            _drop_unless_needed(sha256)


def _ingested(project: Project, path: Path, label: str, say: Say) -> Version | None:
    try:
        version = add_file(
            project, path_or_upload=path, file_name=path.name, user=None, enqueue=False
        ).version
    except RefusedFileError as error:
        say(f"{label}: {error.message}")
        return None
    ingestion.parse_version(version.pk)
    ingestion.index_version(version.pk)
    version.refresh_from_db()
    failure = failure_words(version)
    say(f"{label}: {version.state}{f', {failure}' if failure else ''}")
    return version if version.state == State.READY else None


def _drop_unless_needed(sha256: str) -> None:
    with transaction.atomic():
        storage.lock(sha256)
        if not Version.objects.filter(sha256=sha256).exists():
            storage.delete(sha256)
