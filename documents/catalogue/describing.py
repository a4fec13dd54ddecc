"""What a person may say about a paper: its fields with their sources, edited and taken back."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _

from documents.catalogue.bibliography import (
    BY_HAND,
    is_empty,
    locked,
    read_out_of_newest,
    say,
    take_back,
)
from documents.models import Document


@dataclass(frozen=True, slots=True)
class Alternative:
    """What another source says of a field."""

    value: str
    source: str


@dataclass(frozen=True, slots=True)
class DescribedField:
    """A field as it is shown: its value in words, where that came from, what others say."""

    name: str
    label: str
    value: str
    source: str
    is_by_hand: bool
    others: Sequence[Alternative]


def source_words(source: str) -> str:
    """Where a value came from, as a reader is told."""
    return {
        "first_page": _("read on the first page"),
        "pdf_info": _("from the PDF's own description"),
        "file_name": _("from the file name"),
        "doi_record": _("from the DOI's record"),
        "import": _("imported"),
        "user": _("entered by hand"),
    }.get(source, "")


def field_labels() -> dict[str, str]:
    return {
        "title": _("Title"),
        "authors": _("Authors"),
        "year": _("Year"),
        "venue": _("Published in"),
        "doi": _("DOI"),
        "arxiv_id": _("arXiv id"),
        "language": _("Language"),
    }


def described_fields(document: Document) -> list[DescribedField]:
    """All fields in order, filled or not."""
    read = read_out_of_newest(document)
    return [
        DescribedField(
            name=name,
            label=label,
            value=as_text(getattr(document, name)),
            source=source_words(document.provenance.get(name, "")),
            is_by_hand=document.provenance.get(name) == BY_HAND,
            others=_others(document, name, read),
        )
        for name, label in field_labels().items()
    ]


def edit(document: Document, values: Mapping[str, Any]) -> None:
    """Take a person's word for the fields in `values`; no other source overwrites it."""
    with transaction.atomic():
        held = locked(document.pk)
        say(held, BY_HAND, values)
    document.refresh_from_db()


def reset(document: Document, name: str) -> None:
    """Take back what a person said of a field: it shows again what the other sources say."""
    with transaction.atomic():
        held = locked(document.pk)
        take_back(held, BY_HAND, name)
    document.refresh_from_db()


def as_text(value: Any) -> str:
    if is_empty(value):
        return ""
    return _(", ").join(str(one) for one in value) if isinstance(value, list) else str(value)


def _others(document: Document, name: str, read: dict[str, dict[str, Any]]) -> list[Alternative]:
    """What the sources say that did not win, as far as it differs from what is shown."""
    words = {source: said[name] for source, said in document.said.items() if name in said}
    if name in read:
        words.setdefault(read[name]["from"], read[name]["value"])
    shown = getattr(document, name)
    return [
        Alternative(as_text(value), source_words(source))
        for source, value in words.items()
        if source != document.provenance.get(name) and not is_empty(value) and value != shown
    ]
