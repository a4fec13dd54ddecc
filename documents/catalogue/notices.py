"""Retractions, corrections and mistaken DOIs of papers, as readers are told."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from documents.catalogue.bibliography import DOI_RECORD
from documents.catalogue.lookups import is_another_work, known_record
from documents.models import Document
from documents.record_models import DoiRecord


@dataclass(frozen=True, slots=True)
class Notice:
    """One notice on a paper. `url` leads to it, if it has a DOI of its own."""

    words: str
    is_grave: bool
    doi: str = ""
    date: str = ""

    @property
    def url(self) -> str:
        return f"https://doi.org/{self.doi}" if self.doi.startswith("10.") else ""


def notices_of(documents: Iterable[Document]) -> dict[int, list[Notice]]:
    """The notices on each of these papers, by primary key, with one query."""
    papers = {document.pk: document for document in documents if DOI_RECORD in document.said}
    dois = {document.doi for document in papers.values() if document.doi}
    if not dois:
        return {}
    rows = DoiRecord.objects.filter(doi__in=dois, state=DoiRecord.State.FOUND)
    known = {row.doi: row.notices for row in rows if row.notices}
    return {
        pk: [_notice(notice) for notice in known[document.doi]]
        for pk, document in papers.items()
        if document.doi in known
    }


def other_work(document: Document) -> str:
    """The title of the work that the paper's DOI belongs to, if that is plainly another one."""
    record = known_record(document.doi)
    if record is None or not is_another_work(document, record):
        return ""
    return str(record.fields.get("title", ""))


def _notice(stored: dict[str, str]) -> Notice:
    kind = str(stored.get("kind", ""))
    words, is_grave = _words(kind)
    return Notice(words, is_grave, str(stored.get("doi", "")), str(stored.get("date", "")))


def _words(kind: str) -> tuple[str, bool]:
    if kind.startswith("notice_of_"):
        return _("This is a notice about another paper."), False
    grave = {
        "retraction": _("This paper was retracted."),
        "partial_retraction": _("Parts of this paper were retracted."),
        "withdrawal": _("This paper was withdrawn."),
        "removal": _("This paper was removed by its publisher."),
        "expression_of_concern": _("An expression of concern was published on this paper."),
    }
    if kind in grave:
        return grave[kind], True
    if kind in {"correction", "corrigendum", "erratum", "addendum", "clarification"}:
        return _("A correction of this paper was published."), False
    if kind in {"new_version", "new_edition"}:
        return _("A newer version of this paper was published."), False
    return _("An update of this paper was published."), False
