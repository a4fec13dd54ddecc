"""What a paper is called and who wrote it: from the file, and from elsewhere, into a document.

Every source's word is kept, so that the better one can win, and so that taking a value back shows
what the others say. A person's word beats a DOI's record, that beats an imported library, and that
beats what was read out of the file.
"""

import itertools
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from documents.catalogue.lookup_queue import wish_for
from documents.catalogue.metadata import FILE_NAME, FRONT_PAGES, read_metadata
from documents.catalogue.references import AUTHOR_LENGTH, LENGTHS, MOST_AUTHORS
from documents.catalogue.titles import clean_title
from documents.models import Document, ParsedFile, Version
from documents.pages.page_text import Field, ParsedPage
from documents.parsing import pdf_info
from documents.storage import file_path
from documents.stored_pages import stored_pages

FIELDS = ("title", "authors", "year", "venue", "doi", "arxiv_id", "language")
BY_HAND, DOI_RECORD, IMPORT = "user", "doi_record", "import"
STRONGEST_FIRST = (BY_HAND, DOI_RECORD, IMPORT)
Fields = dict[str, dict[str, Any]]
"""`{field: {"value", "from"}}`."""


def metadata_of(parsed: ParsedFile) -> Fields:
    """Metadata of a reading as JSON values.

    A reading is shared between projects, so the name that somebody gave the file is no part of it.
    """
    info = pdf_info(file_path(parsed.sha256))
    return _as_json(read_metadata(_front_pages(parsed), info=info, file_name=""))


def describe_document(version: Version, parsed: ParsedFile) -> None:
    """Put the metadata of a reading into the document, below what anyone else said of it.

    Call it inside a transaction: the document stays locked until that ends.
    """
    document = locked(version.document_id)
    settle(document, read_out_of(version, parsed))


def locked(document_id: int) -> Document:
    """The document, locked until the transaction ends."""
    return Document.objects.select_for_update().get(pk=document_id)


def say(document: Document, source: str, values: Mapping[str, Any]) -> None:
    """Take `values` as the word of `source`, beside what it said before, and settle.

    `document` is locked by the caller.
    """
    document.said[source] = document.said.get(source, {}) | dict(values)
    settle(document, read_out_of_newest(document))


def take_back(document: Document, source: str, *names: str) -> None:
    """Forget what `source` said of the fields `names`, of all if none are given, and settle."""
    said = document.said.get(source, {})
    kept = {name: value for name, value in said.items() if names and name not in names}
    document.said = {key: value for key, value in document.said.items() if key != source}
    if kept:
        document.said[source] = kept
    settle(document, read_out_of_newest(document))


def settle(document: Document, read: Fields) -> None:
    """Give every field the value of the strongest source that has one, and store what changed."""
    doi = _fitting("doi", _strongest(document, "doi", read)[0])
    if doi != document.doi:
        document.said.pop(DOI_RECORD, None)  # it spoke of another work
        wish_for(doi)
    changed = []
    for name in FIELDS:
        value, source = _strongest(document, name, read)
        fitting = _fitting(name, value)
        if (getattr(document, name), document.provenance.get(name, "")) != (fitting, source):
            setattr(document, name, fitting)
            document.provenance[name] = source
            changed.append(name)
    document.provenance = {name: source for name, source in document.provenance.items() if source}
    document.save(update_fields=(*changed, "provenance", "said"))


def read_out_of(version: Version, parsed: ParsedFile | None) -> Fields:
    """What a version's file says: its pages, its own description, its name."""
    named = _as_json(read_metadata((), info={}, file_name=version.file_name))
    if "title" not in named:  # a paper has to be called something
        stem = clean_title(version.file_name) or version.file_name
        named["title"] = {"value": stem, "from": FILE_NAME}
    return named | (parsed.metadata if parsed is not None and parsed.complete else {})


def read_out_of_newest(document: Document) -> Fields:
    version = (
        document.versions.filter(removed_at=None)
        .select_related("parsed")
        .order_by("-number")
        .first()
    )
    return read_out_of(version, version.parsed) if version is not None else {}


def is_empty(value: Any) -> bool:
    return value in ("", None, [])


def _strongest(document: Document, name: str, read: Fields) -> tuple[Any, str]:
    """The value to show and its source. A person may also say that a field is empty."""
    for source in STRONGEST_FIRST:
        said = document.said.get(source, {})
        if name in said and (source == BY_HAND or not is_empty(said[name])):
            return said[name], source
    return (read[name]["value"], read[name]["from"]) if name in read else (None, "")


def _front_pages(parsed: ParsedFile) -> list[ParsedPage]:
    """The pages that metadata are read from, with their boxes: titles are known by their size."""
    boxes = {row.number: row.boxes() for row in parsed.pages.filter(number__lte=FRONT_PAGES)}
    pages = itertools.islice(stored_pages(parsed), FRONT_PAGES)
    return [replace(page, boxes=boxes[page.number]) for page in pages]


def _as_json(metadata: dict[str, Field]) -> Fields:
    return {
        name: {"value": field.value, "from": field.source}
        for name, field in metadata.items()
        if field.value
    }


def _fitting(name: str, value: Any) -> Any:
    """The value as the column holds it: cut to its length, its own kind of nothing."""
    if is_empty(value):
        return {"authors": [], "year": None}.get(name, "")
    if isinstance(value, list):
        return [str(one)[:AUTHOR_LENGTH] for one in value[:MOST_AUTHORS]]
    return value[: LENGTHS[name]] if isinstance(value, str) and name in LENGTHS else value
