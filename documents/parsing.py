"""From a file to the text of its pages, through the isolated reader process.

A page that is too slow, too greedy or breaks the reader is `failed` with its reason; the others
are read all the same.
"""

import hashlib
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _

from documents.catalogue.metadata import read_metadata
from documents.engines.docling_tables import with_table_engine
from documents.engines.layout import pages_with_layout
from documents.engines.ocr import with_ocr
from documents.isolated.isolation import Failure, Reader, ReadingError, borrowed_reader
from documents.isolated.page_replies import asked_page, failed_page
from documents.page_ranges import page_ranges
from documents.pages.margins import with_margins
from documents.pages.page_sections import in_sections
from documents.pages.page_text import PageState, ParsedFileText, ParsedPage, Reason
from documents.reading_labels import reading_label
from documents.tables.table_continuation import with_continued_tables

PARSER = "lito-5"
"""Name of this way of reading. Change it with any change of text, boxes, blocks, tables, chunks."""
DESCRIBING_SECONDS = 30
SURVEY_SECONDS = 10
PATIENCE_SECONDS = 45
"""Time that may be lost on failing pages of one file before the rest of it is given up."""


def parse_pages(
    path: Path | str,
    *,
    start: int = 1,
    before: ParsedPage | None = None,
    ocr: bool = False,
    layout: bool = False,
) -> Iterator[ParsedPage]:
    """The pages of the PDF at `path` from number `start`, one for every page of the file.

    They come in order, each a few pages after it was read, since running heads are known by their
    coming back. A table that goes on from page `before` keeps its headers. With `ocr`, pages
    without usable text are read off their pictures; with `layout`, a model looks at tables that are
    not sure.
    """
    path = Path(path).resolve()
    with borrowed_reader(memory_mb=settings.LITO_PARSE_MEMORY_MB) as reader:
        count = int(_described(reader, path)["pages"])
        usual = _usual_size(reader, path)
        pages = _read_pages(reader, path, range(start, count + 1), usual=usual)
        if ocr:
            pages = with_ocr(path, pages)
        placed: Iterable[ParsedPage] = in_sections(with_margins(pages))
        if layout:
            placed = with_table_engine(path, pages_with_layout(path, placed))
        yield from with_continued_tables(placed, before=before)


def _usual_size(reader: Reader, path: Path) -> float:
    """The type size of most of the text in points; 0 where it can't be told in time."""
    try:
        return float(reader.ask("survey", seconds=SURVEY_SECONDS, path=str(path)).values["size"])
    except ReadingError:
        return 0.0


def _read_pages(
    reader: Reader, path: Path, numbers: range, *, usual: float
) -> Iterator[ParsedPage]:
    """Pages as they are read; once too much time was lost on hopeless ones, no more is tried."""
    patience = float(PATIENCE_SECONDS)
    for number in numbers:
        if patience <= 0:
            yield failed_page(number, Failure.TOO_SLOW)
            continue
        began = time.monotonic()
        seconds = min(settings.LITO_PAGE_SECONDS, patience)
        page = asked_page(reader, "page_text", str(path), number, seconds=seconds, usual=usual)
        if page.state is PageState.FAILED:
            patience -= time.monotonic() - began
        yield page


def parse_file(path: Path | str, *, ocr: bool = False, layout: bool = False) -> ParsedFileText:
    """The whole file: pages, metadata, and warnings that name what could not be read."""
    path = Path(path).resolve()
    with path.open("rb") as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    pages = tuple(parse_pages(path, ocr=ocr, layout=layout))
    with borrowed_reader(memory_mb=settings.LITO_PARSE_MEMORY_MB) as reader:
        info = _described(reader, path)["info"]
    metadata = read_metadata(pages, info=info, file_name=path.name)
    label = reading_label(PARSER, ocr=ocr, layout=layout)
    return ParsedFileText(sha256, label, pages, metadata, tuple(warnings_about(pages)))


def pdf_info(path: Path | str) -> dict[str, str]:
    """What the file says about itself: title, author, dates (`creationDate`), producer."""
    with borrowed_reader(memory_mb=settings.LITO_PARSE_MEMORY_MB) as reader:
        return dict(_described(reader, Path(path).resolve())["info"])


def _described(reader: Reader, path: Path) -> dict[str, Any]:
    return reader.ask("describe", seconds=DESCRIBING_SECONDS, path=str(path)).values


def warnings_about(pages: tuple[ParsedPage, ...]) -> Iterator[str]:
    """Sentences that name the pages without usable text of their own. Blank pages lack nothing."""
    sentences = {
        PageState.NO_TEXT: _("No text on {pages}: probably scans or pictures."),
        PageState.GARBLED: _("The text of {pages} is garbled: it is not what the page shows."),
        PageState.UNSUPPORTED_ROTATION: _("The text of {pages} runs at an angle."),
        PageState.FAILED: _("{pages} could not be read."),
        PageState.OCR: _("The text of {pages} was read by OCR."),
    }
    for state, sentence in sentences.items():
        told = (page for page in pages if page.state is state and page.reason != Reason.BLANK)
        numbers = [page.number for page in told]
        if numbers:
            yield sentence.format(pages=_named(numbers))


def _named(numbers: list[int]) -> str:
    """ "page 2", "pages 2-5, 9"."""
    one = len(numbers) == 1
    words = _("page {numbers}") if one else _("pages {numbers}")
    return words.format(numbers=page_ranges(numbers))
