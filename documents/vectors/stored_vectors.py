"""Vectors that are there already: a text is embedded once, in however many readings it stands."""

from collections.abc import Iterable
from typing import Any

from django.db import connection

from documents.chunks.chunk_text import text_of
from documents.models import ChunkVector, EmbeddingSpace, ParsedFile
from documents.progress import chunks_to_embed
from documents.stored_pages import page_texts

COPY = """
INSERT INTO {table} (space_id, parsed_id, chunk_id, vec)
SELECT known.space_id, %(reading)s, pairs.target, known.vec
FROM unnest(%(sources)s::bigint[], %(targets)s::bigint[]) AS pairs (source, target)
JOIN {table} AS known ON known.chunk_id = pairs.source
ON CONFLICT DO NOTHING
"""


def copy_vectors(reading: ParsedFile) -> int:
    """Give chunks of `reading` the vectors that the same text has in other readings of its file.

    In every embedding space; return how many vectors were copied.
    """
    others = ParsedFile.objects.filter(sha256=reading.sha256, chunked=True).exclude(pk=reading.pk)
    copied = 0
    for other in others.order_by("-pk"):
        known = {text: pk for pk, text in _chunk_texts(other)}
        pairs = [(known[text], pk) for pk, text in _chunk_texts(reading) if text in known]
        copied += _copy(reading, pairs)
    return copied


def _chunk_texts(reading: ParsedFile) -> Iterable[tuple[int, str]]:
    chunks = list(reading.chunks.order_by("ordinal").only("pk", "spans", "parsed_id"))
    texts = page_texts(reading, (span for chunk in chunks for span in chunk.span_list()))
    return ((chunk.pk, text_of(chunk.span_list(), texts)) for chunk in chunks)


def _copy(reading: ParsedFile, pairs: list[tuple[int, int]]) -> int:
    if not pairs:
        return 0
    table = connection.ops.quote_name(ChunkVector._meta.db_table)  # noqa: SLF001 (documented API)
    sources, targets = zip(*pairs, strict=True)
    with connection.cursor() as cursor:
        values: dict[str, Any] = {"sources": list(sources), "targets": list(targets)}
        cursor.execute(COPY.format(table=table), values | {"reading": reading.pk})
        return int(cursor.rowcount)


def lacks_vectors(reading: ParsedFile) -> bool:
    """Whether a chunk of `reading` still waits for its vector in the active space."""
    space = EmbeddingSpace.objects.filter(active=True).first()
    return chunks_to_embed(reading).exclude(vectors__space=space).exists()
