"""Which papers a question may use: all of the project, or those that the asker chose."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from django.core.paginator import Paginator
from django.utils.translation import gettext as _

from documents.library import author_line, matching
from documents.models import Document, DocumentQuerySet
from projects.models import Project

ROWS_PER_PAGE = 50
MOST_TAGS = 30
"""To choose by. More are found by their words."""
LONGEST_FORM = 250_000
"""Characters of public ids, a blank between two: as many as ten thousand papers have."""


@dataclass(frozen=True, slots=True)
class ShownScope:
    """The choice as a form carries it, and how many papers that is, of how many."""

    document_ids: Sequence[str]
    chosen: int
    total: int

    @property
    def form_value(self) -> str:
        return " ".join(self.document_ids)

    @property
    def words(self) -> str:
        return scope_words(self.chosen if self.document_ids else None, self.total)


@dataclass(frozen=True, slots=True)
class PaperChoice:
    document_id: str
    title: str
    authors: str
    year: int | None
    is_chosen: bool


@dataclass(frozen=True, slots=True)
class TagChoice:
    """A tag, and the ids of the papers that have it, a blank between two."""

    name: str
    papers: str
    count: int


@dataclass(frozen=True, slots=True)
class PaperChoices:
    """One page of the papers to choose from. `found` has the ids of all that fit the words."""

    rows: Sequence[PaperChoice]
    found: Sequence[str]
    total: int
    query: str
    tags: Sequence[TagChoice]
    may_tag: bool
    previous: int | None
    following: int | None

    @property
    def all_found(self) -> str:
        return " ".join(self.found)


def scope_words(chosen: int | None, total: int | str) -> str:
    """ "3 of 42 papers"; without a choice "All papers"."""
    if chosen is None:
        return _("All papers")
    return _("%(chosen)s of %(total)s papers") % {"chosen": chosen, "total": total}


def papers_of(project: Project) -> DocumentQuerySet:
    """Those that can be chosen."""
    return Document.objects.live().with_files().filter(project=project)


def readable_choice(project: Project, document_ids: Iterable[str]) -> list[str]:
    """The chosen papers that are still here, each once, in the given order.

    If none is, the choice stays as it is: nothing is left to search, and that is not everything.
    """
    wanted = list(dict.fromkeys(document_ids))
    here = set(
        Document.objects.live()
        .filter(project=project, public_id__in=wanted)
        .values_list("public_id", flat=True)
    )
    return [one for one in wanted if one in here] or wanted


def show_scope(project: Project, document_ids: Collection[str]) -> ShownScope:
    chosen = readable_choice(project, document_ids) if document_ids else []
    live = Document.objects.live().filter(project=project)
    count = live.filter(public_id__in=chosen).count() if chosen else 0
    return ShownScope(chosen, count, live.count())


def paper_choices(
    project: Project,
    chosen: Collection[str],
    *,
    query: str = "",
    only: bool = False,
    page: int = 1,
    may_tag: bool = False,
) -> PaperChoices:
    """Papers by title that fit `query`; `only` the chosen ones."""
    chosen = set(chosen)
    papers = papers_of(project)
    if only:
        papers = papers.filter(public_id__in=chosen)
    found = matching(papers, query).order_by("title", "pk")
    pages = Paginator(found, ROWS_PER_PAGE).get_page(page)
    return PaperChoices(
        rows=[
            PaperChoice(
                each.public_id,
                each.title,
                author_line(each.authors),
                each.year,
                each.public_id in chosen,
            )
            for each in pages
        ],
        found=list(found.values_list("public_id", flat=True)),
        total=pages.paginator.count,
        query=query,
        tags=tag_choices(project),
        may_tag=may_tag,
        previous=pages.previous_page_number() if pages.has_previous() else None,
        following=pages.next_page_number() if pages.has_next() else None,
    )


def tag_choices(project: Project) -> list[TagChoice]:
    """The commonest tags."""
    having: dict[str, list[str]] = {}
    for document_id, tags in papers_of(project).exclude(tags=[]).values_list("public_id", "tags"):
        for tag in tags:
            having.setdefault(tag, []).append(document_id)
    commonest = sorted(having.items(), key=lambda entry: (-len(entry[1]), entry[0].casefold()))
    return [TagChoice(tag, " ".join(ids), len(ids)) for tag, ids in commonest[:MOST_TAGS]]
