"""The rows of a project's library: each paper with where its newest file stands, in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Prefetch, Q, TextField
from django.db.models.functions import Cast
from django.utils.translation import gettext as _

from documents.models import Document, DocumentQuerySet, Version
from documents.progress import PageWarning, Progress, progress, warning_words
from documents.uploads import WORKING
from projects.models import Project

NAMED_AUTHORS = 3
ROWS_PER_PAGE = 60
MOST_WORDS = 6


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


@dataclass(frozen=True, slots=True)
class LibraryPage:
    """One page of the list. `count` counts all papers of the library, `found` those looked for."""

    rows: Sequence[LibraryRow]
    query: str
    count: int
    found: int
    number: int
    previous: int | None
    following: int | None

    @property
    def is_working(self) -> bool:
        return any(row.is_working for row in self.rows)


def library_page(project: Project, *, query: str = "", number: int = 1) -> LibraryPage:
    """Live papers of a project, newest first, whose title, authors or file name hold `query`."""
    live = Document.objects.live().filter(project=project, versions__isnull=False).distinct()
    found = _matching(live, query.strip()).order_by("-created_at", "-pk")
    page = Paginator(found, ROWS_PER_PAGE).get_page(number)
    newest = Version.objects.select_related("parsed").order_by("document", "-number")
    shown = found[max(page.start_index() - 1, 0) : page.end_index()]
    documents = shown.prefetch_related(Prefetch("versions", newest))
    return LibraryPage(
        rows=[library_row(document) for document in documents],
        query=query.strip(),
        count=live.count() if query.strip() else page.paginator.count,
        found=page.paginator.count,
        number=page.number,
        previous=page.previous_page_number() if page.has_previous() else None,
        following=page.next_page_number() if page.has_next() else None,
    )


def _matching(documents: DocumentQuerySet, query: str) -> DocumentQuerySet:
    for word in query.split()[:MOST_WORDS]:
        documents = documents.annotate(names=Cast("authors", TextField())).filter(
            Q(title__icontains=word)
            | Q(names__icontains=word)
            | Q(versions__file_name__icontains=word)
        )
    return documents


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
