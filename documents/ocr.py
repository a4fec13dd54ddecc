"""Text of pages that have none of their own, or none that can be used: read off their pictures.

The recogniser lives in a child process of its own, since it is large and slow. It runs in the
background or at somebody's command, never before a paper can be searched.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

from django.conf import settings

from documents.isolation import Reader, Skill, borrowed_reader
from documents.page_replies import asked_page
from documents.page_text import PageState, ParsedPage, Reason
from documents.reading_labels import FOR_OCR

NOT_WORTH_IT = (Reason.BLANK, Reason.NOTHING_FOUND)


def ocr_page(path: Path | str, page: ParsedPage) -> ParsedPage:
    """The page as its picture shows it, in state `ocr`, or `unsupported_rotation` if it is askew.

    If nothing can be made of the picture, `page` itself, with the reason.
    """
    with _borrowed() as reader:
        return _read(reader, Path(path).resolve(), page)


def with_ocr(
    path: Path | str,
    pages: Iterable[ParsedPage],
    *,
    wanted: Callable[[ParsedPage], bool] | None = None,
) -> Iterator[ParsedPage]:
    """The pages in order, read off their pictures where they have no usable text.

    `wanted` chooses among the pages that OCR may make something of; without it all are read.
    """
    path = Path(path).resolve()
    with _borrowed() as reader:  # starts nothing until it is asked
        for page in pages:
            chosen = wants_ocr(page) and (wanted is None or wanted(page))
            yield _read(reader, path, page) if chosen else page


def wants_ocr(page: ParsedPage) -> bool:
    """Whether OCR may make something of the page."""
    return (
        page.state in FOR_OCR
        and page.state is not PageState.OCR
        and page.reason not in NOT_WORTH_IT
    )


def _borrowed() -> AbstractContextManager[Reader]:
    return borrowed_reader(memory_mb=settings.LITO_OCR_MEMORY_MB, skill=Skill.OCR)


def _read(reader: Reader, path: Path, page: ParsedPage) -> ParsedPage:
    seconds = settings.LITO_OCR_PAGE_SECONDS
    read = asked_page(reader, "ocr_text", str(path), page.number, seconds=seconds)
    if read.state in (PageState.OCR, PageState.UNSUPPORTED_ROTATION):
        return read
    failed = read.state is PageState.FAILED
    return replace(page, reason=f"ocr_{read.reason}" if failed else read.reason)
