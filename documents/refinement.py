"""How far the background is with a better reading of a file that can be searched already."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from documents.models import Page, ParsedFile, Version
from documents.page_warnings import stored_warnings
from documents.reading_labels import FOR_OCR, parsed_label
from documents.readings import SWAPPABLE, lost_pages, wanted_label


@dataclass(frozen=True, slots=True)
class Refinement:
    """What the background does with a file, in words. `total` is 0 where nothing is counted."""

    words: str
    done: int = 0
    total: int = 0
    failed: bool = False


def refinements(versions: Iterable[Version]) -> dict[int, Refinement]:
    """By version, for those that should have another reading than they have.

    The versions have their `parsed` and `project` at hand.
    """
    wanting = {
        version: label
        for version in versions
        if version.state in SWAPPABLE
        and version.parsed is not None
        and version.parsed.complete
        and (label := wanted_label(version)) != version.parsed.parser
    }
    readings = ParsedFile.objects.filter(sha256__in={version.sha256 for version in wanting})
    made = {(reading.sha256, reading.parser): reading for reading in readings} if wanting else {}
    return {
        version.pk: _refinement(
            version,
            label,
            plain=made.get((version.sha256, parsed_label(label).parser)),
            better=made.get((version.sha256, label)),
        )
        for version, label in wanting.items()
    }


def waiting_pages(version: Version, refinement: Refinement | None) -> tuple[int, ...]:
    """The pages on which OCR failed, and it is not tried once more until somebody asks for it."""
    if refinement is not None or not version.project.ocr:
        return ()
    return lost_pages(version.parsed)


def _refinement(
    version: Version, label: str, *, plain: ParsedFile | None, better: ParsedFile | None
) -> Refinement:
    """`plain` is the text tier of the present parser, `better` the reading that is wanted."""
    is_plain = label == parsed_label(label).parser
    if (plain is None or not plain.chunked) and not (better and better.complete):
        return _reading_again(plain)
    scans = _scans(plain or version.parsed) if parsed_label(label).ocr else ()
    if better is not None and better.failure_code:
        words = _("The scans could not be read by OCR.") if scans else _("The layout model failed.")
        return Refinement(words, failed=True)
    if is_plain or (better is not None and better.complete):
        return Refinement(_("Taking over the new reading"))
    return _reading_scans(better, scans) if scans else _looking_at_layout(better, version)


def _reading_again(plain: ParsedFile | None) -> Refinement:
    if plain is None:
        return Refinement(_("Will be read again by the newer parser"))
    if plain.failure_code:
        words = _("The newer parser could not read this file. The earlier reading stays.")
        return Refinement(words, failed=True)
    done = plain.pages.count()
    return _counted(
        _("Reading again by the newer parser: page %(page)d of %(pages)d"), done, plain.page_count
    )


def _reading_scans(better: ParsedFile | None, scans: tuple[int, ...]) -> Refinement:
    if better is None:
        return Refinement(_("Scans wait for OCR"))
    done = Page.objects.filter(parsed=better, number__in=scans).count()
    return _counted(_("Reading scans: page %(page)d of %(pages)d"), done, len(scans))


def _looking_at_layout(better: ParsedFile | None, version: Version) -> Refinement:
    if better is None:
        return Refinement(_("Waits for the layout model"))
    words = _("Looking at the layout: page %(page)d of %(pages)d")
    return _counted(words, better.pages.count(), version.page_count)


def _counted(words: str, done: int, total: int) -> Refinement:
    shown = words % {"page": min(done + 1, total), "pages": total}
    return Refinement(shown, done=min(done, total), total=total)


def _scans(reading: ParsedFile | None) -> tuple[int, ...]:
    """The pages without usable text."""
    return tuple(
        page
        for warning in stored_warnings(reading)
        if warning.code in FOR_OCR
        for page in warning.pages
    )
