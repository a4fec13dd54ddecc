"""`manage.py ingest PATH... --project SLUG [--create] [--json]`."""

import json
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.core.validators import validate_slug
from django.utils.translation import gettext as _

from documents import ingestion
from documents.claiming import Watcher
from documents.failures import failure_words
from documents.ingestion import Outcome
from documents.inspecting import RefusedFileError
from documents.models import Version
from documents.progress import progress, warnings_of
from documents.uploads import add_file
from documents.vectors.embedding import EmbedderUnavailableError, active_space
from projects.models import Membership, Project, User

BUSY_SECONDS = 0.5

State = Version.State


@dataclass(frozen=True, slots=True)
class Ingested:
    """What became of one file: the line of the command's output."""

    file: str
    document: str
    file_id: str
    sha256: str
    status: str
    pages: int
    chunks: int
    seconds: float
    warnings: list[str]


class Command(BaseCommand):
    help = "Parse and index PDF files, one line of output for each."
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="PDFs or folders.")
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument("--create", action="store_true", help="Make the project if need be.")
        parser.add_argument("--json", action="store_true", help="One object per file and line.")

    def handle(self, *, paths: list[Path], project: str, **options: Any) -> None:
        found = _project(project, create=options["create"])
        files = list(_pdf_files(paths))
        if not files:
            raise CommandError(_("No PDF files there."))
        _load_embedder_if_no_service()
        refused = False
        for number, path in enumerate(files, 1):
            try:
                line = self._ingest(found, path, f"[{number}/{len(files)}] {path.name}")
            except RefusedFileError as error:
                refused = True
                self._say_refused(path, error, as_json=options["json"])
            else:
                self._say(line, as_json=options["json"])
        if refused:
            sys.exit(2)

    def _ingest(self, project: Project, path: Path, label: str) -> Ingested:
        started = time.monotonic()
        self._show(label)
        version = add_file(
            project, path_or_upload=path, file_name=path.name, user=None, enqueue=False
        ).version
        try:
            _bring_to_its_end(version, lambda now: self._show(f"{label}: {progress(now).words}"))
        except EmbedderUnavailableError as error:
            raise CommandError(str(error)) from error
        finally:
            self._show("")
        return _ingested(version, path, time.monotonic() - started)

    def _show(self, words: str) -> None:
        """A line of progress that the next one writes over, for a person at a terminal."""
        if sys.stderr.isatty():
            self.stderr.write(f"\r\x1b[K{words}", ending="")

    def _say(self, line: Ingested, *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(json.dumps(asdict(line), ensure_ascii=False))
        else:
            seconds = f"{line.seconds:.1f} s"
            parts = (
                line.file,
                line.status,
                f"{line.pages} pages",
                f"{line.chunks} chunks",
                seconds,
            )
            self.stdout.write("  ".join((*parts, *line.warnings)))
        self.stdout.flush()

    def _say_refused(self, path: Path, error: RefusedFileError, *, as_json: bool) -> None:
        self._show("")
        if as_json:
            refusal = {"file": str(path), "error": {"code": error.code, "message": error.message}}
            self.stdout.write(json.dumps(refusal, ensure_ascii=False))
        else:
            self.stdout.write(f"{path}  {error.code}  {error.message}")
        self.stdout.flush()


def _project(slug: str, *, create: bool) -> Project:
    project = Project.objects.filter(slug=slug).first()
    if project is not None:
        return project
    if not create:
        raise CommandError(
            _("There is no project “%(slug)s”. Add --create to make it.") % {"slug": slug}
        )
    validate_slug(slug)
    owner = User.objects.filter(is_superuser=True).order_by("pk").first()
    project = Project.objects.create(slug=slug, name=slug, created_by=owner)
    if owner is not None:
        Membership.objects.create(project=project, user=owner, role=Membership.Role.OWNER)
    return project


def _pdf_files(paths: Sequence[Path]) -> Iterator[Path]:
    """The given files as they are, and the PDFs inside the given folders, in order of name."""
    for path in paths:
        if path.is_dir():
            inside = (each for each in path.rglob("*") if each.suffix.lower() == ".pdf")
            yield from sorted(each for each in inside if each.is_file())
        elif path.is_file():
            yield path
        else:
            raise CommandError(_("There is no file or folder %(path)s.") % {"path": path})


def _load_embedder_if_no_service() -> None:
    """Where no embedding service runs, this process loads the model itself."""
    try:
        active_space()
    except EmbedderUnavailableError:
        settings.LITO_EMBEDDING_IN_PROCESS = True
        try:
            active_space()
        except EmbedderUnavailableError as error:
            raise CommandError(str(error)) from error


def _bring_to_its_end(version: Version, watcher: Watcher) -> None:
    """Run what is left to do. Where a worker is at this file already, wait for it."""
    recipes = {
        State.QUEUED: ingestion.parse_version,
        State.PARSING: ingestion.parse_version,
        State.INDEXING: ingestion.index_version,
    }
    while recipe := recipes.get(State(version.state)):
        if recipe(version.pk, watcher=watcher) is Outcome.BUSY:
            watcher(version)
            time.sleep(BUSY_SECONDS)
        version.refresh_from_db()


def _ingested(version: Version, path: Path, seconds: float) -> Ingested:
    return Ingested(
        file=str(path),
        document=version.document.public_id,
        file_id=version.public_id,
        sha256=version.sha256,
        status=version.state,
        pages=version.page_count,
        chunks=version.parsed.chunks.count() if version.parsed else 0,
        seconds=round(seconds, 3),
        warnings=[
            *([failure_words(version)] if version.failure_code else []),
            *warnings_of(version),
        ],
    )
