"""A better reading of a file that is in use: made in the background, then swapped to.

First the text tier, by the present parser; out of it, page by page, what OCR and layout models add.
The old reading serves all the while. A failure costs the new reading, never the old one.
"""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from django.conf import settings
from django.db.models import QuerySet

from documents.chunks.chunk_vectors import embed_reading
from documents.claiming import LostClaimError, Unclaimed, is_gone
from documents.ingestion import Outcome, is_database_gone
from documents.inspecting import RefusedFileError
from documents.isolated.isolation import ReadingError
from documents.models import ParsedFile, Version
from documents.pages.page_text import ParsedPage
from documents.parsing import PARSER, parse_pages
from documents.reading_claims import ReadingClaim, claim_reading, nobody_waits
from documents.reading_labels import Label, parsed_label, reading_label
from documents.reading_steps import PageSource, cut_chunks, read_pages
from documents.readings import swap, wanted_label
from documents.refining import refined
from documents.vectors.embedding import EmbedderUnavailableError
from documents.vectors.stored_vectors import copy_vectors

Refinement = Callable[[Path, ParsedFile, Label, int], Iterator[ParsedPage]]
"""Pages by OCR or layout models: of the file at a path, out of its complete text tier, for a label,
from a page number on."""

log = logging.getLogger(__name__)


def _text_tier(path: Path, start: int, before: ParsedPage | None) -> Iterator[ParsedPage]:
    return parse_pages(path, start=start, before=before)


@dataclass(frozen=True, slots=True)
class WayOfReading:
    """A parser: its name, how it reads a file, and how that is refined, if it can be."""

    name: str
    pages: PageSource
    refined: Refinement | None = None


OUR_WAY = WayOfReading(PARSER, _text_tier, refined)


def reread(
    version_id: int,
    *,
    way: WayOfReading = OUR_WAY,
    may_go_on: Callable[[], bool] = nobody_waits,
) -> Outcome:
    """Make the reading that the version should have, and swap all to it that should have it.

    `LOST` if nobody wants it any more: removed, cancelled, OCR switched off. What is made by then
    is kept for the next try, also when `EmbedderUnavailableError` is raised.
    """
    version = _swappable().filter(pk=version_id).first()
    label = _missing_label(version, way) if version else ""
    if version is None or not label:
        return Outcome.NOTHING_TO_DO
    for tier in dict.fromkeys((way.name, label)):
        job = _Job(version, tier, label, way, may_go_on)
        outcome = _make(job)
        if outcome is not Outcome.DONE:
            return outcome
    made = ParsedFile.objects.get(sha256=version.sha256, parser=label)
    for wanting in _wanting(version.sha256, label, way):
        swap(wanting, made)
    return Outcome.DONE


def next_stale(way: WayOfReading = OUR_WAY) -> int | None:
    """A version that should have another reading than it has, if there is one.

    Readings that were given up are not tried again.
    """
    usual = reading_label(way.name, layout=settings.LITO_LAYOUT)
    suspects = _swappable().order_by("pk").exclude(parsed__parser=usual, parsed__warnings=[])
    given_up = set(ParsedFile.objects.exclude(failure_code="").values_list("sha256", "parser"))
    for version in suspects.iterator(chunk_size=200):
        label = _missing_label(version, way)
        if label and not {(version.sha256, label), (version.sha256, way.name)} & given_up:
            return version.pk
    return None


def is_at_work() -> bool:
    """Whether a living worker makes a reading in the background now."""
    held = ParsedFile.objects.exclude(claimed_by="").values_list("claimed_by", "used_at")
    return any(not is_gone(worker, beaten_at) for worker, beaten_at in held)


def _swappable() -> QuerySet[Version]:
    return (
        Version.objects.present()
        .searchable()
        .filter(parsed__complete=True)
        .select_related("project", "parsed")
    )


def _goal(version: Version, way: WayOfReading) -> str:
    """The label that the version should have, as far as this way of reading can make it."""
    present = version.parsed.parser if version.parsed else ""
    wanted = wanted_label(version, parser=way.name)
    if way.refined is not None or wanted == present:
        return wanted
    return present if parsed_label(present).parser == way.name else way.name


def _missing_label(version: Version, way: WayOfReading) -> str:
    """The version's goal; empty if it is there."""
    goal = _goal(version, way)
    return "" if version.parsed and version.parsed.parser == goal else goal


def _wanting(sha256: str, label: str, way: WayOfReading) -> list[Version]:
    """The versions of a file, in all projects, that should have this reading and do not."""
    versions = _swappable().filter(sha256=sha256).exclude(parsed__parser=label).order_by("pk")
    return [version for version in versions if _goal(version, way) == label]


@dataclass(frozen=True, slots=True)
class _Job:
    """One reading to be made, `tier`, on the way to the one that is wanted, `label`."""

    version: Version
    tier: str
    label: str
    way: WayOfReading
    may_go_on: Callable[[], bool]

    def is_wanted(self) -> bool:
        return bool(_wanting(self.version.sha256, self.label, self.way))

    def is_made(self) -> bool:
        """Whether it stands already. Of the one that is wanted the vectors are looked at, too."""
        made = ParsedFile.objects.filter(sha256=self.version.sha256, parser=self.tier)
        return self.tier != self.label and made.filter(complete=True, chunked=True).exists()


def _make(job: _Job) -> Outcome:
    """The reading, complete and chunked, and with its vectors if it is the one that is wanted."""
    if job.is_made():
        return Outcome.DONE
    claim = claim_reading(
        job.version.sha256,
        job.tier,
        page_count=job.version.page_count,
        may_go_on=job.may_go_on,
        is_wanted=job.is_wanted,
    )
    if isinstance(claim, Unclaimed):
        return Outcome[claim.name]
    try:
        _fill(claim, job)
        claim.release()
    except LostClaimError:
        return Outcome.LOST
    except EmbedderUnavailableError:
        claim.release()
        raise
    except (ReadingError, RefusedFileError, FileNotFoundError) as error:
        log.warning("%s could not be made: %s", claim.parsed, error)
        return _given_up(claim, getattr(error, "code", "unreadable"))
    except Exception as error:
        if is_database_gone(error):
            claim.drop()
        else:
            _given_up(claim, "internal_error")
        raise
    return Outcome.DONE


def _fill(claim: ReadingClaim, job: _Job) -> None:
    claim.pause()
    if not claim.parsed.complete:
        read_pages(claim, _source(job))
    if not claim.parsed.chunked:
        cut_chunks(claim)
    if job.tier == job.label:
        # So that the swap leaves no gap: whoever searches by meaning finds the paper throughout.
        copy_vectors(claim.parsed)
        embed_reading(claim)


def _source(job: _Job) -> PageSource:
    if job.tier == job.way.name or job.way.refined is None:
        return job.way.pages
    text_tier = ParsedFile.objects.get(
        sha256=job.version.sha256, parser=job.way.name, complete=True
    )
    return partial(_refined, job.way.refined, text_tier, parsed_label(job.tier))


def _refined(
    refinement: Refinement,
    text_tier: ParsedFile,
    label: Label,
    path: Path,
    start: int,
    _before: ParsedPage | None,
) -> Iterator[ParsedPage]:
    return refinement(path, text_tier, label, start)


def _given_up(claim: ReadingClaim, code: str) -> Outcome:
    try:
        claim.fail(code)
    except LostClaimError:
        return Outcome.LOST
    return Outcome.FAILED
