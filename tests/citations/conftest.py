"""A project with one paper whose pages are stored, and what cites it."""

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from citations.citing import CitedEvidence
    from documents.models import Version
    from projects.models import Project, User

TEXTS = (
    "Warming slows growth in all regions. The rate fell by 1.5 % in 2010.\nIt was so.",
    "Buyers pay a premium for reputation. It was so. It was so.\nNew sellers accept lower",
    "prices than old ones. Nothing else was seen.",
    "",
)


@pytest.fixture
def reader(db: None) -> "User":
    from projects.models import User

    return User.objects.create_user("ada", password="right horse")


@pytest.fixture
def project(reader: "User") -> "Project":
    from projects.models import Membership, Project

    project = Project.objects.create(slug="papers", name="Papers", created_by=reader)
    Membership.objects.create(project=project, user=reader, role=Membership.Role.VIEWER)
    return project


@pytest.fixture
def version(project: "Project") -> "Version":
    """A ready paper of four pages; the last one has no text."""
    return stored_paper(project, "A paper on markets", TEXTS, sha256="a" * 64)


def stored_paper(
    project: "Project", title: str, texts: tuple[str, ...], *, sha256: str
) -> "Version":
    """A ready version whose pages hold these texts."""
    from documents.models import Document, ParsedFile, Version
    from documents.pages.page_text import PageState
    from documents.stored_pages import store_pages
    from tests.citations.made_pages import made_page

    parsed = ParsedFile.objects.create(
        sha256=sha256, parser="lito-1", page_count=len(texts), complete=True, chunked=True
    )
    store_pages(
        parsed,
        [
            made_page(text, number, state=PageState.OK if text else PageState.NO_TEXT)
            for number, text in enumerate(texts, start=1)
        ],
    )
    document = Document.objects.create(project=project, title=title)
    return Version.objects.create(
        document=document,
        project=project,
        sha256=sha256,
        file_name="paper.pdf",
        size=1,
        page_count=len(texts),
        parsed=parsed,
        state=Version.State.READY,
    )


def evidence_of(
    version: "Version", *pages: int, pdf_page: int | None = None, title: str = ""
) -> "CitedEvidence":
    """Evidence that spans whole pages."""
    from citations.anchoring import Anchor
    from citations.citing import CitedEvidence
    from documents.pages.page_text import Span

    spans = tuple(Span(page, 0, len(TEXTS[page - 1])) for page in pages)
    excerpt = "\n".join(TEXTS[page - 1] for page in pages)
    anchor = Anchor(version.document.public_id, version.sha256, "lito-1", spans, excerpt)
    return CitedEvidence(version.public_id, title or version.document.title, anchor, pdf_page)
