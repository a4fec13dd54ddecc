"""“Why not this paper?”: what became of each paper that a run might have used, in words."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from chat.models import Run
from chat.paper_fates import KeptFates, PaperFate
from documents.library import author_line, folded
from documents.models import Version
from retrieval.tracing import Cut

ROWS_PER_PAGE = 25
LONGEST_QUERY = 200


@dataclass(frozen=True, slots=True)
class FateWords:
    """A short name, the sentence that explains it, and the icon beside it."""

    name: str
    sentence: str
    icon: str


@dataclass(frozen=True, slots=True)
class ShownFate:
    """One paper. `read_url` is empty where the paper has left the project."""

    title: str
    authors: str
    year: int | None
    words: FateWords
    read_url: str
    search_url: str


@dataclass(frozen=True, slots=True)
class FateCount:
    """How many papers met with a fate; `value` names it in an address."""

    value: str
    words: FateWords
    count: int


@dataclass(frozen=True, slots=True)
class FatesPage:
    """One page of the papers whose names hold `query` and that met with `fate`."""

    rows: Sequence[ShownFate]
    counts: Sequence[FateCount]
    total: int
    found: int
    query: str
    fate: str
    number: int
    previous: int | None
    following: int | None


def why_not(run: Run, *, query: str = "", fate: str = "", number: int = 1) -> FatesPage | None:
    """The papers of the run's scope, those that came nearest to being cited first.

    None if the run looked for nothing, or was made before this was kept.
    """
    kept = KeptFates.from_trace(run.trace)
    if kept is None:
        return None
    papers = _papers(kept, run)
    counts = Counter(paper.fate for paper in papers)
    words = folded(query).split()
    wanted = [
        paper
        for paper in papers
        if (not fate or paper.fate == fate) and all(word in paper.names for word in words)
    ]
    last = max(1, -(-len(wanted) // ROWS_PER_PAGE))
    number = min(max(number, 1), last)
    return FatesPage(
        rows=[
            _shown(paper, run)
            for paper in wanted[(number - 1) * ROWS_PER_PAGE : number * ROWS_PER_PAGE]
        ],
        counts=[
            FateCount(str(each), fate_words(each), counts[each])
            for each in PaperFate
            if counts[each]
        ],
        total=len(papers),
        found=len(wanted),
        query=query,
        fate=fate,
        number=number,
        previous=number - 1 if number > 1 else None,
        following=number + 1 if number < last else None,
    )


@dataclass(frozen=True, slots=True)
class _Paper:
    file_id: str
    document: str
    title: str
    authors: Sequence[str]
    year: int | None
    is_here: bool
    fate: PaperFate
    by: str
    names: str
    """Title, authors and file name, folded for looking up."""


def _papers(kept: KeptFates, run: Run) -> list[_Paper]:
    """All papers of the scope in the order of their fates, then of their titles."""
    fields = ("pk", "public_id", "file_name", "removed_at", "document__public_id")
    named = ("document__title", "document__authors", "document__year", "document__removed_at")
    rows = Version.objects.filter(
        project=run.turn.conversation.project, pk__in=kept.scope
    ).values_list(*fields, *named)
    papers = []
    for key, file_id, file_name, gone, document, title, authors, year, removed in rows:
        fate, by = kept.fate(key, file_id)
        shown = title or file_name
        names = folded("\n".join((shown, file_name, *map(str, authors))))
        is_here = gone is None and removed is None
        papers.append(_Paper(file_id, document, shown, authors, year, is_here, fate, by, names))
    order = {fate: place for place, fate in enumerate(PaperFate)}
    return sorted(papers, key=lambda each: (order[each.fate], each.names, each.file_id))


def _shown(paper: _Paper, run: Run) -> ShownFate:
    slug = run.turn.conversation.project.slug
    return ShownFate(
        title=paper.title,
        authors=author_line(list(paper.authors)),
        year=paper.year,
        words=fate_words(paper.fate, paper.by),
        read_url=reverse("read", args=(slug, paper.file_id)) if paper.is_here else "",
        search_url=_search_url(slug, run.turn.question, paper) if paper.is_here else "",
    )


def _search_url(slug: str, question: str, paper: _Paper) -> str:
    asked = urlencode({"q": question, "paper": paper.document})
    return f"{reverse('search', args=(slug,))}?{asked}"


def fate_words(fate: PaperFate, by: str = "") -> FateWords:
    """What a fate means; for a paper that was cut, by what."""
    return {
        PaperFate.CITED: FateWords(_("cited"), _("The answer cites it."), "circle-check"),
        PaperFate.GIVEN: FateWords(
            _("read, not cited"),
            _("Passages of it were given to the answerer, which cited none of them."),
            "book-open",
        ),
        PaperFate.NOT_SELECTED: FateWords(
            _("not selected"),
            _("Passages of it were found; the model judged that others bear more on the question."),
            "circle-dashed",
        ),
        PaperFate.CUT: FateWords(_("cut"), _cut_words(by), "list-filter"),
        PaperFate.NOT_RECALLED: FateWords(
            _("not found"),
            _("No passage of it came up: neither its words nor its meaning were near enough."),
            "search",
        ),
        PaperFate.UNSEARCHED: FateWords(
            _("not searched"),
            _("The searches were bound to other papers, for example to those in one language."),
            "ban",
        ),
    }[fate]


def _cut_words(by: str) -> str:
    ranked_lower = _("Passages of it were found, but others ranked before them.")
    sentences: dict[str, str] = {
        Cut.LIMIT: _("Passages of it were found, but those of other papers filled the list."),
        Cut.TOKENS: _("Passages of it were found, but the text for the model was full."),
        Cut.REFERENCE_LIST: _("Only its reference list came up, which is no evidence."),
        Cut.HEADING: _("Only a heading of it came up."),
        Cut.STRAY_KEYWORDS: _("Only a chance word of the question stands in it."),
    }
    return sentences.get(by, ranked_lower)
