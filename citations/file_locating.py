"""Locate quotes in files, without a database. A file is read once for many quotes."""

from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

from citations.locating import Located, locate_quote
from citations.searchable_page import SearchablePage
from documents.inspecting import RefusedFileError, inspect_pdf
from documents.parsing import parse_pages

KEPT_FILES = 8


def locate_in_file(path: Path, quote: str, *, page: int | None = None) -> Located:
    """Find a quote in one PDF, reading no more pages than needed. Raises `RefusedFileError`."""
    inspect_pdf(path)
    pages = []
    for parsed in parse_pages(path, start=max(1, page - 1) if page else 1):
        pages.append(SearchablePage.of(parsed))
        if page is not None and parsed.number > page:
            break
    return locate_quote(quote, pages, page=page)


@lru_cache(maxsize=KEPT_FILES)
def _pages(path: Path) -> list[SearchablePage] | RefusedFileError:
    try:
        inspect_pdf(path)
        return [SearchablePage.of(page) for page in parse_pages(path)]
    except RefusedFileError as error:
        return error


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
        yield locate_quote(case["quote"], pages, page=case.get("page_given")).as_json()


def refusal(code: str, message: str) -> dict[str, Any]:
    return {"error": {"code": code, "message": message}}
