"""Where the text of a citation stands, for one user: from the cache, by the program, by a model.

Access is the caller's to check, before anything here. A direct quote is looked for at once; a claim
without a quote goes to the `locate` queue, and its row says `locating` until a worker has answered.
"""

import hashlib
import json
from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from time import perf_counter

from django.db import connection, transaction
from django.utils import timezone

from citations import tasks
from citations.claim_locating import around, cited_pages, stored_values
from citations.drift import follow_anchors, is_behind
from citations.locating import LOCATOR, Located, forbidden_on, locate_quote
from citations.models import Citation, Location
from citations.pages import searchable_pages
from citations.signals import Action, milliseconds_since, record
from documents.models import Version
from llm.configured import light_model
from llm.port import ChatModel
from projects.models import User

MOST_WAITING = 64
MOST_WAITING_PER_USER = 8
STALE_AFTER = timedelta(minutes=3)
RETRY_AFTER = timedelta(seconds=3)
REQUEST_LOCK = 0x10CA7E
"""Any number that no other advisory lock of the database uses."""


def place_citation(citation: Citation, user: User) -> Location:
    """The location of a citation that `user` may read. Never waits for a model.

    While the file is being read the answer is not stored: its pages are still coming in.
    """
    version = citation.source.version
    if version is None or version.gone_since is not None:
        return Location(status="removed")
    if version.parsed is None or not version.parsed.complete:
        return Location(status="failed", reason="not_read")
    if is_behind(citation, version.parsed):
        follow_anchors(version)
        citation.refresh_from_db(fields=("anchor", "drift", "held_against"))
    pages = cited_pages(citation)
    model = light_model(citation.answer.project_id) if _needs_model(citation, pages) else None
    key = location_key(citation, version, model)
    kept = Location.objects.filter(user_id=user.pk, key=key).first()
    if kept is not None and not _is_over(kept):
        if kept.status == "locating":
            Location.objects.filter(pk=kept.pk).update(asked_at=timezone.now())
        return _with_newer(kept, version)
    if model is not None:
        return _with_newer(_requested(citation, user, key, model, kept), version)
    started = perf_counter()
    located = locate_citation(citation, version, pages)
    record(Action.LOCATE, citation, user, located.status, milliseconds=milliseconds_since(started))
    return _with_newer(_store(located, user_id=user.pk, key=key, sha256=version.sha256), version)


def location_key(citation: Citation, version: Version, model: ChatModel | None) -> str:
    """Digest of everything that decides where a citation stands."""
    parts = [
        version.sha256,
        version.parsed_id,
        cited_pages(citation),
        citation.quote,
        "" if citation.quote else citation.claim,
        LOCATOR,
        model.name if model else "",
    ]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def locate_citation(citation: Citation, version: Version, pages: Sequence[int]) -> Located:
    """What the program alone can say."""
    if citation.quote:
        return locate_on_pages(citation.quote, version, pages)
    if not pages:
        return Located("missing_quote")
    readable = searchable_pages(version, pages)
    if forbidden := forbidden_on(readable):
        return forbidden
    return Located("unsupported_claim", reason="no_model")


def locate_on_pages(quote: str, version: Version, pages: Sequence[int]) -> Located:
    """Look for a quote on each page in order, or in the whole version if no page is known."""
    if not pages:
        return locate_quote(quote, searchable_pages(version))
    loaded = searchable_pages(version, {near for page in pages for near in around(page)})
    results: list[Located] = []
    for page in pages:
        located = locate_quote(quote, [p for p in loaded if p.number in around(page)], page=page)
        if located.status == "matched":
            return located
        results.append(located)
    return next((each for each in results if each.status == "ambiguous"), results[0])


def _needs_model(citation: Citation, pages: Sequence[int]) -> bool:
    return not citation.quote and bool(citation.claim) and bool(pages)


def _is_over(kept: Location) -> bool:
    """Whether a row may be tried again: a lost request, or a failure that was shown."""
    age = timezone.now() - kept.created_at
    if kept.status == "locating":
        return age > STALE_AFTER
    return kept.status in {"failed", "busy"} and age > RETRY_AFTER


def _requested(
    citation: Citation,
    user: User,
    key: str,
    model: ChatModel,
    kept: Location | None,
) -> Location:
    """A waiting row and its task: one of each however many ask; `busy` if too many wait."""
    sha256 = citation.source.version.sha256 if citation.source.version else ""
    now = timezone.now()
    fresh: dict[str, object] = {"status": "locating", "places": [], "nearest": None, "reason": ""}
    times = {"created_at": now, "asked_at": now}
    with transaction.atomic():
        _one_at_a_time()
        row = Location.objects.filter(user_id=user.pk, key=key).first()
        if row is not None and (kept is None or row.created_at != kept.created_at):
            return row  # somebody asked in the meantime
        if _is_too_much(user):
            return Location(status="busy")
        row, _ = Location.objects.update_or_create(
            user_id=user.pk, key=key, defaults={**fresh, **times, "sha256": sha256}
        )
        transaction.on_commit(partial(tasks.locate_claim.delay, row.pk, citation.pk))
    return row


def _one_at_a_time() -> None:
    """Requests are counted and added one after the other, until this transaction ends."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [REQUEST_LOCK])


def _is_too_much(user: User) -> bool:
    waiting = Location.objects.filter(
        status="locating", created_at__gt=timezone.now() - STALE_AFTER
    )
    own = waiting.filter(user_id=user.pk).count()
    return own >= MOST_WAITING_PER_USER or waiting.count() >= MOST_WAITING


def _store(located: Located, *, user_id: int | None, key: str, sha256: str) -> Location:
    values = stored_values(located)
    row, _ = Location.objects.update_or_create(
        user_id=user_id, key=key, defaults={**values, "sha256": sha256}
    )
    return row


def _with_newer(location: Location, version: Version) -> Location:
    """A confirmed place of a version that has been replaced says so; the row itself stays."""
    if location.status == "matched" and version.superseded_at is not None:
        location.status = "newer_version"
    return location
