"""Keyword tokens made anew when the tokenizer has changed, reading by reading, in the background.

Search goes on meanwhile: most words give the same tokens by both editions.
"""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import QuerySet

from documents.chunks.chunk_text import text_of
from documents.chunks.tokens import TOKENIZER
from documents.models import Chunk, ParsedFile
from documents.reading_steps import terms_of
from documents.stored_pages import page_texts

CHUNKS_AT_ONCE = 500


def outdated_readings() -> QuerySet[ParsedFile]:
    """Readings with terms of an older edition, those in use first."""
    return ParsedFile.objects.filter(chunked=True, tokenizer__lt=TOKENIZER).order_by("pk")


def renew_terms(parsed: ParsedFile) -> None:
    """Make the terms of all chunks of a reading by the present edition, in one transaction."""
    with transaction.atomic():
        found = outdated_readings().select_for_update().filter(pk=parsed.pk).first()
        if found is None:  # gone, or somebody else was faster
            return
        parsed = found
        rows = list(parsed.chunks.only("pk", "spans", "section", "parsed_id").order_by("ordinal"))
        for start in range(0, len(rows), CHUNKS_AT_ONCE):
            _renew(parsed, rows[start : start + CHUNKS_AT_ONCE])
        parsed.tokenizer = TOKENIZER
        parsed.save(update_fields=["tokenizer"])


def _renew(parsed: ParsedFile, chunks: Sequence[Chunk]) -> None:
    spans = [chunk.span_list() for chunk in chunks]
    texts = page_texts(parsed, (span for group in spans for span in group))
    for chunk, group in zip(chunks, spans, strict=True):
        chunk.terms = terms_of(chunk.section, text_of(group, texts))
    Chunk.objects.bulk_update(chunks, ["terms"], batch_size=100)
