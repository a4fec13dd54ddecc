"""DOIs and arXiv ids as pages and file names carry them. Pure."""

import re
from collections import Counter
from collections.abc import Sequence

from documents.catalogue.front_lines import FrontLine, edge_texts, is_at_edge, spelt_out

_DOI = re.compile(r"\b10\.\d{4,9}/[^\s\"<>，。；、]+", re.IGNORECASE)
_DEPOSIT = re.compile(
    r"^10\.(?:5281/zenodo|6084/m9|5061/dryad|17605/osf|7910/dvn|17632/)", re.IGNORECASE
)
_ARXIV = re.compile(r"arXiv:\s*((?:\d{4}\.\d{4,5}|[a-z.-]+/\d{7})(?:v\d+)?)", re.IGNORECASE)
_ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(\d{4}\.\d{4,5})", re.IGNORECASE)
_ARXIV_NAME = re.compile(r"(?<!\d)(\d{4}\.\d{4,5}(?:v\d+)?)(?!\d)")


def doi_of(first: Sequence[FrontLine], second: Sequence[FrontLine], *, info: str) -> str:
    """The paper's own DOI, lower case; "" if several stand there and none is plainly its own."""
    mine = Counter(_dois(first))
    counts = Counter({doi: n for doi, n in mine.items() if not _is_part(doi, mine)})
    again = Counter(_dois([line for line in second if line.is_margin or is_at_edge(line)]))
    from_info = set(_dois_in(info))
    known = [doi for doi in counts if doi in from_info] or list(counts)
    if len(known) > 1:
        labelled = {doi for line in edge_texts(first) for doi in _dois_in(line)}
        known = [doi for doi in known if again[doi]] or [doi for doi in known if doi in labelled]
    known = [doi for doi in known if not _DEPOSIT.match(doi)]
    if len(known) == 1:
        return known[0]
    return next(iter(again)) if not counts and len(again) == 1 else ""


def doi_in(text: str) -> str:
    """The first DOI of a text, lower case."""
    return next(iter(_dois_in(text)), "")


def arxiv_in(text: str) -> str:
    found = _ARXIV.search(text) or _ARXIV_DOI.search(text)
    return found[1] if found else ""


def arxiv_in_name(file_name: str) -> str:
    """The arXiv id that a file is named by ("2301.01234v2.pdf")."""
    found = _ARXIV_NAME.search(file_name)
    return found[1] if found and 1 <= int(found[1][2:4]) <= 12 else ""


def _dois(lines: Sequence[FrontLine]) -> list[str]:
    """DOIs, put together again where a line end cut them."""
    found: list[str] = []
    texts = [spelt_out(line.text).strip() for line in lines]
    for index, text in enumerate(texts):
        following = texts[index + 1] if index + 1 < len(texts) else ""
        for match in _DOI.finditer(text):
            doi = match[0]
            cut = match.end() == len(text) and re.search(r"(?:[./_-]|\.journal)$", doi)
            if cut and (rest := re.match(r"[\w./()-]+", following)):
                doi += rest[0]
            found.append(_trimmed(doi))
    return found


def _dois_in(text: str) -> list[str]:
    return [_trimmed(match[0]) for match in _DOI.finditer(text)]


def _trimmed(doi: str) -> str:
    plain = doi.rstrip(".,;:'”’]}|")
    while plain.endswith(")") and plain.count(")") > plain.count("("):
        plain = plain[:-1].rstrip(".,;:")
    plain = re.sub(r"(?:\.full)?\.pdf$|/full$", "", plain, flags=re.IGNORECASE)
    return plain.lower()


def _is_part(doi: str, others: Counter[str]) -> bool:
    """A DOI of a figure, or one that a line end cut short."""
    longer = any(other != doi and other.startswith(doi) and len(doi) > 8 for other in others)
    figure = any(re.fullmatch(re.escape(o) + r"\.[gts]\d{3}", doi) for o in others if o != doi)
    return figure or (longer and doi.endswith((".", "/", "journal")))
