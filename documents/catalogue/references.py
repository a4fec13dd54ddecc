"""A bibliographic reference as reference managers exchange it. Pure."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from documents.catalogue.name_words import PARTICLES
from documents.catalogue.titles import plain_title

_SUFFIX = re.compile(r"^(?:Jr|Sr|II|III|IV)\.?$", re.IGNORECASE)
_HAN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
LANGUAGES = {
    "english": "en", "american": "en", "british": "en", "usenglish": "en", "ukenglish": "en",
    "german": "de", "ngerman": "de", "deutsch": "de", "french": "fr", "francais": "fr",
    "spanish": "es", "italian": "it", "portuguese": "pt", "russian": "ru", "chinese": "zh",
    "中文": "zh", "chi": "zh", "eng": "en", "ger": "de", "fre": "fr", "japanese": "ja",
    "korean": "ko",
}  # fmt: skip
EXTRAS = ("volume", "issue", "pages", "publisher")
MOST_AUTHORS, AUTHOR_LENGTH, MOST_FILES = 3000, 200, 50
LENGTHS = {
    "title": 500, "venue": 300, "doi": 200, "arxiv_id": 40, "language": 10,
    "volume": 60, "issue": 60, "pages": 60, "publisher": 300, "kind": 40, "key": 200,
}  # fmt: skip
"""How long fields may be, in code points."""


@dataclass(frozen=True, slots=True)
class Person:
    """A name with its family part; an organisation or an undivided name has no given part."""

    family: str
    given: str = ""

    @property
    def shown(self) -> str:
        """As it is printed: "Ada Lovelace", "张三"."""
        if not self.given:
            return self.family
        if _HAN.search(self.family):
            return f"{self.family}{self.given}"
        given, _comma, suffix = self.given.partition(", ")
        return " ".join(part for part in (given, self.family, suffix) if part)

    @classmethod
    def from_shown(cls, name: str) -> "Person":
        """The parts of a printed name: the last word and its particles are the family name."""
        words = name.split()
        if len(words) < 2 or _HAN.search(name):
            return cls(name)
        end = len(words)
        suffix = words.pop() if _SUFFIX.match(words[-1]) and end > 2 else ""
        start = len(words) - 1
        while start > 1 and words[start - 1].lower() in PARTICLES:
            start -= 1
        given = " ".join(words[:start])
        return cls(" ".join(words[start:]), f"{given}, {suffix}" if suffix else given)

    @classmethod
    def from_inverted(cls, name: str) -> "Person":
        """ "Lovelace, Ada" as RIS and BibTeX write it; without a comma, a printed name."""
        family, comma, given = (part.strip() for part in name.partition(","))
        return cls(family, given) if comma else cls.from_shown(family)

    @property
    def inverted(self) -> str:
        return f"{self.family}, {self.given}" if self.given else self.family


@dataclass(frozen=True, slots=True)
class Reference:
    """One work. `kind` is a CSL type such as `article-journal`; `files` are paths as written."""

    title: str
    people: tuple[Person, ...] = ()
    year: int | None = None
    venue: str = ""
    doi: str = ""
    arxiv_id: str = ""
    language: str = ""
    kind: str = "document"
    key: str = ""
    volume: str = ""
    issue: str = ""
    pages: str = ""
    publisher: str = ""
    files: tuple[str, ...] = ()

    def fields(self) -> dict[str, Any]:
        """The fields that a document has, as far as they are filled."""
        values = {
            "title": self.title,
            "authors": [person.shown for person in self.people],
            "year": self.year,
            "venue": self.venue,
            "doi": self.doi,
            "arxiv_id": self.arxiv_id,
            "language": self.language,
        }
        return {name: value for name, value in values.items() if value}

    def details(self) -> dict[str, Any]:
        """What a document has no field for, kept so that an export gives it back."""
        details: dict[str, Any] = {name: getattr(self, name) for name in EXTRAS}
        details |= {"kind": self.kind, "key": self.key}
        details["people"] = [[person.family, person.given] for person in self.people]
        return {name: value for name, value in details.items() if value}


def fitted(entry: Reference) -> tuple[Reference, tuple[str, ...]]:
    """The entry with all its fields cut to what is stored, and the names of those that were cut.

    An identifier is whole or it is none.
    """
    cut = [name for name, most in LENGTHS.items() if len(getattr(entry, name)) > most]
    values: dict[str, Any] = {
        name: "" if name in ("doi", "arxiv_id") else getattr(entry, name)[: LENGTHS[name]]
        for name in cut
    }
    people = tuple(map(_fitted_person, entry.people[:MOST_AUTHORS]))
    if people != entry.people:
        cut.append("authors")
    files = entry.files[:MOST_FILES]
    return replace(entry, people=people, files=files, **values), tuple(cut)


def _fitted_person(person: Person) -> Person:
    if len(person.shown) <= AUTHOR_LENGTH:
        return person
    family = person.family[:AUTHOR_LENGTH]
    return Person(family, person.given[: max(0, AUTHOR_LENGTH - len(family) - 1)])


def reference_from(fields: Mapping[str, Any], details: Mapping[str, Any], *, key: str) -> Reference:
    """The reference of a document's fields. `details` are of an import or a record, if any."""
    names = [str(name) for name in fields.get("authors", [])]
    people = tuple(Person(str(f), str(g)) for f, g in details.get("people", []))
    if [person.shown for person in people] != names:
        people = tuple(Person.from_shown(name) for name in names)
    venue = str(fields.get("venue") or "")
    return Reference(
        title=str(fields.get("title") or ""),
        people=people,
        year=fields.get("year"),
        venue=venue,
        doi=str(fields.get("doi") or ""),
        arxiv_id=str(fields.get("arxiv_id") or ""),
        language=str(fields.get("language") or ""),
        kind=str(details.get("kind") or kind_of(venue)),
        key=key,
        volume=str(details.get("volume") or ""),
        issue=str(details.get("issue") or ""),
        pages=str(details.get("pages") or ""),
        publisher=str(details.get("publisher") or ""),
    )


def kind_of(venue: str) -> str:
    """The kind of work that appears in such a place."""
    if re.match(r"(?:arxiv|biorxiv|medrxiv|chemrxiv|ssrn|psyarxiv)\b", venue, re.IGNORECASE):
        return "article"
    if re.search(r"\b(?:proceedings|conference|symposium|workshop)\b|会议", venue, re.IGNORECASE):
        return "paper-conference"
    if re.search(r"\bUniversit|大学$|学院$", venue):
        return "thesis"
    return "article-journal" if venue else "document"


def year_in(text: str) -> int | None:
    found = re.search(r"(?<!\d)(1[0-9]\d\d|20\d\d)(?!\d)", text)
    return int(found[1]) if found else None


def doi_from(text: str) -> str:
    """A DOI as it is stored, out of an address or a field; "" if it is none."""
    found = re.search(r"10\.\d{4,9}/\S+", text.strip())
    return found[0].rstrip(".,;").lower() if found and len(found[0]) <= 200 else ""


def arxiv_from(*texts: str) -> str:
    """An arXiv id out of addresses, eprint fields and DOIs of arXiv."""
    pattern = (
        r"(?:arxiv\.org/(?:abs|pdf)/|arxiv[:.]\s*|^)"
        r"(\d{4}\.\d{4,5}(?:v\d+)?|[a-z][a-z.-]*/\d{7}(?:v\d+)?)"
    )
    for text in texts:
        if found := re.search(pattern, text.strip(), re.IGNORECASE):
            return found[1]
    return ""


def language_code(text: str) -> str:
    """ "ngerman", "en-US", "zh-CN" as two letters; "" if unknown."""
    plain = text.strip().lower()
    if plain in LANGUAGES:
        return LANGUAGES[plain]
    return plain[:2] if re.fullmatch(r"[a-z]{2}(?:[-_].*)?", plain) else ""


def one_line(text: str) -> str:
    return plain_title(text)
