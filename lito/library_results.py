"""What the search page shows: papers with the best of their passages, as pieces of text to draw."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext as _

from chat.marked_excerpts import marked_excerpt
from citations.excerpts import Piece
from documents.chunks.chunk_text import text_of
from documents.library import author_line
from documents.models import Document, Page
from lito.library_query import LibraryQuery
from lito.passage_address import address_of
from projects.models import Project
from retrieval.evidence import ScopedVersion
from retrieval.library_search import FoundPassage, LibraryFound, PaperPassages
from retrieval.recall import terms_of
from retrieval.word_marks import query_tokens

PAPERS_PER_PAGE = 10
PASSAGES_PER_PAPER = 3
PASSAGES_OF_ONE_PAPER = 40

PageKey = tuple[int, int]
"""Key of a reading and physical page."""


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """Marked pieces are words of the query that stand there. `label` is printed on the page."""

    pieces: Sequence[Piece]
    page: int
    label: str
    section: str
    kind: str
    url: str

    @property
    def is_by_meaning(self) -> bool:
        return not any(piece.marked for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class ShownPaper:
    """`more` passages of it were found and are not shown; `only_url` shows them."""

    title: str
    authors: str
    year: int | None
    language: str
    read_url: str
    passages: Sequence[ShownPassage]
    more: int
    only_url: str


@dataclass(frozen=True, slots=True)
class Results:
    """One page of what was found. `papers` and `passages` count all of it."""

    shown: Sequence[ShownPaper]
    papers: int
    passages: int
    searched: int
    keywords_only: str = ""
    previous_url: str = ""
    next_url: str = ""

    @property
    def are_by_meaning(self) -> bool:
        """Whether none of the words stands in any of the passages shown."""
        passages = [each for paper in self.shown for each in paper.passages]
        return bool(passages) and all(each.is_by_meaning for each in passages)


def results_of(found: LibraryFound, query: LibraryQuery, project: Project) -> Results:
    """The page of `found` that `query` asks for. The last one where there are fewer."""
    last = max(1, -(-len(found.papers) // PAPERS_PER_PAGE))
    number = min(query.page, last)
    on_page = found.papers[(number - 1) * PAPERS_PER_PAGE : number * PAPERS_PER_PAGE]
    most = PASSAGES_OF_ONE_PAPER if len(found.papers) == 1 else PASSAGES_PER_PAPER
    return Results(
        shown=_shown(on_page, query, project, most),
        papers=len(found.papers),
        passages=sum(len(paper.passages) for paper in found.papers),
        searched=found.searched,
        keywords_only=found.keywords_only,
        previous_url=query.address(page=number - 1) if number > 1 else "",
        next_url=query.address(page=number + 1) if number < last else "",
    )


@dataclass(frozen=True, slots=True)
class _Drawing:
    """What it takes to draw the papers of one page of results."""

    query: LibraryQuery
    project: Project
    documents: Mapping[str, Document]
    pages: Mapping[PageKey, tuple[str, str]]
    wanted: frozenset[str]
    most: int

    def paper(self, paper: PaperPassages) -> ShownPaper:
        version = paper.version
        document = self.documents[version.document_id]
        drawn = [self.passage(each, version) for each in paper.passages[: self.most]]
        return ShownPaper(
            title=version.title,
            authors=author_line(document.authors),
            year=document.year,
            language=document.language,
            read_url=reverse("read", args=(self.project.slug, version.file_id)),
            passages=[each for each in drawn if each],
            more=max(0, len(paper.passages) - self.most),
            only_url=self.query.address(paper=document.public_id, page=1),
        )

    def passage(self, passage: FoundPassage, version: ScopedVersion) -> ShownPassage | None:
        """None if the file was read anew this very moment."""
        numbers = {span.page for span in passage.spans}
        if not {(version.parsed_id, number) for number in numbers} <= self.pages.keys():
            return None
        texts = {number: self.pages[version.parsed_id, number][0] for number in numbers}
        text = text_of(passage.spans, texts)
        page = passage.spans[0].page
        label = self.pages[version.parsed_id, page][1]
        address = address_of(passage.spans, text, self.query.words)
        return ShownPassage(
            pieces=marked_excerpt(text, self.wanted),
            page=page,
            label=label if label != str(page) else "",
            section=" › ".join(passage.section[-2:]),
            kind=_kind_words(passage.kind),
            url=address.url(self.project.slug, version.file_id),
        )


def _shown(
    papers: Sequence[PaperPassages], query: LibraryQuery, project: Project, most: int
) -> list[ShownPaper]:
    documents = Document.objects.in_bulk(
        [paper.version.document_id for paper in papers], field_name="public_id"
    )
    pages = _pages((paper.version.parsed_id, paper.passages[:most]) for paper in papers)
    wanted = query_tokens(query.words, terms_of(project.pk))
    drawing = _Drawing(query, project, documents, pages, wanted, most)
    return [drawing.paper(paper) for paper in papers if paper.version.document_id in documents]


def _pages(
    wanted: Iterable[tuple[int, Sequence[FoundPassage]]],
) -> Mapping[PageKey, tuple[str, str]]:
    """Text and printed label of the pages of these passages."""
    condition = Q()
    for reading, passages in wanted:
        numbers = {span.page for passage in passages for span in passage.spans}
        condition |= Q(parsed_id=reading, number__in=numbers)
    if not condition:
        return {}
    rows = Page.objects.filter(condition).values_list("parsed_id", "number", "text", "label")
    return {(reading, number): (text, label) for reading, number, text, label in rows}


def _kind_words(kind: str) -> str:
    """What kind of text a passage is, where it is not plain text."""
    return {
        "front_matter": _("first page"),
        "abstract": _("abstract"),
        "table": _("table"),
        "caption": _("caption"),
        "footnote": _("footnote"),
    }.get(kind, "")


def languages_of(project: Project) -> list[str]:
    """The languages that the project's papers are in, as codes."""
    rows = Document.objects.live().filter(project=project).exclude(language="")
    codes = rows.order_by("language").values_list("language", flat=True).distinct()
    return list(dict.fromkeys(code[:2] for code in codes))
