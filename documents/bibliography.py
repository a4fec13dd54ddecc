"""What a paper is called and who wrote it: from the file into the fields of a document."""

import itertools
from dataclasses import replace
from typing import Any

from documents.metadata import FRONT_PAGES, read_metadata
from documents.models import Document, ParsedFile, Version
from documents.page_text import Field, ParsedPage
from documents.parsing import pdf_info
from documents.storage import file_path
from documents.stored_pages import stored_pages

FIELDS = ("title", "authors", "year", "venue", "doi", "arxiv_id", "language")
LENGTHS = {"title": 500, "venue": 300, "doi": 200, "arxiv_id": 40, "language": 10}
"""Code points that the columns of `Document` hold."""
BY_HAND = "user"


def metadata_of(parsed: ParsedFile) -> dict[str, dict[str, Any]]:
    """Metadata of a reading as JSON values, `{field: {"value", "from"}}`.

    A reading is shared between projects, so the name that somebody gave the file is no part of it.
    """
    info = pdf_info(file_path(parsed.sha256))
    return _as_json(read_metadata(_front_pages(parsed), info=info, file_name=""))


def describe_document(version: Version, parsed: ParsedFile) -> None:
    """Put the metadata of a reading into the document; what a person typed is left alone.

    Call it inside a transaction: the document stays locked until that ends.
    """
    document = Document.objects.select_for_update().get(pk=version.document_id)
    no_pages: tuple[ParsedPage, ...] = ()
    named = _as_json(read_metadata(no_pages, info={}, file_name=version.file_name))
    found = named | parsed.metadata
    changed = [name for name in FIELDS if name in found and not _is_by_hand(document, name)]
    for name in changed:
        setattr(document, name, _fitting(name, found[name]["value"]))
        document.provenance[name] = found[name]["from"]
    if changed:
        document.save(update_fields=(*changed, "provenance"))


def _front_pages(parsed: ParsedFile) -> list[ParsedPage]:
    """The pages that metadata are read from, with their boxes: titles are known by their size."""
    boxes = {row.number: row.boxes() for row in parsed.pages.filter(number__lte=FRONT_PAGES)}
    pages = itertools.islice(stored_pages(parsed), FRONT_PAGES)
    return [replace(page, boxes=boxes[page.number]) for page in pages]


def _as_json(metadata: dict[str, Field]) -> dict[str, dict[str, Any]]:
    return {
        name: {"value": field.value, "from": field.source}
        for name, field in metadata.items()
        if field.value
    }


def _is_by_hand(document: Document, name: str) -> bool:
    return bool(document.provenance.get(name) == BY_HAND)


def _fitting(name: str, value: Any) -> Any:
    """The value cut to what the column holds."""
    return value[: LENGTHS[name]] if isinstance(value, str) and name in LENGTHS else value
