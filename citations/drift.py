"""Anchors follow their version to another reading of its file, or stay behind and say so."""

import logging
from collections import Counter
from collections.abc import Iterable

from django.db import transaction
from django.db.models import Q, QuerySet

from citations.anchoring import Anchor
from citations.carrying import carried_spans
from citations.models import Citation
from documents.models import Page, ParsedFile, Version
from projects.models import AuditEvent

BATCH = 500
Drift = Citation.Drift
PageTexts = dict[int, str]

log = logging.getLogger(__name__)


def follow_anchors(version: Version) -> Counter[str]:
    """Hold every anchor of the version's citations against its present reading, once.

    Those whose text stands there get the new places; the others keep theirs, and their excerpt.
    Returns how many were `carried` and how many `drifted`; the version has the totals.
    """
    version.refresh_from_db(fields=("parsed",))
    reading = version.parsed
    if reading is None or not reading.complete:
        return Counter()
    done: Counter[str] = Counter()
    while batch := list(_behind(version, reading).values_list("pk", flat=True)[:BATCH]):
        done += _follow(batch, reading)
    if done:
        _count(version, reading, done)
    return done


def is_behind(citation: Citation, reading: ParsedFile) -> bool:
    """Whether the anchor was made on another reading, and not yet held against this one."""
    return citation.anchor.get("parser") != reading.parser and citation.held_against != reading.pk


def _behind(version: Version, reading: ParsedFile) -> QuerySet[Citation]:
    of_version = Citation.objects.filter(source__version=version).order_by("pk")
    unseen = Q(held_against=None) | ~Q(held_against=reading.pk)
    return of_version.exclude(anchor__parser=reading.parser).filter(unseen)


def _follow(pks: Iterable[int], reading: ParsedFile) -> Counter[str]:
    done: Counter[str] = Counter()
    with transaction.atomic():
        citations = list(Citation.objects.select_for_update().filter(pk__in=pks).order_by("pk"))
        held = [each for each in citations if is_behind(each, reading)]
        texts = _Texts(reading)
        for citation in held:
            _carry(citation, reading, texts)
            done[citation.drift] += 1
        Citation.objects.bulk_update(held, ("anchor", "drift", "held_against"))
    return done


def _carry(citation: Citation, reading: ParsedFile, texts: "_Texts") -> None:
    anchor = Anchor.from_json(citation.anchor)
    pages = [span.page for span in anchor.spans]
    new = texts.of(reading.parser, pages)
    spans = carried_spans(anchor.spans, anchor.excerpt, old=texts.of(anchor.parser, pages), new=new)
    citation.held_against = reading.pk
    if spans is None:
        citation.drift = Drift.DRIFTED
        return
    excerpt = "\n".join(new[span.page][span.start : span.end] for span in spans)
    carried = Anchor(anchor.document, anchor.sha256, reading.parser, spans, excerpt)
    citation.anchor = citation.anchor | carried.as_json()
    citation.drift = Drift.CARRIED


class _Texts:
    """Page texts of the readings of one file, each page loaded once."""

    def __init__(self, reading: ParsedFile) -> None:
        readings = ParsedFile.objects.filter(sha256=reading.sha256, complete=True)
        self._readings = dict(readings.values_list("parser", "pk"))
        self._pages: dict[tuple[str, int], str] = {}

    def of(self, label: str, numbers: Iterable[int]) -> PageTexts:
        """The pages that are still there, by number."""
        missing = [number for number in set(numbers) if (label, number) not in self._pages]
        if missing and label in self._readings:
            rows = Page.objects.filter(parsed_id=self._readings[label], number__in=missing)
            for number, text in rows.values_list("number", "text"):
                self._pages[label, number] = text
        return {
            number: self._pages[label, number]
            for number in numbers
            if (label, number) in self._pages
        }


def _count(version: Version, reading: ParsedFile, done: Counter[str]) -> None:
    """Bring the version's totals up to date, and record what this reading did to its anchors."""
    kinds = Citation.objects.filter(source__version=version).values_list("drift", flat=True)
    totals = Counter(kinds)
    Version.objects.filter(pk=version.pk).update(
        carried_anchors=totals[Drift.CARRIED], drifted_anchors=totals[Drift.DRIFTED]
    )
    AuditEvent.record(
        "anchors_followed",
        user=None,
        project=version.project,
        file=version.public_id,
        reading=reading.parser,
        carried=done[Drift.CARRIED],
        drifted=done[Drift.DRIFTED],
    )
    log.info("anchors in %s followed to %s: %s", version.public_id, reading, dict(done))
