"""The steps by which a reading is made: pages, chunks, vectors.

Slow work is done outside transactions; each short transaction stores one batch together with the
heartbeat of whoever works on it. So a recipe may die anywhere, and the next run goes on where it
stopped. The same steps serve a new file, which somebody waits for, and the background.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

from django.db import transaction
from django.utils.translation import gettext as _

from documents import storage
from documents.catalogue.bibliography import metadata_of
from documents.chunks.chunk_text import text_of
from documents.chunks.chunk_vectors import VectorHold
from documents.chunks.chunking import chunk_pages
from documents.chunks.tokens import TOKENIZER, keyword_tokens
from documents.inspecting import RefusedFileError
from documents.isolated.isolation import waiting_with
from documents.models import Chunk, ParsedFile
from documents.pages.page_sections import in_sections
from documents.pages.page_text import ChunkSpans, ParsedPage
from documents.progress import page_warnings
from documents.stored_pages import first_missing_page, store_pages, stored_pages

PAGES_AT_ONCE = 8
SECONDS_AT_ONCE = 1.0
"""Pages are stored when so many are read, or so much time has passed: progress must be seen."""
BEAT_EVERY_CHUNKS = 64

PageSource = Callable[[Path, int, ParsedPage | None], Iterator[ParsedPage]]
"""Reads the pages of the file at a path in order, from a page number on, behind the page given."""


class Hold(VectorHold, Protocol):
    """The right to work on a reading. All of them raise `LostClaimError` once it is lost."""

    def pulse(self) -> None:
        """`beat` while a page takes long. Raises `LostClaimError` also if nobody wants it now."""


def read_pages(hold: Hold, pages: PageSource) -> None:
    """Store the pages that are missing, a few at a time; then the reading is complete.

    Raises `FileNotFoundError`, and `RefusedFileError` if pages are missing at the end.
    """
    path = storage.file_path(hold.parsed.sha256)
    if not path.is_file():
        raise FileNotFoundError(path)
    start = first_missing_page(hold.parsed)
    if start <= hold.parsed.page_count:
        earlier = stored_pages(hold.parsed) if start > 1 else []
        missing = pages(path, start, earlier[-1] if earlier else None)
        if earlier:
            # Whoever goes on must know the headings that stand on the pages before.
            missing = in_sections(missing, earlier=earlier)
        with waiting_with(hold.pulse):
            for batch in _timely(missing):
                with transaction.atomic():
                    hold.beat()
                    store_pages(hold.parsed, batch)
                hold.pause()
    _complete(hold)


def _timely(pages: Iterable[ParsedPage]) -> Iterator[list[ParsedPage]]:
    """Pages in batches of at most `PAGES_AT_ONCE`, none held back longer than the page after it."""
    batch: list[ParsedPage] = []
    since = time.monotonic()
    for page in pages:
        batch.append(page)
        if len(batch) >= PAGES_AT_ONCE or time.monotonic() - since >= SECONDS_AT_ONCE:
            yield batch
            batch, since = [], time.monotonic()
    if batch:
        yield batch


def _complete(hold: Hold) -> None:
    """Pages in, pages out: mark the reading as whole, with its metadata and warnings."""
    parsed = hold.parsed
    missing = first_missing_page(parsed)
    if missing <= parsed.page_count:
        raise RefusedFileError(
            "damaged",
            _("The file has %(pages)d pages, but page %(page)d could not be reached.")
            % {"pages": parsed.page_count, "page": missing},
        )
    metadata = metadata_of(parsed)
    warnings = [warning.as_json() for warning in page_warnings(parsed)]
    with transaction.atomic():
        hold.beat()
        _update(parsed, metadata=metadata, warnings=warnings, complete=True)


def cut_chunks(hold: Hold) -> None:
    """Store all chunks with their keyword tokens, or none."""
    parsed = hold.parsed
    pages = stored_pages(parsed)
    rows = list(_with_terms(hold, chunk_pages(pages), {page.number: page.text for page in pages}))
    with transaction.atomic():
        hold.beat()
        parsed.chunks.all().delete()
        Chunk.objects.bulk_create(rows, batch_size=500)
        _update(parsed, chunked=True, tokenizer=TOKENIZER)


def _with_terms(hold: Hold, chunks: Sequence[ChunkSpans], texts: dict[int, str]) -> Iterator[Chunk]:
    """Rows for `chunks`."""
    for ordinal, chunk in enumerate(chunks):
        if ordinal % BEAT_EVERY_CHUNKS == BEAT_EVERY_CHUNKS - 1:
            hold.beat()
        yield Chunk(
            parsed=hold.parsed,
            ordinal=ordinal,
            spans=[span.as_json() for span in chunk.spans],
            section=list(chunk.section),
            kind=chunk.kind,
            tokens=chunk.tokens,
            terms=terms_of(chunk.section, text_of(chunk.spans, texts)),
        )


def terms_of(section: Sequence[str], text: str) -> list[str]:
    """The keyword tokens of a chunk, the headings above it included."""
    return keyword_tokens("\n".join((*section, text)))


def _update(parsed: ParsedFile, **fields: object) -> None:
    for name, value in fields.items():
        setattr(parsed, name, value)
    parsed.save(update_fields=tuple(fields))
