"""Which paper of a library an imported entry is: by DOI, arXiv id, or title and year. Pure.

What fits two papers, or one paper only nearly, is for a person to decide.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from rapidfuzz import fuzz, process

from documents.catalogue.front_lines import folded
from documents.catalogue.references import Reference

SURE, POSSIBLE = 96, 88
FEWEST_LETTERS = 8
MOST_CHOICES = 5


@dataclass(frozen=True, slots=True)
class Known:
    """A paper of the library, as far as it can be recognised by it."""

    pk: int
    title: str
    year: int | None
    doi: str
    arxiv_id: str


@dataclass(frozen=True, slots=True)
class Match:
    """The paper, if it is certain, and by what; else the papers that it might be."""

    pk: int | None = None
    by: str = ""
    choices: tuple[int, ...] = ()


@dataclass(slots=True)
class Matcher:
    """Looks entries up among the papers of one library."""

    known: Sequence[Known]
    _by_doi: dict[str, list[Known]] = field(default_factory=lambda: defaultdict(list))
    _by_arxiv: dict[str, list[Known]] = field(default_factory=lambda: defaultdict(list))
    _titles: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for paper in self.known:
            if paper.doi:
                self._by_doi[paper.doi.lower()].append(paper)
            if paper.arxiv_id:
                self._by_arxiv[_without_version(paper.arxiv_id)].append(paper)
        self._titles = [folded(paper.title) for paper in self.known]

    def match(self, entry: Reference) -> Match:
        if entry.doi and (found := self._by_doi.get(entry.doi.lower())):
            return _decided(found, "doi")
        if entry.arxiv_id and (found := self._by_arxiv.get(_without_version(entry.arxiv_id))):
            return _decided(found, "arxiv_id")
        return self._by_title(entry)

    def _by_title(self, entry: Reference) -> Match:
        title = folded(entry.title)
        if len(title) < (4 if re.search(r"[\u3400-\u9fff]", title) else FEWEST_LETTERS):
            return Match()
        near = process.extract(
            title, self._titles, scorer=fuzz.ratio, score_cutoff=POSSIBLE, limit=MOST_CHOICES + 1
        )
        candidates = [(self.known[index], score) for _, score, index in near]
        fitting = [(paper, score) for paper, score in candidates if _years_agree(paper, entry)]
        sure = [
            paper for paper, score in fitting if score >= SURE and not _dois_differ(paper, entry)
        ]
        if len(sure) == 1 and len(fitting) == 1:
            return Match(sure[0].pk, "title")
        exact = [
            paper
            for paper in sure
            if folded(paper.title) == title and paper.year == entry.year is not None
        ]
        if len(exact) == 1:  # the others are only called nearly so
            return Match(exact[0].pk, "title")
        return Match(choices=tuple(paper.pk for paper, _ in fitting[:MOST_CHOICES]))


def _decided(found: Iterable[Known], by: str) -> Match:
    pks = [paper.pk for paper in found]
    return Match(pks[0], by) if len(pks) == 1 else Match(choices=tuple(pks[:MOST_CHOICES]))


def _years_agree(paper: Known, entry: Reference) -> bool:
    """Online and in print a paper may carry two years."""
    if paper.year is None or entry.year is None:
        return True
    return abs(paper.year - entry.year) <= 1


def _dois_differ(paper: Known, entry: Reference) -> bool:
    """A preprint and its article have one title and are two works."""
    return bool(paper.doi and entry.doi and paper.doi.lower() != entry.doi.lower())


def _without_version(arxiv_id: str) -> str:
    return re.sub(r"v\d+$", "", arxiv_id.lower())
