"""From a stored file to a searchable version, in two recipes: parse, then index.

Slow work is done outside transactions; each short transaction stores one batch together with the
claim's heartbeat. So a recipe may die anywhere, and the next run goes on where it stopped.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import Enum

from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from documents import changes, claiming, storage
from documents.bibliography import describe_document, metadata_of
from documents.chunk_text import text_of
from documents.chunking import chunk_pages
from documents.claiming import Claim, LostClaimError, Unclaimed, Watcher, ignore
from documents.embedding import EmbedderUnavailableError, active_space, embed_passages
from documents.inspecting import RefusedFileError
from documents.isolation import ReadingError
from documents.models import (
    Change,
    Chunk,
    ChunkVector,
    Document,
    EmbeddingSpace,
    ParsedFile,
    Version,
)
from documents.page_text import ChunkSpans, ParsedPage
from documents.parsing import PARSER, parse_pages
from documents.progress import Progress, chunks_to_embed, page_warnings, progress, warnings_of
from documents.stored_pages import first_missing_page, page_texts, store_pages, stored_pages
from documents.tokens import keyword_tokens

__all__ = ["Outcome", "Progress", "index_version", "parse_version", "progress", "warnings_of"]

PAGES_AT_ONCE = 8
SECONDS_AT_ONCE = 1.0
"""Pages are stored when so many are read, or so much time has passed: progress must be seen."""
CHUNKS_AT_ONCE = 16
BEAT_EVERY_CHUNKS = 64
EMBEDDER_UNAVAILABLE = "embedder_unavailable"

State = Version.State
log = logging.getLogger(__name__)


class Outcome(Enum):
    """How a recipe ended, for whoever decides what comes next."""

    DONE = "done"
    NOTHING_TO_DO = "nothing to do"
    BUSY = "busy"
    """Somebody else is at this file: come again."""
    LOST = "lost"
    """Cancelled, removed or taken over while the work went on."""
    FAILED = "failed"


def parse_version(version_id: int, *, watcher: Watcher = ignore) -> Outcome:
    """Read the file's pages and cut them into chunks: then it can be found by its words.

    What another version of the same bytes already has is used as it is. An unexpected error marks
    the version as failed and flies on.
    """
    claim = claiming.claim(version_id, State.PARSING, parser=PARSER, watcher=watcher)
    if isinstance(claim, Unclaimed):
        return Outcome[claim.name]
    return _ended(claim, _parse, _("Reading this file failed. Try again."))


def index_version(version_id: int, *, watcher: Watcher = ignore) -> Outcome:
    """Embed the chunks that have no vector in the active space; then the version is ready.

    Raises `EmbedderUnavailableError` after giving the version back: it stays searchable by words
    and says what it waits for.
    """
    claim = claiming.claim(version_id, State.INDEXING, parser=PARSER, watcher=watcher)
    if isinstance(claim, Unclaimed):
        return Outcome[claim.name]
    return _ended(claim, _index, _("Indexing this file failed. Try again."))


def _parse(claim: Claim) -> None:
    if not claim.parsed.complete:
        _read_pages(claim)
    if not claim.parsed.chunked:
        _cut_chunks(claim)
    _open_to_search(claim)


def _index(claim: Claim) -> None:
    _embed_chunks(claim, active_space())
    claim.release(state=State.READY, ready_at=timezone.now(), attempts=0)


def _ended(claim: Claim, work: Callable[[Claim], None], sentence: str) -> Outcome:
    """Do the work and record how it ended; `sentence` is for an error that nobody foresaw."""
    try:
        work(claim)
    except LostClaimError:
        return Outcome.LOST
    except RefusedFileError as error:
        return _fail(claim, error.code, error.message)
    except ReadingError as error:
        log.warning("version %s could not be read: %s", claim.version.pk, error)
        return _fail(claim, "unreadable", _("The PDF could not be opened within the limits."))
    except FileNotFoundError:
        return _fail(claim, "file_missing", _("The stored file is gone. Upload it again."))
    except EmbedderUnavailableError as error:
        return _wait_for_embedder(claim, error)
    except Exception as error:
        if is_database_gone(error):
            claim.drop()
        else:
            _fail(claim, "internal_error", sentence)
        raise
    return Outcome.DONE


def is_database_gone(error: Exception) -> bool:
    """Whether `error` means that the connection broke, and not that the database said no."""
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    state = getattr(error.__cause__, "sqlstate", None)  # None: nobody was there to say one
    return state is None or state.startswith(("08", "57P"))


def _fail(claim: Claim, code: str, sentence: str) -> Outcome:
    try:
        claim.fail(code, sentence)
    except LostClaimError:
        return Outcome.LOST
    return Outcome.FAILED


def _wait_for_embedder(claim: Claim, error: EmbedderUnavailableError) -> Outcome:
    try:
        claim.release(failure_code=EMBEDDER_UNAVAILABLE, failure=str(error))
    except LostClaimError:
        return Outcome.LOST
    raise error


# --- parsing


def _read_pages(claim: Claim) -> None:
    """Store the pages that are missing, a few at a time."""
    path = storage.file_path(claim.parsed.sha256)
    if not path.is_file():
        raise FileNotFoundError(path)
    start = first_missing_page(claim.parsed)
    if start <= claim.parsed.page_count:
        for pages in _timely(parse_pages(path, start=start)):
            with transaction.atomic():
                claim.beat()
                store_pages(claim.parsed, pages)
    _complete(claim)


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


def _complete(claim: Claim) -> None:
    """Pages in, pages out: mark the reading as whole, with its metadata and warnings."""
    parsed = claim.parsed
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
        claim.beat()
        _update(parsed, metadata=metadata, warnings=warnings, complete=True)


def _cut_chunks(claim: Claim) -> None:
    """Store all chunks with their keyword tokens, or none."""
    parsed = claim.parsed
    pages = stored_pages(parsed)
    rows = list(_with_terms(claim, chunk_pages(pages), {page.number: page.text for page in pages}))
    with transaction.atomic():
        claim.beat()
        parsed.chunks.all().delete()
        Chunk.objects.bulk_create(rows, batch_size=500)
        _update(parsed, chunked=True)


def _with_terms(
    claim: Claim, chunks: Sequence[ChunkSpans], texts: dict[int, str]
) -> Iterator[Chunk]:
    """Rows for `chunks`. The headings above a chunk can be found as words of the chunk."""
    for ordinal, chunk in enumerate(chunks):
        if ordinal % BEAT_EVERY_CHUNKS == BEAT_EVERY_CHUNKS - 1:
            claim.beat()
        yield Chunk(
            parsed=claim.parsed,
            ordinal=ordinal,
            spans=[span.as_json() for span in chunk.spans],
            section=list(chunk.section),
            kind=chunk.kind,
            tokens=chunk.tokens,
            terms=keyword_tokens("\n".join((*chunk.section, text_of(chunk.spans, texts)))),
        )


def _open_to_search(claim: Claim) -> None:
    """From here on the version can be found: in one step with the change log and its metadata."""
    with transaction.atomic():
        # The document before its version, as in `removing.remove`: else both may wait for ever.
        list(Document.objects.select_for_update().filter(pk=claim.version.document_id))
        claim.release(state=State.INDEXING, embedded_chunks=0, attempts=0)
        describe_document(claim.version, claim.parsed)
        changes.record(claim.version.project, Change.Kind.ADDED, claim.version)


def _update(parsed: ParsedFile, **fields: object) -> None:
    for name, value in fields.items():
        setattr(parsed, name, value)
    parsed.save(update_fields=tuple(fields))


# --- indexing


def _embed_chunks(claim: Claim, space: EmbeddingSpace) -> None:
    """Make the vectors that are missing, a few at a time."""
    wanted = chunks_to_embed(claim.parsed)
    missing = wanted.exclude(vectors__space=space).order_by("ordinal")
    chunks = list(missing.only("pk", "spans", "parsed_id"))
    done = wanted.count() - len(chunks)
    claim.beat(embedded_chunks=done)
    for start in range(0, len(chunks), CHUNKS_AT_ONCE):
        batch = chunks[start : start + CHUNKS_AT_ONCE]
        vectors = embed_passages(_texts(claim.parsed, batch))
        done += len(batch)
        with transaction.atomic():
            claim.beat(embedded_chunks=done)
            ChunkVector.objects.bulk_create(
                [
                    ChunkVector(space=space, parsed=claim.parsed, chunk=chunk, vec=vector)
                    for chunk, vector in zip(batch, vectors, strict=True)
                ],
                ignore_conflicts=True,
            )


def _texts(parsed: ParsedFile, chunks: Sequence[Chunk]) -> list[str]:
    spans = [chunk.span_list() for chunk in chunks]
    texts = page_texts(parsed, (span for group in spans for span in group))
    return [text_of(group, texts) for group in spans]
