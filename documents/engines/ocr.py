"""Text of pages that have none of their own, or none that can be used: read off their pictures.

The recogniser lives in a child process of its own, since it is large and slow. It runs in the
background or at somebody's command, never before a paper can be searched.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from django.conf import settings

from documents.isolated.isolation import Failure, Reader, Skill, borrowed_reader
from documents.isolated.page_replies import asked_page
from documents.pages.page_text import IN_VAIN, PageState, ParsedPage, Reason
from documents.reading_labels import FOR_OCR

NOT_WORTH_IT = (Reason.BLANK, Reason.NOTHING_FOUND)
GIVEN_UP = "given_up"
SECOND_TRIES, MOST_LOST = 3, 10
"""A file that loses so many pages in a row is hostile or broken: no second tries, then none."""


def with_ocr(
    path: Path | str,
    pages: Iterable[ParsedPage],
    *,
    wanted: Callable[[ParsedPage], bool] | None = None,
    patience: int = 1,
) -> Iterator[ParsedPage]:
    """The pages in order, read off their pictures where they have no usable text.

    A page read off its picture is in state `ocr`, or `unsupported_rotation` if it is askew; if
    nothing can be made of the picture, it is as it was, with the reason. `wanted` chooses among the
    pages that OCR may make something of; without it all are read. Each may take `patience` times
    as long as usual.
    """
    path = Path(path).resolve()
    memory = settings.LITO_OCR_MEMORY_MB
    lost = 0
    with borrowed_reader(memory_mb=memory, skill=Skill.OCR) as reader:  # starts when it is asked
        for page in pages:
            if not wants_ocr(page) or (wanted is not None and not wanted(page)):
                yield page
                continue
            seconds = patience * settings.LITO_OCR_PAGE_SECONDS
            read = _read(reader, path, page, seconds=seconds, tries=_tries(lost))
            lost = lost + 1 if _is_lost(read) else 0
            yield read


def wants_ocr(page: ParsedPage) -> bool:
    """Whether OCR may make something of the page."""
    return (
        page.state in FOR_OCR
        and page.state is not PageState.OCR
        and page.reason not in NOT_WORTH_IT
    )


def _is_lost(page: ParsedPage) -> bool:
    return page.reason.startswith(IN_VAIN) and page.reason != Reason.NOTHING_FOUND


def _tries(lost: int) -> int:
    """How often a page may fail after `lost` pages in a row."""
    return 2 if lost < SECOND_TRIES else 1 if lost < MOST_LOST else 0


def _read(
    reader: Reader, path: Path, page: ParsedPage, *, seconds: float, tries: int
) -> ParsedPage:
    """What OCR makes of the page. If it fails, a new child tries again, with more time."""
    read = replace(page, state=PageState.FAILED, reason=GIVEN_UP)
    for attempt in range(1, tries + 1):
        read = asked_page(reader, "ocr_text", str(path), page.number, seconds=attempt * seconds)
        if read.state is not PageState.FAILED or read.reason == Failure.REFUSED:
            break
    if read.state in (PageState.OCR, PageState.UNSUPPORTED_ROTATION):
        return read
    failed = read.state is PageState.FAILED
    return replace(page, reason=f"{IN_VAIN}{read.reason}" if failed else read.reason)
