"""The rows of a project's library: each paper with where its newest file stands, in words."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Prefetch
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from documents.catalogue.notices import Notice, notices_of
from documents.chunks.chinese_words import simplified
from documents.chunks.token_folding import LETTERS
from documents.failures import failure_words
from documents.models import Document, DocumentQuerySet, Version
from documents.page_warnings import PageWarning, stored_warnings, warning_words
from documents.progress import Progress, progresses
from documents.refinement import Refinement, refinements, waiting_pages
from documents.uploads import WORKING
from projects.models import Project

NAMED_AUTHORS = 3
ROWS_PER_PAGE = 60
MOST_WORDS = 6


@dataclass(frozen=True, slots=True)
class RowWarning:
    """A sentence on some of the pages, and the first of them, to look at."""

    words: str
    first_page: int
    is_gap: bool


@dataclass(frozen=True, slots=True)
class LibraryRow:
    """One paper, its newest file, how far that is, and what could not be read of it."""

    document: Document
    version: Version
    versions: int
    authors: str
    progress: Progress
    warnings: tuple[RowWarning, ...]
    refinement: Refinement | None = None
    notices: Sequence[Notice] = ()

    @property
    def is_working(self) -> bool:
        return self.version.state in WORKING

    @property
    def is_refined(self) -> bool:
        """Whether the background has something in hand for it."""
        return self.refinement is not None and not self.refinement.failed

    @property
    def may_retry(self) -> bool:
        """Whether reading it, or reading it better, has stopped before its end."""
        has_stopped = self.version.state in (Version.State.FAILED, Version.State.CANCELLED)
        was_given_up = self.refinement is not None and self.refinement.failed
        return has_stopped or was_given_up or bool(self.version.declined_label) or self.has_lost

    @property
    def has_lost(self) -> bool:
        """Whether OCR failed on pages and nobody has asked it to try once more."""
        return bool(waiting_pages(self.version, self.refinement))

    @property
    def failure(self) -> str:
        return failure_words(self.version)

    @property
    def drifted(self) -> str:
        return drift_words(self.version)

    @property
    def has_gaps(self) -> bool:
        return any(warning.is_gap for warning in self.warnings)


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

    @property
    def is_refined(self) -> bool:
        return any(row.is_refined for row in self.rows)


def library_page(project: Project, *, query: str = "", number: int = 1) -> LibraryPage:
    """Live papers, newest first, that `query` finds in title, authors, tags or file name."""
    live = Document.objects.live().with_files().filter(project=project)
    found = matching(live, query).order_by("-created_at", "-pk")
    page = Paginator(found, ROWS_PER_PAGE).get_page(number)
    shown = found[max(page.start_index() - 1, 0) : page.end_index()]
    return LibraryPage(
        rows=library_rows(shown),
        query=query.strip(),
        count=live.count() if query.strip() else page.paginator.count,
        found=page.paginator.count,
        number=page.number,
        previous=page.previous_page_number() if page.has_previous() else None,
        following=page.next_page_number() if page.has_next() else None,
    )


def library_rows(documents: DocumentQuerySet) -> list[LibraryRow]:
    """The rows of these papers, in their order."""
    present = Version.objects.present().select_related("parsed", "project")
    newest = present.order_by("document", "-number")
    shown = list(documents.prefetch_related(Prefetch("versions", newest)))
    # A paper may have been removed between the two queries.
    newest_files = [files[0] for document in shown if (files := document.versions.all())]
    refined = refinements(newest_files)
    reached = progresses(file for file in newest_files if file.state in WORKING)
    noticed = notices_of(shown)
    return [
        _row(document, refined, reached, noticed.get(document.pk, ()))
        for document in shown
        if document.versions.all()
    ]


def _row(
    document: Document,
    refined: Mapping[int, Refinement],
    reached: Mapping[int, Progress],
    notices: Sequence[Notice],
) -> LibraryRow:
    versions = document.versions.all()
    version = versions[0]
    return LibraryRow(
        document=document,
        version=version,
        versions=len(versions),
        authors=author_line(document.authors),
        progress=reached.get(version.pk) or Progress(0, 0, ""),
        warnings=tuple(_shown(warning) for warning in stored_warnings(version.parsed)),
        refinement=refined.get(version.pk),
        notices=notices,
    )


def _shown(warning: PageWarning) -> RowWarning:
    return RowWarning(warning_words(warning), warning.pages[0], warning.is_gap)


def matching(documents: DocumentQuerySet, query: str) -> DocumentQuerySet:
    """Papers with each word of `query`, however it is written: `Muller` finds `Müller`.

    The database has no such comparison, and the names of thousands of papers are read in no time.
    """
    words = [folded(word) for word in query.split()[:MOST_WORDS]]
    if not words:
        return documents
    names: dict[int, str] = {}
    rows = documents.values_list("pk", "title", "authors", "tags", "versions__file_name")
    for pk, title, authors, tags, file_name in rows:
        parts = (names.get(pk, ""), title, *map(str, authors), *tags, file_name)
        names[pk] = "\n".join(parts)
    matching = [pk for pk, text in names.items() if _holds(folded(text), words)]
    return documents.filter(pk__in=matching)


def folded(text: str) -> str:
    """`text` without accents, ligatures, case and width, in simplified characters.

    >>> folded("Łukasz Müller: Eﬃcient ＬＥＭＯＮＳ"), folded("臺灣")
    ('lukasz muller: efficient lemons', '台湾')
    """
    apart = unicodedata.normalize("NFKD", text).casefold().translate(LETTERS)
    plain = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return plain if plain.isascii() else simplified(plain)


def _holds(text: str, words: list[str]) -> bool:
    return all(word in text for word in words)


def drift_words(version: Version) -> str:
    """A word on citations whose text the present reading does not have; usually nothing."""
    count = version.drifted_anchors
    if not count:
        return ""
    return ngettext(
        "The words of %(count)d citation are not in the present reading of this paper.",
        "The words of %(count)d citations are not in the present reading of this paper.",
        count,
    ) % {"count": count}


def author_line(authors: list[Any]) -> str:
    """`Smith, Jones, Li et al.`"""
    names = [str(name) for name in authors if name]
    if len(names) <= NAMED_AUTHORS:
        return _(", ").join(names)
    return _("%(names)s et al.") % {"names": _(", ").join(names[:NAMED_AUTHORS])}
