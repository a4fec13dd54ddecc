"""A project made of plain texts for a measurement, gone when the block ends."""

import hashlib
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np
from django.db import transaction

from documents.chunks.chunk_text import text_of
from documents.chunks.chunking import chunk_pages
from documents.models import Chunk, ChunkVector, Document, Page, ParsedFile, Version
from documents.pages.languages import language_of
from documents.pages.page_text import PageState, ParsedPage, Span
from documents.reading_steps import terms_of
from documents.vectors.embedding import active_space, embed_passages
from projects.models import Project
from retrieval import keyword_index
from retrieval.evidence import Scope
from retrieval.question_set import SetDocument
from retrieval.scope import project_scope

PARSER = "plain-text"
AT_ONCE = 64


@dataclass
class TemporaryLibrary:
    """`owner` says whose a chunk is; `spans` where it stands in the document's text."""

    scope: Scope
    owner: dict[int, str] = field(default_factory=dict)
    spans: dict[int, tuple[tuple[int, int], ...]] = field(default_factory=dict)


@contextmanager
def temporary_library(documents: Sequence[SetDocument]) -> Iterator[TemporaryLibrary]:
    """The documents cut, indexed and embedded as the product does it.

    All rows live in one transaction that is rolled back, so that nobody else ever sees them.
    """
    with transaction.atomic():
        name = f"measurement-{secrets.token_hex(4)}"
        project = Project.objects.create(slug=name, name=name)
        try:
            yield _filled(project, documents)
        finally:
            keyword_index.forget(project.public_id)
            transaction.set_rollback(True)


def _filled(project: Project, documents: Sequence[SetDocument]) -> TemporaryLibrary:
    owner: dict[int, str] = {}
    spans: dict[int, tuple[tuple[int, int], ...]] = {}
    waiting: list[tuple[Chunk, str]] = []
    for document in documents:
        for chunk, text in _stored(project, document):
            owner[chunk.pk] = document.key
            spans[chunk.pk] = _text_spans(chunk, document)
            waiting.append((chunk, text))
        if len(waiting) >= AT_ONCE:
            _embed(waiting)
            waiting.clear()
    _embed(waiting)
    return TemporaryLibrary(project_scope(project), owner, spans)


def _stored(project: Project, document: SetDocument) -> list[tuple[Chunk, str]]:
    text = _whole_text(document)
    digest = hashlib.sha256(f"{project.slug}\n{document.key}\n{text}".encode()).hexdigest()
    parsed = ParsedFile.objects.create(
        sha256=digest, parser=PARSER, page_count=1, complete=True, chunked=True
    )
    Page.objects.create(parsed=parsed, number=1, state=PageState.OK, text=text)
    page = ParsedPage(1, "1", PageState.OK, text, np.zeros((len(text), 4), np.float32), 1, 1)
    chunks = []
    for ordinal, cut in enumerate(chunk_pages([page])):
        content = text_of(cut.spans, {1: text})
        row = Chunk(
            parsed=parsed,
            ordinal=ordinal,
            spans=[span.as_json() for span in cut.spans],
            section=list(cut.section),
            kind=cut.kind,
            tokens=cut.tokens,
            terms=terms_of(cut.section, content),
        )
        chunks.append((row, content))
    Chunk.objects.bulk_create([row for row, _ in chunks])
    paper = Document.objects.create(
        project=project, title=document.title[:500], language=language_of(text)
    )
    Version.objects.create(
        document=paper,
        project=project,
        sha256=digest,
        file_name=document.key[:255],
        size=len(text),
        page_count=1,
        parsed=parsed,
        state=Version.State.READY,
    )
    return chunks


def _whole_text(document: SetDocument) -> str:
    return f"{document.title}\n{document.text}" if document.title else document.text


def _text_spans(chunk: Chunk, document: SetDocument) -> tuple[tuple[int, int], ...]:
    """The chunk's spans as offsets in the document's own text, without the title before it."""
    before = len(_whole_text(document)) - len(document.text)
    return tuple((span.start - before, span.end - before) for span in map(_as_span, chunk.spans))


def _as_span(values: Sequence[int]) -> Span:
    return Span(*values)


def _embed(chunks: Sequence[tuple[Chunk, str]]) -> None:
    vectors = embed_passages([text for _, text in chunks])
    space = active_space()
    ChunkVector.objects.bulk_create(
        ChunkVector(space=space, parsed_id=chunk.parsed_id, chunk=chunk, vec=vector)
        for (chunk, _), vector in zip(chunks, vectors, strict=True)
    )
