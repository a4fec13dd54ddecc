"""Make the vectors that a reading lacks, each once, whoever works at it."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Protocol

import structlog
from django.db import connection, transaction

from documents.chunks.chunk_text import text_of
from documents.models import Chunk, ChunkVector, EmbeddingSpace, ParsedFile
from documents.progress import chunks_to_embed
from documents.stored_pages import page_texts
from documents.vectors.embedding import EmbedderUnavailableError, active_space, embed_passages
from documents.vectors.embedding_spaces import older_spaces_of

CHUNKS_AT_ONCE = 16
GLANCE_SECONDS = 0.5
LOCK = 0x7665 << 48
"""“ve” in ASCII, above the space and the reading."""

log = structlog.get_logger(__name__)


class VectorHold(Protocol):
    """The right to make a reading's vectors. All raise `LostClaimError` once it is lost."""

    @property
    def parsed(self) -> ParsedFile: ...

    def beat(self) -> None:
        """Say that the work goes on. In a transaction: what is stored with it needs the hold."""

    def embedded(self, done: int) -> None:
        """`beat`, and `done` chunks have their vectors."""

    def pause(self) -> None:
        """Before each piece of work: let those go first who are waited for."""


def embed_reading(hold: VectorHold) -> None:
    """Make what is missing in the active space, and before in those that are still searched.

    Raises `EmbedderUnavailableError` if the active one's embedder is away. Without an older one the
    paper is found by its words until its project is searched in the active space.
    """
    for space in older_spaces_of(hold.parsed):
        try:
            embed_chunks(hold, space, counted=False)
        except EmbedderUnavailableError as error:
            log.warning("older_embedder_unavailable", space=str(space), error=str(error))
    embed_chunks(hold, active_space())


def embed_chunks(
    hold: VectorHold, space: EmbeddingSpace, *, counted: bool = True, wait: bool = True
) -> bool:
    """Make the vectors that are missing, a few at a time. Raises `EmbedderUnavailableError`.

    While somebody else is at the same reading in the same space, nothing is made twice: `wait` for
    its turn, or return False. `counted`: the hold is told how many chunks have theirs.
    """
    while True:
        with _alone(space, hold.parsed) as mine:
            if mine:
                _embed_missing(hold, space, counted=counted)
                return True
        if not wait:
            return False
        hold.beat()
        time.sleep(GLANCE_SECONDS)


def _embed_missing(hold: VectorHold, space: EmbeddingSpace, *, counted: bool) -> None:
    wanted = chunks_to_embed(hold.parsed)
    missing = wanted.exclude(vectors__space=space).order_by("ordinal")
    chunks = list(missing.only("pk", "spans", "parsed_id"))
    done = wanted.count() - len(chunks)
    if counted:
        hold.embedded(done)
    for start in range(0, len(chunks), CHUNKS_AT_ONCE):
        hold.pause()
        batch = chunks[start : start + CHUNKS_AT_ONCE]
        vectors = embed_passages(_texts(hold.parsed, batch), space=space)
        done += len(batch)
        with transaction.atomic():
            hold.embedded(done) if counted else hold.beat()
            ChunkVector.objects.bulk_create(
                [
                    ChunkVector(space=space, parsed=hold.parsed, chunk=chunk, vec=vector)
                    for chunk, vector in zip(batch, vectors, strict=True)
                ],
                ignore_conflicts=True,
            )


def _texts(parsed: ParsedFile, chunks: Sequence[Chunk]) -> list[str]:
    spans = [chunk.span_list() for chunk in chunks]
    texts = page_texts(parsed, (span for group in spans for span in group))
    return [text_of(group, texts) for group in spans]


@contextmanager
def _alone(space: EmbeddingSpace, parsed: ParsedFile) -> Iterator[bool]:
    """Whether nobody else makes these vectors now. A dead process's right ends with its session."""
    key = [LOCK | (space.pk & 0xFFFF) << 32 | parsed.pk & 0xFFFFFFFF]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", key)
        mine = cursor.fetchone() == (True,)
    try:
        yield mine
    finally:
        if mine and connection.is_usable():
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_unlock(%s)", key)
