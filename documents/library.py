"""The rows of a project's library: each paper with where its newest file stands, in words."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Prefetch
from django.utils.translation import gettext as _

from documents.models import Document, Version
from documents.progress import PageWarning, Progress, progress, warning_words
from documents.uploads import WORKING
from projects.models import Project

NAMED_AUTHORS = 3


@dataclass(frozen=True, slots=True)
class LibraryRow:
    """One paper, its newest file, how far that is, and what could not be read of it."""

    document: Document
    version: Version
    authors: str
    progress: Progress
    warnings: tuple[str, ...]

    @property
    def is_working(self) -> bool:
        return self.version.state in WORKING


def library_rows(project: Project) -> list[LibraryRow]:
    """Live papers of a project, newest first."""
    newest = Version.objects.select_related("parsed").order_by("document", "-number")
    documents = (
        Document.objects.live()
        .filter(project=project)
        .prefetch_related(Prefetch("versions", newest))
        .order_by("-created_at", "-pk")
    )
    return [library_row(document) for document in documents if document.versions.all()]


def library_row(document: Document) -> LibraryRow:
    version = document.versions.all()[0]
    at = progress(version) if version.state in WORKING else Progress(version.state, 0, 0, "")
    return LibraryRow(document, version, author_line(document.authors), at, _warnings(version))


def author_line(authors: list[Any]) -> str:
    """`Smith, Jones, Li et al.`"""
    names = [str(name) for name in authors if name]
    if len(names) <= NAMED_AUTHORS:
        return _(", ").join(names)
    return _("%(names)s et al.") % {"names": _(", ").join(names[:NAMED_AUTHORS])}


def _warnings(version: Version) -> tuple[str, ...]:
    """What could not be read, by page, in words; from the stored list, so without a query."""
    if version.parsed is None or not version.parsed.complete:
        return ()
    known = [warning for warning in version.parsed.warnings if isinstance(warning, dict)]
    return tuple(
        warning_words(PageWarning(warning["code"], tuple(warning["pages"]))) for warning in known
    )
