"""What the papers of a scope may be called."""

from collections.abc import Mapping
from pathlib import PurePath

from documents.models import Document
from retrieval.evidence import Scope
from retrieval.named_papers import Names, Paper, named_papers


def names_in(question: str, scope: Scope, *, cited: Mapping[int, str] | None = None) -> Names:
    """The papers of `scope` that `question` names.

    `cited` are public ids of documents by the citation numbers that the reader sees.
    """
    return named_papers(question, catalogue(scope), cited=cited)


def catalogue(scope: Scope) -> list[Paper]:
    """Each paper of `scope` once, with its titles, authors, year and labels."""
    file_ids = {version.document_id: version.file_id for version in scope.versions}
    titles = {version.document_id: version.title for version in scope.versions}
    rows = (
        Document.objects.filter(versions__public_id__in=file_ids.values())
        .order_by("pk")
        .values_list("public_id", "authors", "year", "doi", "arxiv_id", "versions__file_name")
    )
    return [
        Paper(
            key=document,
            title=titles[document],
            authors=tuple(filter(None, map(_name, authors))),
            year=year,
            labels=tuple(filter(None, (PurePath(file_name).stem, doi, arxiv_id))),
        )
        for document, authors, year, doi, arxiv_id, file_name in rows
        if document in titles
    ]


def _name(author: object) -> str:
    return author if isinstance(author, str) else ""
