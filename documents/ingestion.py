"""From a stored file to a searchable version, in two recipes: parse, then index."""

import logging
from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path

from django.db import InterfaceError, OperationalError, transaction
from django.utils import timezone

from documents import claiming
from documents.catalogue.bibliography import describe_document
from documents.chunks.chunk_vectors import embed_reading
from documents.claiming import Claim, LostClaimError, Unclaimed, Watcher, ignore
from documents.failures import FILE_MISSING, INTERNAL_ERROR, UNREADABLE
from documents.inspecting import RefusedFileError
from documents.isolated.isolation import ReadingError
from documents.models import Version
from documents.pages.page_text import ParsedPage
from documents.parsing import PARSER, parse_pages
from documents.progress import Progress, progress, warnings_of
from documents.reading_steps import cut_chunks, read_pages
from documents.readings import first_label
from documents.vectors.embedding import EmbedderUnavailableError
from documents.versions import hold_document, take_over

__all__ = ["Outcome", "Progress", "index_version", "parse_version", "progress", "warnings_of"]

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
    label = _first_label(version_id)
    claim = claiming.claim(version_id, State.PARSING, parser=label, watcher=watcher)
    if isinstance(claim, Unclaimed):
        return Outcome[claim.name]
    return _ended(claim, _parse)


def index_version(version_id: int, *, watcher: Watcher = ignore) -> Outcome:
    """Embed the chunks that have no vector in the active space; then the version is ready.

    Raises `EmbedderUnavailableError` after giving the version back: it stays searchable by words
    and says what it waits for.
    """
    claim = claiming.claim(version_id, State.INDEXING, parser=PARSER, watcher=watcher)
    if isinstance(claim, Unclaimed):
        return Outcome[claim.name]
    return _ended(claim, _index)


def _first_label(version_id: int) -> str:
    version = Version.objects.select_related("project").filter(pk=version_id).first()
    return first_label(version) if version else PARSER


def _parse(claim: Claim) -> None:
    if not claim.parsed.complete:
        read_pages(claim, _pages)
    if not claim.parsed.chunked:
        cut_chunks(claim)
    _open_to_search(claim)


def _pages(path: Path, start: int, before: ParsedPage | None) -> Iterator[ParsedPage]:
    return parse_pages(path, start=start, before=before)


def _index(claim: Claim) -> None:
    embed_reading(claim)
    claim.release(state=State.READY, ready_at=timezone.now(), attempts=0)


def _ended(claim: Claim, work: Callable[[Claim], None]) -> Outcome:
    """Do the work and record how it ended."""
    try:
        work(claim)
    except LostClaimError:
        return Outcome.LOST
    except RefusedFileError as error:
        return _fail(claim, error.code, error.message)
    except ReadingError as error:
        log.warning("version %s could not be read: %s", claim.version.pk, error)
        return _fail(claim, UNREADABLE)
    except FileNotFoundError:
        return _fail(claim, FILE_MISSING)
    except EmbedderUnavailableError as error:
        return _wait_for_embedder(claim, error)
    except Exception as error:
        if is_database_gone(error):
            claim.drop()
        else:
            _fail(claim, INTERNAL_ERROR)
        raise
    return Outcome.DONE


def is_database_gone(error: Exception) -> bool:
    """Whether `error` means that the connection broke, and not that the database said no."""
    if not isinstance(error, OperationalError | InterfaceError):
        return False
    state = getattr(error.__cause__, "sqlstate", None)  # None: nobody was there to say one
    return state is None or state.startswith(("08", "57P"))


def _fail(claim: Claim, code: str, sentence: str = "") -> Outcome:
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


def _open_to_search(claim: Claim) -> None:
    """From here on the version can be found: in one step with the change log and its metadata."""
    with transaction.atomic():
        hold_document(claim.version.document_id)
        claim.release(state=State.INDEXING, embedded_chunks=0, attempts=0)
        describe_document(claim.version, claim.parsed)
        take_over(claim.version)
