"""What OCR and a layout model add to the text tier of a file, page by page, in the background.

A page that it does not concern is copied as it is. Each page is handed on as soon as it is read, so
that it can be stored: whoever takes the work up again begins behind the last stored page.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import chain
from pathlib import Path

from documents.engines.docling_tables import with_table_engine
from documents.engines.layout import pages_with_layout
from documents.engines.ocr import with_ocr
from documents.models import ParsedFile
from documents.pages.margins import REACH, with_margins
from documents.pages.page_sections import Sections
from documents.pages.page_text import PageState, ParsedPage
from documents.reading_labels import Label
from documents.stored_pages import pages_with_boxes


def refined(path: Path, text_tier: ParsedFile, label: Label, start: int) -> Iterator[ParsedPage]:
    """The pages of the reading `label` of the file at `path`, from number `start`.

    They are made of the complete reading `text_tier`; pages before `start` are stored already.
    """
    done = _stored(text_tier.sha256, str(label), before=start)
    pages: Iterable[ParsedPage] = pages_with_boxes(_before(text_tier, label), start=start)
    if label.ocr:
        pages = with_ocr(path, pages, patience=1 + label.again)
    placed: Iterable[ParsedPage] = _placed(chain(done, pages))
    placed = (page for page in placed if page.number >= start)
    if label.layout:
        placed = with_table_engine(path, pages_with_layout(path, placed))
    yield from placed


def _before(text_tier: ParsedFile, label: Label) -> ParsedFile:
    """The reading that this one adds to: where OCR tries once more, what it read is kept."""
    if not label.again:
        return text_tier
    earlier = str(replace(label, again=label.again - 1))
    made = ParsedFile.objects.filter(sha256=text_tier.sha256, parser=earlier, complete=True)
    return made.first() or text_tier


def _stored(sha256: str, label: str, *, before: int) -> Iterator[ParsedPage]:
    reading = ParsedFile.objects.filter(sha256=sha256, parser=label).first()
    return pages_with_boxes(reading, before=before) if reading else iter(())


def _placed(pages: Iterable[ParsedPage]) -> Iterator[ParsedPage]:
    """Pages read by OCR with their running heads told, and their blocks in the sections that they
    stand in, as the text tier does it. Only pages before are looked at: those behind are not read.
    """
    window: deque[ParsedPage] = deque(maxlen=REACH + 1)
    sections = Sections()
    for page in pages:
        window.append(page)
        *_, marked = with_margins(window)
        is_new = page.state is PageState.OCR
        placed = sections.placed(marked if is_new else page)
        yield placed if is_new else page
