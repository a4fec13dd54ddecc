"""Locate quotes in files, without a database. A file is read once for many quotes."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import takewhile
from pathlib import Path
from typing import Any

from citations.locating import Located, locate_quote
from citations.searchable_page import SearchablePage
from documents.engines.ocr import with_ocr
from documents.inspecting import RefusedFileError, inspect_pdf
from documents.pages.page_text import PageState, ParsedPage
from documents.parsing import parse_pages

KEPT_FILES = 8


@dataclass(frozen=True, slots=True)
class _FilePage:
    """A page of a file, and the same page ready for locating."""

    parsed: ParsedPage
    searchable: SearchablePage


def locate_in_file(path: Path, quote: str, *, page: int | None = None) -> Located:
    """Find a quote in one PDF, reading no more pages than needed. Raises `RefusedFileError`.

    A page without text is read by OCR: only that page, if one is given.
    """
    inspect_pdf(path)
    pages = parse_pages(path, start=max(1, page - 1) if page else 1)
    if page is not None:
        pages = takewhile(lambda parsed: parsed.number <= page + 1, pages)
    seen = with_ocr(path, pages, wanted=partial(_is_asked_for, page))
    return locate_quote(quote, list(map(SearchablePage.of, seen)), page=page)


def _is_asked_for(page: int | None, parsed: ParsedPage) -> bool:
    """Whether OCR should read it. Quotes of a garbled page are of its own text layer."""
    return parsed.state is PageState.NO_TEXT and page in (None, parsed.number)


def locate_cases(cases: Iterator[dict[str, Any]], folder: Path) -> Iterator[dict[str, Any]]:
    """One result for each case `{"file", "quote", "page_given"}`, in order.

    A refused file gives `{"error": {"code", "message"}}` and the next case goes on.
    """
    for case in cases:
        path = folder / case["file"]
        if not path.is_file():
            yield refusal("not_found", f"There is no file {case['file']}.")
            continue
        pages = _pages(path)
        if isinstance(pages, RefusedFileError):
            yield refusal(pages.code, str(pages))
            continue
        page = case.get("page_given")
        _read_by_ocr(path, pages, page)
        yield locate_quote(case["quote"], [each.searchable for each in pages], page=page).as_json()


@lru_cache(maxsize=KEPT_FILES)
def _pages(path: Path) -> list[_FilePage] | RefusedFileError:
    try:
        inspect_pdf(path)
        return [_FilePage(page, SearchablePage.of(page)) for page in parse_pages(path)]
    except RefusedFileError as error:
        return error


def _read_by_ocr(path: Path, pages: list[_FilePage], page: int | None) -> None:
    """Replace, in place, the pages that this case needs and that only OCR can read."""
    wanted = [index for index, each in enumerate(pages) if _is_asked_for(page, each.parsed)]
    seen = with_ocr(path, [pages[index].parsed for index in wanted])
    for index, parsed in zip(wanted, seen, strict=True):
        pages[index] = _FilePage(parsed, SearchablePage.of(parsed))


def refusal(code: str, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}
