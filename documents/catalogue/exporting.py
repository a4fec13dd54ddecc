"""A library, or one paper of it, as a file that reference managers and LaTeX take."""

import re
import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction

from documents.catalogue.bibliography import DOI_RECORD, IMPORT
from documents.catalogue.bibtex import write_bibtex
from documents.catalogue.csl_json import write_csl_json
from documents.catalogue.references import Person, Reference, reference_from
from documents.catalogue.ris import write_ris
from documents.models import Document
from projects.models import Project

EXPORT = "export"
"""Where a document keeps the key that it was once exported with: texts cite it by that."""
DETAILS = "details"
_SMALL_WORDS = frozenset(
    ("a", "an", "the", "on", "of", "in", "for", "and", "to", "der", "die", "das", "le", "la", "el")
)


@dataclass(frozen=True, slots=True)
class ExportFormat:
    """A file format: how it is written, its ending and its media type."""

    write: Callable[[Iterable[Reference]], str]
    ending: str
    content_type: str


FORMATS = {
    "bib": ExportFormat(write_bibtex, "bib", "application/x-bibtex; charset=utf-8"),
    "ris": ExportFormat(write_ris, "ris", "application/x-research-info-systems; charset=utf-8"),
    "json": ExportFormat(write_csl_json, "json", "application/vnd.citationstyles.csl+json"),
}


def export_project(project: Project, form: ExportFormat) -> str:
    """All live papers, in the order in which they were added."""
    documents = Document.objects.live().filter(project=project, versions__isnull=False)
    return form.write(
        references_of(project, list(documents.distinct().order_by("created_at", "pk")))
    )


def export_document(document: Document, form: ExportFormat) -> str:
    return form.write(references_of(document.project, [document]))


def references_of(project: Project, documents: Sequence[Document]) -> list[Reference]:
    """Those of the documents, in their order, each with the key that it keeps from now on."""
    _give_keys(project, documents)
    return [_reference(document) for document in documents]


def _reference(document: Document) -> Reference:
    fields = {
        "title": document.title,
        "authors": document.authors,
        "year": document.year,
        "venue": document.venue,
        "doi": document.doi,
        "arxiv_id": document.arxiv_id,
        "language": document.language,
    }
    said = document.said
    record = said.get(DOI_RECORD, {}).get(DETAILS, {})
    details = said.get(IMPORT, {}).get(DETAILS, {}) | record
    return reference_from(fields, details, key=said[EXPORT]["key"])


def _give_keys(project: Project, documents: Sequence[Document]) -> None:
    """See to it that every document has a key: its imported one, or one made once and kept."""
    if all(document.said.get(EXPORT) for document in documents):
        return
    with transaction.atomic():
        # One export at a time makes keys in a project, so that no two papers get the same.
        Project.objects.select_for_update().get(pk=project.pk)
        rows = list(Document.objects.filter(project=project).only("said").order_by("pk"))
        taken = {row.said[EXPORT]["key"] for row in rows if row.said.get(EXPORT)}
        for document in documents:
            held = Document.objects.select_for_update().get(pk=document.pk)
            if not held.said.get(EXPORT):
                key = _free(_wished_key(held), taken)
                held.said[EXPORT] = {"key": key}
                held.save(update_fields=("said",))
                taken.add(key)
            document.said = held.said


def _wished_key(document: Document) -> str:
    imported = str(document.said.get(IMPORT, {}).get(DETAILS, {}).get("key", ""))
    if re.fullmatch(r"[^\s,{}()=\"#%\\'~@]{1,120}", imported):
        return imported
    first = document.authors[0] if document.authors else ""
    author = _ascii(Person.from_shown(str(first)).family)
    words = [
        word for word in re.findall(r"\w+", document.title) if word.lower() not in _SMALL_WORDS
    ]
    word = next((plain for one in words if len(plain := _ascii(one)) > 2), "")
    key = f"{author}{document.year or ''}{word}"
    return key if author or word else f"lito-{document.public_id}"


def _free(wish: str, taken: set[str]) -> str:
    """The wish, or the wish with the first number that makes it the only one."""
    key, number = wish, 1
    while key in taken:
        number += 1
        key = f"{wish}-{number}"
    return key


def _ascii(text: str) -> str:
    plain = unicodedata.normalize("NFKD", text).lower()
    return re.sub(r"[^a-z0-9]", "", plain)[:24]
