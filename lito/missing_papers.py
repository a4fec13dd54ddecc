"""Why a paper is not among what a library search shows, in words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from django.urls import reverse
from django.utils.translation import gettext as _

from documents.library import author_line, folded
from documents.models import Version
from lito.library_query import KINDS, LibraryQuery
from projects.models import Project
from retrieval.library_search import SearchFate, fates_in_search
from retrieval.scope import project_scope

ROWS_PER_PAGE = 25


class Unsearched(StrEnum):
    """Why a paper was not searched at all."""

    FILTERED = "filtered"
    UNREAD = "unread"
    UNREADABLE = "unreadable"


Why = SearchFate | Unsearched
ORDER: Sequence[Why] = (*SearchFate, *Unsearched)


@dataclass(frozen=True, slots=True)
class MissingPaper:
    """A paper without a passage in the results, and why."""

    title: str
    authors: str
    year: int | None
    why: str
    read_url: str
    search_url: str


@dataclass(frozen=True, slots=True)
class MissingPapers:
    """One page of them: those that came nearest first. `total` counts them without the `name`."""

    rows: Sequence[MissingPaper]
    total: int
    name: str
    previous: int | None
    following: int | None


def missing_papers(
    query: LibraryQuery, project: Project, *, name: str = "", number: int = 1
) -> MissingPapers:
    """The papers that the search for `query` does not show, whose names hold `name`."""
    fates = _fates(query, project)
    missing = [row for row in _papers(project, fates) if row.why != SearchFate.FOUND]
    words = folded(name).split()
    wanted = [row for row in missing if all(word in row.names for word in words)]
    last = max(1, -(-len(wanted) // ROWS_PER_PAGE))
    number = min(max(number, 1), last)
    shown = wanted[(number - 1) * ROWS_PER_PAGE : number * ROWS_PER_PAGE]
    return MissingPapers(
        rows=[_shown(row, query, project) for row in shown],
        total=len(missing),
        name=name,
        previous=number - 1 if number > 1 else None,
        following=number + 1 if number < last else None,
    )


@dataclass(frozen=True, slots=True)
class _Row:
    file_id: str
    document: str
    title: str
    authors: Sequence[str]
    year: int | None
    names: str
    why: Why


def _fates(query: LibraryQuery, project: Project) -> Mapping[str, SearchFate]:
    scope = project_scope(project, document_ids=query.document_ids(project))
    return fates_in_search(query.words, scope, kinds=KINDS.get(query.part, frozenset()))


def _papers(project: Project, fates: Mapping[str, SearchFate]) -> list[_Row]:
    """The current file of each paper, those that came nearest first."""
    fields = ("public_id", "file_name", "state", "document__public_id")
    named = ("document__title", "document__authors", "document__year")
    current = Version.objects.present().filter(project=project, superseded_at=None)
    rows = []
    for file_id, file_name, state, document, title, authors, year in current.values_list(
        *fields, *named
    ):
        shown = title or file_name
        names = folded("\n".join((shown, file_name, *map(str, authors))))
        why = fates.get(document) or _unsearched(state)
        rows.append(_Row(file_id, document, shown, authors, year, names, why))
    return sorted(rows, key=lambda row: (ORDER.index(row.why), row.names, row.file_id))


def _unsearched(state: str) -> Unsearched:
    if state in (Version.State.INDEXING, Version.State.READY):
        return Unsearched.FILTERED
    is_coming = state in (Version.State.QUEUED, Version.State.PARSING)
    return Unsearched.UNREAD if is_coming else Unsearched.UNREADABLE


def _shown(row: _Row, query: LibraryQuery, project: Project) -> MissingPaper:
    alone = replace(LibraryQuery(q=query.q), paper=row.document).address()
    is_searched = not isinstance(row.why, Unsearched) or row.why == Unsearched.FILTERED
    return MissingPaper(
        title=row.title,
        authors=author_line(list(row.authors)),
        year=row.year,
        why=why_words(row.why),
        read_url=reverse("read", args=(project.slug, row.file_id)),
        search_url=reverse("search", args=(project.slug,)) + alone if is_searched else "",
    )


def why_words(why: Why) -> str:
    """The reason as a sentence; nothing for what was found."""
    sentences: dict[Why, str] = {
        SearchFate.OTHER_PART: _("The words stand in other parts of it than the one chosen."),
        SearchFate.REFERENCE_LIST: _("Only its reference list came up, which is no evidence."),
        SearchFate.CHANCE: _("Too few of the words stand together in it."),
        SearchFate.FAR: _("Passages of other papers come nearer in meaning."),
        SearchFate.NOT_FOUND: _(
            "No passage of it came up: neither its words nor its meaning were near enough."
        ),
        Unsearched.FILTERED: _("The filters leave it out."),
        Unsearched.UNREAD: _("It is still being read."),
        Unsearched.UNREADABLE: _("Its file could not be read."),
    }
    return sentences.get(why, "")
