"""A project made of the papers of a case file, and what may happen to it. Gone when the block ends.

Its rows are committed, since a run's signs of life come from a thread of its own.
"""

import hashlib
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from django.utils import timezone

from chat.carryover_cases import Paper
from chat.models import Conversation
from citations.anchoring import Anchor
from citations.citing import CitedEvidence
from documents.chunks.tokens import keyword_tokens
from documents.models import Change, Chunk, ChunkVector, Document, Page, ParsedFile, Version
from documents.pages.page_text import PageState, Span
from documents.vectors.embedding import active_space, embed_passages
from projects.models import Membership, Project, User
from retrieval import keyword_index

PARSER = "plain-text"


@dataclass(frozen=True, slots=True)
class CarryoverLibrary:
    """`texts` has each passage by its key, `versions` each paper by its own."""

    project: Project
    user: User
    papers: Mapping[str, Paper]
    versions: Mapping[str, Version]
    texts: Mapping[str, str]

    def change(self, what: str, papers: Sequence[str], conversation: Conversation) -> None:
        """Let something happen between two questions."""
        match what:
            case "remove":
                self._set_removed(papers, is_so=True)
            case "bring_back":
                self._set_removed(papers, is_so=False)
            case "leave":
                Membership.objects.filter(project=self.project, user=self.user).delete()
            case "join":
                self._join()
            case "scope":
                chosen = [self.versions[key].document.public_id for key in papers]
                Conversation.objects.filter(pk=conversation.pk).update(document_ids=chosen)
            case _:
                raise ValueError(f"nothing is called {what!r}")

    def restore(self) -> None:
        """As it was at the beginning."""
        self._set_removed(list(self.versions), is_so=False)
        self._join()

    def page_source(self, paper: str, page: int) -> CitedEvidence:
        """A whole page, as it is handed to a model that reads a paper in full."""
        version = self.versions[paper]
        text = "\n".join(self.papers[paper].pages[page - 1].values())
        anchor = Anchor(
            version.document.public_id, version.sha256, PARSER, (Span(page, 0, len(text)),), text
        )
        return CitedEvidence(version.public_id, self.papers[paper].title, anchor, page)

    def _join(self) -> None:
        Membership.objects.get_or_create(
            project=self.project, user=self.user, defaults={"role": Membership.Role.VIEWER}
        )

    def _set_removed(self, papers: Sequence[str], *, is_so: bool) -> None:
        kind = Change.Kind.REMOVED if is_so else Change.Kind.ADDED
        for key in papers:
            version = self.versions[key]
            changed = Document.objects.filter(pk=version.document_id, removed_at__isnull=is_so)
            if changed.update(removed_at=timezone.now() if is_so else None):
                Change.objects.create(
                    project=self.project,
                    kind=kind,
                    file_id=version.public_id,
                    parsed_id=version.parsed_id,
                )


@contextmanager
def carryover_library(papers: Sequence[Paper]) -> Iterator[CarryoverLibrary]:
    name = f"measurement-{secrets.token_hex(4)}"
    user = User.objects.create_user(name)
    project = Project.objects.create(slug=name, name=name, created_by=user)
    try:
        versions = {paper.key: _stored(project, paper) for paper in papers}
        texts = {key: text for paper in papers for key, _, text in paper.passages()}
        by_key = {paper.key: paper for paper in papers}
        library = CarryoverLibrary(project, user, by_key, versions, texts)
        library.restore()
        yield library
    finally:
        keyword_index.forget(project.public_id)
        hashes = list(project.versions.values_list("sha256", flat=True))
        project.delete()
        ParsedFile.objects.filter(sha256__in=hashes, parser=PARSER).delete()
        user.delete()


def _stored(project: Project, paper: Paper) -> Version:
    digest = hashlib.sha256(f"{project.slug}\n{paper.key}".encode()).hexdigest()
    parsed = ParsedFile.objects.create(
        sha256=digest, parser=PARSER, page_count=len(paper.pages), complete=True, chunked=True
    )
    Page.objects.bulk_create(
        Page(parsed=parsed, number=number, state=PageState.OK, text="\n".join(page.values()))
        for number, page in enumerate(paper.pages, 1)
    )
    _store_chunks(parsed, paper)
    document = Document.objects.create(project=project, title=paper.title, language=paper.language)
    version = Version.objects.create(
        document=document,
        project=project,
        sha256=digest,
        file_name=f"{paper.key}.pdf",
        size=1,
        page_count=len(paper.pages),
        parsed=parsed,
        state=Version.State.READY,
    )
    Change.objects.create(
        project=project,
        kind=Change.Kind.ADDED,
        file_id=version.public_id,
        parsed_id=parsed.pk,
    )
    return version


def _store_chunks(parsed: ParsedFile, paper: Paper) -> None:
    chunks: list[Chunk] = []
    starts: dict[int, int] = {}
    passages = list(paper.passages())
    for ordinal, (key, page, text) in enumerate(passages):
        start = starts.get(page, 0)
        starts[page] = start + len(text) + 1
        chunks.append(
            Chunk(
                parsed=parsed,
                ordinal=ordinal,
                spans=[[page, start, start + len(text)]],
                section=[key],  # passages of different sections are never merged
                kind="text",
                tokens=max(1, len(text) // 4),
                terms=keyword_tokens(text),
            )
        )
    Chunk.objects.bulk_create(chunks)
    space = active_space()
    vectors = embed_passages([text for _, _, text in passages])
    ChunkVector.objects.bulk_create(
        ChunkVector(space=space, parsed=parsed, chunk=chunk, vec=vector)
        for chunk, vector in zip(chunks, vectors, strict=True)
    )
