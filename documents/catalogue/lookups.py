"""Records of DOIs: asked for one after another, kept, and applied to papers.

One runner asks, wherever it lives: services want few questions at a time. Nothing here is held
open while it waits for the network, and whatever fails is only tried again later.
"""

import logging
import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

import httpx2
from django.conf import settings
from django.db import transaction
from django.utils import timezone
from rapidfuzz import fuzz

from documents.catalogue.bibliography import (
    BY_HAND,
    DOI_RECORD,
    IMPORT,
    locked,
    read_out_of_newest,
    say,
    take_back,
)
from documents.catalogue.doi_services import (
    ServiceAwayError,
    ServiceRecord,
    UnusableAnswerError,
    crossref,
    only_to,
    openalex,
)
from documents.catalogue.front_lines import folded
from documents.catalogue.lookup_turns import (
    FIRST_PAUSE,
    LONGEST_PAUSE,
    claim,
    due,
    is_paused,
    pause,
    take_turn,
)
from documents.models import Document
from documents.record_models import DoiRecord, LookupPause

RUN_SECONDS = 40
REFRESH = timedelta(days=30)
"""Retractions come late: what was found is asked for again."""
ASK_MISSING = timedelta(days=7)
ASK_OTHER = timedelta(days=1)
SAME_TITLE, PART_OF_TITLE = 75, 90
FEWEST_FOR_PART = 16

State = DoiRecord.State
Ask = Callable[[httpx2.Client, str], ServiceRecord | None]
log = logging.getLogger(__name__)


def is_anything_due() -> bool:
    return settings.LITO_LOOKUP and due().exists() and not _all_paused()


def take_up_unasked() -> None:
    """Make rows for the DOIs of papers that came while lookup was switched off."""
    if settings.LITO_LOOKUP:
        known = DoiRecord.objects.values("doi")
        papers = Document.objects.live().exclude(doi="").exclude(doi__in=known)
        dois = papers.values_list("doi", flat=True).distinct()[:500]
        DoiRecord.objects.bulk_create([DoiRecord(doi=doi) for doi in dois], ignore_conflicts=True)


def run() -> bool:
    """Ask for what is due, for a while; whether more is left to do at once.

    Returns at once if another runner is at it, or lookup is switched off.
    """
    turn = take_turn() if settings.LITO_LOOKUP else None
    if turn is None:
        return False
    began = time.monotonic()
    try:
        with _client() as client:
            while time.monotonic() - began < RUN_SECONDS and not _all_paused():
                record = claim()
                if record is None:
                    return False
                look_up(client, record)
                if not turn.keep():
                    return False
    finally:
        turn.leave()
    return is_anything_due()


def look_up(client: httpx2.Client, record: DoiRecord) -> None:
    """Ask for one DOI and store what came of it; then bring the papers that have it up to date."""
    answers: dict[str, ServiceRecord] = {}
    away = 0
    for service, ask in _services().items():
        if is_paused(service):
            away += 1
            continue
        try:
            found = ask(client, record.doi)
        except ServiceAwayError as error:
            log.info("%s can't be asked now: %s", service, error)
            away += 1
            if not isinstance(error, UnusableAnswerError):
                pause(service, error.retry_after)
            continue
        LookupPause.objects.filter(service=service).delete()
        if found is not None:
            answers[service] = found
    _store(record, answers, away=away)
    if record.state == State.FOUND:
        apply(record)


def apply(record: DoiRecord) -> None:
    """Give a found record to every paper with its DOI, unless the paper is plainly another work."""
    ids = Document.objects.filter(doi=record.doi).order_by("pk").values_list("pk", flat=True)
    for pk in list(ids):
        with transaction.atomic():
            document = locked(pk)
            if document.doi != record.doi:
                continue
            values = _values_for(document, record)
            before = document.said.get(DOI_RECORD)
            if values is None and before is not None:
                take_back(document, DOI_RECORD)
            elif values is not None and values != before:
                document.said.pop(DOI_RECORD, None)
                say(document, DOI_RECORD, values)


def known_record(doi: str) -> DoiRecord | None:
    return DoiRecord.objects.filter(doi=doi, state=State.FOUND).first() if doi else None


def is_another_work(document: Document, record: DoiRecord) -> bool:
    """Whether the record's title plainly differs from what the paper itself is called."""
    own, theirs = _own_title(document), str(record.fields.get("title", ""))
    if not own or not theirs or _other_script(own, theirs):
        return False
    one, other = folded(own), folded(theirs)
    part = min(len(one), len(other)) >= FEWEST_FOR_PART
    return fuzz.ratio(one, other) < SAME_TITLE and not (
        part and fuzz.partial_ratio(one, other) >= PART_OF_TITLE
    )


def _values_for(document: Document, record: DoiRecord) -> dict[str, object] | None:
    """What the record says of this paper; None if it speaks of another work.

    A paper keeps its own title and names where the record has them in another script.
    """
    if is_another_work(document, record):
        return None
    values = dict(record.fields)
    if _other_script(_own_title(document), str(values.get("title", ""))):
        values.pop("title", None)
        values.pop("authors", None)
    return values


def _own_title(document: Document) -> str:
    """The paper's title by any source but the record and the mere name of a file."""
    for source in (BY_HAND, IMPORT):
        if title := document.said.get(source, {}).get("title"):
            return str(title)
    read = read_out_of_newest(document).get("title", {})
    return str(read.get("value", "")) if read.get("from") in ("first_page", "pdf_info") else ""


def _other_script(one: str, other: str) -> bool:
    def is_east_asian(text: str) -> bool:
        return bool(re.search(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]", text))

    return bool(one and other) and is_east_asian(one) != is_east_asian(other)


def _all_paused() -> bool:
    return all(is_paused(service) for service in _services())


def _services() -> dict[str, Ask]:
    mailto = settings.LITO_LOOKUP_MAILTO
    return {
        "crossref": lambda client, doi: crossref(
            client, settings.LITO_CROSSREF_URL, doi, mailto=mailto
        ),
        "openalex": lambda client, doi: openalex(
            client, settings.LITO_OPENALEX_URL, doi, mailto=mailto
        ),
    }


@contextmanager
def _client() -> Iterator[httpx2.Client]:
    contact = f"; mailto:{settings.LITO_LOOKUP_MAILTO}" if settings.LITO_LOOKUP_MAILTO else ""
    with httpx2.Client(
        headers={"User-Agent": f"Lito/0.1 (research library{contact})"},
        timeout=settings.LITO_LOOKUP_TIMEOUT,
        follow_redirects=True,
        max_redirects=3,
        event_hooks={"request": [only_to(settings.LITO_CROSSREF_URL, settings.LITO_OPENALEX_URL)]},
    ) as client:
        yield client


def _store(record: DoiRecord, answers: dict[str, ServiceRecord], *, away: int) -> None:
    """The first service that knows the work describes it; notices count from any."""
    now = timezone.now()
    record.asked_at = now
    if answers:
        service, best = next(iter(answers.items()))
        record.state, record.service, record.attempts = State.FOUND, service, 0
        record.fields = best.fields | {"details": best.details}
        record.notices = _joined_notices(answers)
        record.next_at = now + (ASK_OTHER if away else REFRESH)
    elif away:
        record.attempts += 1
        record.next_at = now + min(FIRST_PAUSE * 2 ** min(record.attempts, 12), LONGEST_PAUSE)
    else:
        record.state, record.attempts, record.next_at = State.MISSING, 0, now + ASK_MISSING
    record.save()


def _joined_notices(answers: dict[str, ServiceRecord]) -> list[dict[str, str]]:
    notices: list[dict[str, str]] = []
    for answer in answers.values():
        for notice in answer.notices:
            same = [other for other in notices if other["kind"] == notice["kind"]]
            if not any(not notice["doi"] or notice["doi"] == other["doi"] for other in same):
                notices.append(notice)
    return notices
