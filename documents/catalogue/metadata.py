"""Title, authors, year, venue, identifiers and language of a file, each with its source. Pure.

Where the pages don't plainly say what a field is, it stays empty: people fill in what is missing,
but believe what stands there.
"""

from collections.abc import Mapping, Sequence

from documents.catalogue.author_names import names_from_info
from documents.catalogue.front_lines import FrontLine, front_lines, spelt_out
from documents.catalogue.front_title import authors_under, title_group, title_text
from documents.catalogue.identifiers import arxiv_in, arxiv_in_name, doi_in, doi_of
from documents.catalogue.publication import venue_of, year_of
from documents.catalogue.titles import clean_title, is_junk_title, name_parts
from documents.pages.languages import language_of
from documents.pages.page_text import Field, PageState, ParsedPage

__all__ = ["FILE_NAME", "FIRST_PAGE", "FRONT_PAGES", "PDF_INFO", "language_of", "read_metadata"]

FRONT_PAGES = 6
"""Pages that metadata are read from; boxes count on the first two of them only."""
FIRST_PAGE, PDF_INFO, FILE_NAME = "first_page", "pdf_info", "file_name"
Choices = dict[str, list[tuple[object, str]]]


def read_metadata(
    pages: Sequence[ParsedPage], *, info: Mapping[str, str], file_name: str
) -> dict[str, Field]:
    """The fields that were found: title, authors, year, venue, doi, arxiv_id, language.

    `info` is what the file says about itself. The first page wins over it where both are usable.
    """
    found: dict[str, Field] = {}
    info = {key: spelt_out(str(value)) for key, value in info.items()}
    for name, candidates in _choices(pages, info, file_name).items():
        for value, source in candidates:
            if value:
                found[name] = Field(value, source)
                break
    return found


def _choices(pages: Sequence[ParsedPage], info: Mapping[str, str], file_name: str) -> Choices:
    named = name_parts(file_name)
    first, second = _front(pages)
    shown = "\n".join(spelt_out(line.text) for line in (*first, *second))
    info_title = _info_title(info)
    group = title_group(
        first, info_title=info_title, elsewhere="\n".join(line.text for line in second)
    )
    title = title_text(group, first)
    subject = info.get("subject", "")
    from_info = names_from_info(info.get("author", ""), shown) if info.get("author") else []
    under = authors_under(group, first) if title else []
    arxiv = arxiv_in(shown)
    return {
        "title": [(title, FIRST_PAGE), (info_title, PDF_INFO), (named.title, FILE_NAME)],
        "authors": [
            *_longer_first(under, from_info),
            (list(named.authors), FILE_NAME),
        ],
        "year": [
            (year_of(first, second, title=title or info_title), FIRST_PAGE),
            (named.year, FILE_NAME),
        ],
        "venue": [
            (venue_of(first, second, title=title or info_title, subject=subject), FIRST_PAGE)
        ],
        "doi": [
            (doi_of(first, second, info=" ".join(info.values())), FIRST_PAGE),
            (doi_in(" ".join((subject, info.get("title", "")))), PDF_INFO),
        ],
        "arxiv_id": [(arxiv, FIRST_PAGE), (arxiv_in_name(file_name), FILE_NAME)],
        "language": [
            (language_of("\n".join(page.text for page in pages[:FRONT_PAGES])), FIRST_PAGE)
        ],
    }


def _front(pages: Sequence[ParsedPage]) -> tuple[list[FrontLine], list[FrontLine]]:
    """The lines of the first page that has text, and of the page after it."""
    texts = [
        index
        for index, page in enumerate(pages[:3])
        if page.text.strip() and page.state is not PageState.GARBLED
    ]
    if not texts:
        return [], []
    start = texts[0]
    second = front_lines(pages[start + 1]) if start + 1 < len(pages) else []
    return front_lines(pages[start]), second


def _info_title(info: Mapping[str, str]) -> str:
    title = clean_title(info.get("title", ""))
    return "" if is_junk_title(title) else title


def _longer_first(under: list[str], from_info: list[str]) -> list[tuple[object, str]]:
    """The page's own list, unless the file names more people who all stand on its first pages."""
    choices: list[tuple[object, str]] = [(under, FIRST_PAGE), (from_info, PDF_INFO)]
    return choices[::-1] if len(from_info) > max(len(under), 1) else choices
