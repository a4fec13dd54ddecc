"""How long the server takes for the card of a citation, first and again. Rows are rolled back."""

import secrets
import statistics
from collections.abc import Sequence

from django.db import transaction
from django.urls import reverse

from citations.anchoring import Anchor
from citations.citing import CitedEvidence, save_answer
from citations.markers import read_markers
from citations.models import Citation
from citations.pages import normalize_pages
from documents.models import Document, ParsedFile, Version
from documents.pages.page_text import ParsedPage, Span
from documents.stored_pages import store_pages
from projects.models import Membership, Project, User
from projects.page_timing import browser_of, pages_without_collected_files, timed

AGAIN = 5


def hover_milliseconds(
    paper: Sequence[ParsedPage], quotes: Sequence[tuple[int, str]]
) -> dict[str, float]:
    """Median milliseconds of whole requests: a place looked for, and one known already."""
    with transaction.atomic(), pages_without_collected_files():
        try:
            return _measured(paper, quotes)
        finally:
            transaction.set_rollback(True)


def _measured(paper: Sequence[ParsedPage], quotes: Sequence[tuple[int, str]]) -> dict[str, float]:
    name = f"measurement-{secrets.token_hex(4)}"
    reader = User.objects.create_user(name)
    project = Project.objects.create(slug=name, name=name, created_by=reader)
    Membership.objects.create(project=project, user=reader, role=Membership.Role.VIEWER)
    version = _stored(project, paper)
    cards = [
        reverse("citation_card", args=(name, _cited(version, page, quote).public_id))
        for page, quote in quotes
    ]
    client = browser_of(reader)
    timed(client, cards[0])  # templates and routes are loaded
    fresh = [timed(client, card)[0] for card in cards[1:]]
    again = [timed(client, card)[0] for _ in range(AGAIN) for card in cards]
    return {
        "hover_fresh_ms": statistics.median(fresh),
        "hover_cached_ms": statistics.median(again),
    }


def _stored(project: Project, paper: Sequence[ParsedPage]) -> Version:
    parsed = ParsedFile.objects.create(
        sha256=secrets.token_hex(32), parser="measurement", page_count=len(paper), complete=True
    )
    store_pages(parsed, paper)
    normalize_pages(parsed)
    return Version.objects.create(
        document=Document.objects.create(project=project, title="A paper"),
        project=project,
        sha256=parsed.sha256,
        file_name="paper.pdf",
        size=1,
        page_count=len(paper),
        parsed=parsed,
        state=Version.State.READY,
    )


def _cited(version: Version, page: int, quote: str) -> Citation:
    assert version.parsed is not None
    text = version.parsed.pages.get(number=page).text
    span = Span(page, 0, len(text))
    anchor = Anchor(version.document.public_id, version.sha256, "measurement", (span,), text)
    evidence = {1: CitedEvidence(version.public_id, "A paper", anchor)}
    segments = read_markers(f"“{quote}” [1].", evidence)
    answer = save_answer(project=version.project, segments=segments, evidence=evidence)
    return answer.citations.get()
