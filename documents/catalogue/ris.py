"""RIS, read and written with `rispy`. Pure."""

import re
from collections.abc import Iterable
from typing import Any, ClassVar

import rispy
from rispy.writer import RisWriter

from documents.catalogue.references import (
    Person,
    Reference,
    arxiv_from,
    doi_from,
    kind_of,
    language_code,
    one_line,
    year_in,
)

_KINDS = {
    "JOUR": "article-journal",
    "MGZN": "article-journal",
    "EJOUR": "article-journal",
    "CONF": "paper-conference",
    "CPAPER": "paper-conference",
    "THES": "thesis",
    "BOOK": "book",
    "CHAP": "chapter",
    "RPRT": "report",
    "UNPB": "article",
}
_TYPES = {
    "article-journal": "JOUR",
    "paper-conference": "CPAPER",
    "thesis": "THES",
    "book": "BOOK",
    "chapter": "CHAP",
    "report": "RPRT",
    "article": "UNPB",
}
_TITLES = ("title", "primary_title")
_VENUES = (
    "secondary_title",
    "journal_name",
    "alternate_title3",
    "alternate_title2",
    "alternate_title1",
)
LONGEST_ENTRY, MOST_LINES = 200_000, 5000
"""Characters and lines; `rispy` copies a field anew for each line that goes on with it."""
_ENTRY = re.compile(r"^(?:\ufeff)?TY  ?- ?", re.MULTILINE)


class _Writer(RisWriter):  # type: ignore[misc]
    """As `rispy`, without numbers between the references."""

    SEPARATOR: ClassVar[str | None] = ""

    def set_header(self, count: int) -> str:
        return ""


def read_ris(text: str) -> tuple[list[Reference], list[str]]:
    """The entries of a `.ris` file, and the lines where others begin that can't be read."""
    entries: list[Reference] = []
    broken: list[str] = []
    line, counted = 1, 0
    starts = [match.start() for match in _ENTRY.finditer(text)]
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        found = _parsed(text[start:end])
        if found:
            entries.append(_reference(found[0]))
        else:
            line += text.count("\n", counted, start)
            counted = start
            broken.append(str(line))
    return entries, broken


def _parsed(entry: str) -> list[dict[str, Any]]:
    """The fields of one entry; nothing if it can't be read."""
    if len(entry) > LONGEST_ENTRY or entry.count("\n") > MOST_LINES:
        return []
    try:
        found: list[dict[str, Any]] = rispy.loads(_closed(entry), skip_unknown_tags=True)
    except (OSError, ValueError, KeyError, IndexError):
        return []
    return found


def write_ris(references: Iterable[Reference]) -> str:
    text: str = rispy.dumps([_entry(one) for one in references], implementation=_Writer)
    return text + "\n"


def _closed(entry: str) -> str:
    """One entry that ends with its end tag, whatever was lost at the end of a file."""
    body = re.split(r"^ER  ?-", entry, maxsplit=1, flags=re.MULTILINE)[0]
    return f"{body.rstrip()}\nER  - \n"


def _reference(found: dict[str, Any]) -> Reference:
    def first(*names: str) -> str:
        return next((one_line(str(found[name])) for name in names if found.get(name)), "")

    names = [*found.get("authors", []), *found.get("first_authors", [])]
    urls = " ".join(str(url) for url in found.get("urls", []))
    venue = first(*_VENUES)
    kind = _KINDS.get(first("type_of_reference").upper(), "document")
    if kind == "thesis" and not venue:
        venue = first("publisher")
    pages = "–".join(part for part in (first("start_page"), first("end_page")) if part)
    files = [found.get("file_attachments1"), found.get("file_attachments2")]
    return Reference(
        title=first(*_TITLES),
        people=tuple(Person.from_inverted(one_line(str(name))) for name in names),
        year=year_in(first("year", "publication_year", "date")),
        venue=venue,
        doi=doi_from(first("doi") or (urls if "doi.org/" in urls else "")),
        arxiv_id=arxiv_from(
            urls, first("doi"), first("number") if "arxiv" in venue.lower() else ""
        ),
        language=language_code(first("language")),
        kind=kind if kind != "document" else kind_of(venue),
        key=first("id", "label")[:120],
        volume=first("volume"),
        issue=first("number"),
        pages=pages,
        publisher=first("publisher"),
        files=tuple(str(path) for one in files if one for path in _listed(one)),
    )


def _listed(value: Any) -> list[str]:
    return [str(one) for one in value] if isinstance(value, list) else [str(value)]


def _entry(reference: Reference) -> dict[str, Any]:
    start, _dash, end = re.sub(r"\s*[-–]+\s*", "–", reference.pages).partition("–")
    arxiv = f"https://arxiv.org/abs/{reference.arxiv_id}" if reference.arxiv_id else ""
    entry = {
        "type_of_reference": _TYPES.get(reference.kind, "GEN"),
        "id": reference.key,
        "title": reference.title,
        "authors": [person.inverted for person in reference.people],
        "year": str(reference.year or ""),
        "secondary_title": reference.venue,
        "volume": reference.volume,
        "number": reference.issue,
        "start_page": start,
        "end_page": end,
        "publisher": reference.publisher,
        "doi": reference.doi,
        "urls": [arxiv] if arxiv else [],
        "language": reference.language,
    }
    return {name: value for name, value in entry.items() if value}
