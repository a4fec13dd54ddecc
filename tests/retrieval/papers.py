"""Papers in a project, without a PDF: the rows that ingestion would store."""

import hashlib
from collections.abc import Sequence

from django.utils import timezone

from documents.chunks.tokens import keyword_tokens
from documents.models import Change, Chunk, ChunkVector, Document, Page, ParsedFile, Version
from documents.vectors.embedding import active_space, embed_passages
from projects.models import Project, User

Paragraph = tuple[str, str, str]
"""Kind, section, text."""


def new_project(slug: str = "library") -> Project:
    user, _ = User.objects.get_or_create(username="reader")
    return Project.objects.create(slug=slug, name=slug.title(), created_by=user)


def add_paper(
    project: Project, title: str, paragraphs: Sequence[Paragraph], *, embedded: bool = True
) -> Version:
    """A ready version with one page per three paragraphs, one chunk per paragraph."""
    content = "\n".join(text for _, _, text in paragraphs)
    parsed, made = ParsedFile.objects.get_or_create(
        sha256=hashlib.sha256(f"{title}\n{content}".encode()).hexdigest(),
        parser="test-1",
        defaults={"page_count": (len(paragraphs) + 2) // 3, "complete": True, "chunked": True},
    )
    if made:
        _store(parsed, paragraphs, embedded=embedded)
    document = Document.objects.create(project=project, title=title)
    version = Version.objects.create(
        document=document,
        project=project,
        sha256=parsed.sha256,
        file_name=f"{title}.pdf",
        size=1,
        page_count=parsed.page_count,
        parsed=parsed,
        state=Version.State.READY,
    )
    Change.objects.create(
        project=project, kind="added", file_id=version.public_id, parsed_id=parsed.pk
    )
    return version


def _store(parsed: ParsedFile, paragraphs: Sequence[Paragraph], *, embedded: bool) -> None:
    pages: dict[int, str] = {}
    chunks = []
    for ordinal, (kind, section, text) in enumerate(paragraphs):
        number = ordinal // 3 + 1
        before = pages.get(number, "")
        start = len(before) + 1 if before else 0
        pages[number] = f"{before}\n{text}" if before else text
        chunks.append(
            Chunk(
                parsed=parsed,
                ordinal=ordinal,
                spans=[[number, start, start + len(text)]],
                section=[section] if section else [],
                kind=kind,
                tokens=len(text.split()),
                terms=keyword_tokens(text),
            )
        )
    Page.objects.bulk_create(
        Page(parsed=parsed, number=number, state="ok", text=text) for number, text in pages.items()
    )
    Chunk.objects.bulk_create(chunks)
    if embedded and chunks:
        vectors = embed_passages([text for _, _, text in paragraphs])
        ChunkVector.objects.bulk_create(
            ChunkVector(space=active_space(), parsed=parsed, chunk=chunk, vec=vector)
            for chunk, vector in zip(chunks, vectors, strict=True)
        )


def remove_paper(version: Version) -> None:
    Document.objects.filter(pk=version.document_id).update(removed_at=timezone.now())
    Change.objects.create(
        project=version.project,
        kind="removed",
        file_id=version.public_id,
        parsed_id=version.parsed_id,
    )
