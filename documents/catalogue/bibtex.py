"""BibTeX and BibLaTeX, read and written with `bibtexparser`. Pure."""

import logging
import re
from collections.abc import Iterable, Sequence

from bibtexparser import middlewares
from bibtexparser.entrypoint import parse_string, write_string
from bibtexparser.library import Library
from bibtexparser.model import DuplicateBlockKeyBlock, Entry, Field
from bibtexparser.writer import BibtexFormat
from pylatexenc.latex2text import LatexNodes2Text

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
    "article": "article-journal",
    "inproceedings": "paper-conference",
    "conference": "paper-conference",
    "phdthesis": "thesis",
    "mastersthesis": "thesis",
    "thesis": "thesis",
    "book": "book",
    "incollection": "chapter",
    "inbook": "chapter",
    "techreport": "report",
    "report": "report",
    "online": "article",
    "unpublished": "article",
}
_TYPES = {
    "article-journal": "article",
    "paper-conference": "inproceedings",
    "thesis": "phdthesis",
    "book": "book",
    "chapter": "incollection",
    "report": "techreport",
}
_VENUES = ("journaltitle", "journal", "booktitle", "school", "institution", "howpublished")
_VENUE_OF = {
    "article": "journal",
    "inproceedings": "booktitle",
    "incollection": "booktitle",
    "phdthesis": "school",
    "techreport": "institution",
}
_FORMULA = re.compile(r"(\$[^$]*\\[a-zA-Z][^$]*\$)")
_LATEX = re.compile(r"[\\{}$~]|--")
_SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"} | {
    sign: "\\" + sign for sign in "&%$#_{}"
}
LONGEST_FIELD = 20_000
"""Characters. What follows is no title and no name, and decoding is slower the longer it is."""
_decoder = LatexNodes2Text(math_mode="verbatim", keep_comments=True)


def read_bibtex(text: str) -> tuple[list[Reference], list[str]]:
    """The entries of a `.bib` file, and the lines where others begin that can't be read."""
    for talkative in ("bibtexparser", "pylatexenc"):  # a line for each fault of a hostile field
        logging.getLogger(talkative).setLevel(logging.CRITICAL)
    library = _parsed(text)
    entries = [_reference(entry) for entry in library.entries]
    broken: list[str] = []
    for block in library.failed_blocks:
        again = (
            _parsed(block.raw or "").entries if isinstance(block, DuplicateBlockKeyBlock) else []
        )
        entries += [_reference(entry) for entry in again]
        if not again:
            broken.append(str((block.start_line or 0) + 1))
    return entries, broken


def write_bibtex(references: Iterable[Reference]) -> str:
    """A `.bib` file in UTF-8: signs that mean something to LaTeX are escaped, letters are not."""
    library = Library([_entry(reference) for reference in references])
    style = BibtexFormat()  # type: ignore[no-untyped-call]
    style.indent, style.block_separator = "  ", "\n"
    return write_string(library, bibtex_format=style)


def _parsed(text: str) -> Library:
    names = (middlewares.NormalizeFieldKeys(), middlewares.SeparateCoAuthors())
    return parse_string(text, append_middleware=names)


def decoded(text: str) -> str:
    r"""LaTeX as text: `Fr{\"o}licher` is Frölicher, `\&` is &. Formulas stay as they are."""
    text = text[:LONGEST_FIELD]
    if not _LATEX.search(text):
        return one_line(text)
    whole = re.sub(r"(?<!\\)%", r"\\%", text)
    whole = re.sub(r"\\textasciicircum\b(?:\{\})?", "^", whole)
    try:
        plain = _decoder.latex_to_text(whole)
    except Exception:  # noqa: BLE001  # whatever a hostile field breaks in there, it stays a field
        plain = text
    return one_line(plain.replace("\u00a0", " "))


def _reference(entry: Entry) -> Reference:
    raw = {field.key.lower(): field.value for field in entry.fields}
    authors = raw.pop("author", [])
    text = {key: str(value) for key, value in raw.items()}
    kind = _KINDS.get(entry.entry_type.lower(), "document")
    venue = next((decoded(text[name]) for name in _VENUES if text.get(name)), "")
    archive = text.get("archiveprefix") or text.get("eprinttype") or "arxiv"
    eprint = text.get("eprint", "") if archive.lower() == "arxiv" else ""
    url = text.get("url", "")
    title = decoded(text.get("title", ""))
    if subtitle := decoded(text.get("subtitle", "")):
        title = f"{title}: {subtitle}"
    return Reference(
        title=title,
        people=tuple(_person(name) for name in authors) if isinstance(authors, list) else (),
        year=year_in(text.get("year", "") or text.get("date", "")),
        venue=venue,
        doi=doi_from(text.get("doi", "") or (url if "doi.org/" in url else "")),
        arxiv_id=arxiv_from(eprint, url, text.get("doi", "")),
        language=language_code(text.get("langid", "") or text.get("language", "")),
        kind=kind if kind != "document" else kind_of(venue),
        key=one_line(entry.key)[:120],
        volume=decoded(text.get("volume", "")),
        issue=decoded(text.get("number", "") or text.get("issue", "")),
        pages=decoded(text.get("pages", "")),
        publisher=decoded(text.get("publisher", "")),
        files=(text["file"],) if text.get("file") else (),
    )


def _person(name: str) -> Person:
    """A name in any of BibTeX's three forms; braces around all of it keep it whole."""
    if re.fullmatch(r"\{[^{}]*\}", name.strip()):
        return Person(decoded(name))
    parts = middlewares.SplitNameParts().transform_entry(
        Entry("misc", "k", [Field("author", [name])]), Library()
    )
    split = parts.fields_dict["author"].value[0] if isinstance(parts, Entry) else None
    if split is None:
        return Person.from_inverted(decoded(name))
    family = decoded(" ".join((*split.von, *split.last)))
    given = decoded(" ".join(split.first))
    suffix = decoded(" ".join(split.jr))
    return Person(family, f"{given}, {suffix}" if suffix else given)


def _entry(reference: Reference) -> Entry:
    kind = _TYPES.get(reference.kind, "misc")
    venue = escaped(reference.venue)
    fields: dict[str, str] = {
        "title": _with_capitals(reference.title),
        "author": " and ".join(_written(person) for person in reference.people),
        "year": str(reference.year or ""),
        _VENUE_OF.get(kind, "howpublished"): venue,
        "volume": escaped(reference.volume),
        "number": escaped(reference.issue),
        "pages": escaped(reference.pages).replace("–", "--"),
        "publisher": escaped(reference.publisher),
        "doi": _verbatim(reference.doi),
        "eprint": _verbatim(reference.arxiv_id),
        "archiveprefix": "arXiv" if reference.arxiv_id else "",
        "language": reference.language,
    }
    written = [Field(key, value) for key, value in fields.items() if value]
    return Entry(kind, reference.key, written)


def escaped(text: str) -> str:
    """Text for LaTeX. A formula with commands in it, as an imported title has, stays one."""
    return "".join(
        part if index % 2 else "".join(_SPECIAL.get(sign, sign) for sign in part)
        for index, part in enumerate(_FORMULA.split(text))
    )


def _verbatim(text: str) -> str:
    """Identifiers are written as they are; a brace alone would end the field."""
    return text.replace("{", "%7B").replace("}", "%7D")


def _with_capitals(title: str) -> str:
    """Words with capitals of their own (DNA, mRNA) in braces: styles make the others small."""
    return re.sub(r"(?<![\w\\{])\w+(?![\w}])", _braced, escaped(title))


def _braced(word: re.Match[str]) -> str:
    capitals = any(letter.isupper() for letter in word[0][1:])
    return "{" + word[0] + "}" if capitals else word[0]


def _written(person: Person) -> str:
    if not person.given:
        whole = escaped(person.family)
        return "{" + whole + "}" if re.search(r"[\s,]", whole) else whole
    given, _comma, suffix = person.given.partition(", ")
    parts: Sequence[str] = [person.family, suffix, given] if suffix else [person.family, given]
    return ", ".join(escaped(part) for part in parts)
