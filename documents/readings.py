"""Which reading a version has, which one it should have, and the step from one to the other.

A reading never changes once it is complete. A better one is made beside it in the background, and
then each version that wants it is swapped to it in one transaction: a search sees the one or the
other, never both and never neither.
"""

from dataclasses import replace
from functools import cache
from importlib.util import find_spec

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from documents import changes
from documents.catalogue.bibliography import describe_document
from documents.models import Change, Document, ParsedFile, Version
from documents.pages.page_text import IN_VAIN
from documents.parsing import PARSER
from documents.progress import chunks_to_embed
from documents.reading_labels import FOR_OCR, parsed_label, reading_label
from documents.vectors.stored_vectors import copy_vectors, lacks_vectors

State = Version.State
SWAPPABLE = (State.INDEXING, State.READY)


class UnfinishedReadingError(Exception):
    """The reading lacks pages or chunks, or is of another file: no version may have it."""


def wanted_label(version: Version, *, parser: str = PARSER) -> str:
    """The label of the reading that `version` should have now.

    That depends on the parser, on what the project wants, and, for OCR, on whether there are pages
    that it could help: what is known of the file's pages is taken from the present reading. Whoever
    cancelled the making of a reading keeps the present one.
    """
    reading = version.parsed
    if reading is None:
        return parser
    ocr = version.project.ocr and wants_ocr(reading) and _can_ocr()
    label = reading_label(parser, ocr=ocr, layout=settings.LITO_LAYOUT)
    present = parsed_label(reading.parser)
    if str(replace(present, again=0)) == label:
        label = reading.parser
        if ocr and lost_pages(reading) and _is_asked_for(reading, _once_more(reading)):
            label = _once_more(reading)
    return reading.parser if label == version.declined_label else label


def decline(version: Version) -> bool:
    """Keep the present reading; return whether a better one was wanted.

    Whoever makes it notices before the next piece of work, and goes on only if others want it.
    """
    label = wanted_label(version)
    if version.parsed is None or version.state not in SWAPPABLE or label == version.parsed.parser:
        return False
    version.declined_label = label
    version.save(update_fields=("declined_label",))
    return True


def ask_again(version: Version) -> bool:
    """Want the reading that was declined or given up, or another try of OCR at the pages that it
    lost; return whether there is any."""
    if version.parsed is None or version.state not in SWAPPABLE:
        return False
    was_declined = bool(version.declined_label)
    if was_declined:
        version.declined_label = ""
        version.save(update_fields=("declined_label",))
    given_up = ParsedFile.objects.filter(sha256=version.sha256).exclude(failure_code="")
    given_up = given_up.exclude(pk=version.parsed.pk)
    is_wanted = bool(given_up.update(failure_code="", attempts=0)) or was_declined
    return is_wanted or _ask_once_more(version)


def lost_pages(reading: ParsedFile | None) -> tuple[int, ...]:
    """The pages on which OCR failed: it may do better another time."""
    if reading is None:
        return ()
    return tuple(
        page
        for warning in reading.warnings
        if isinstance(warning, dict) and warning.get("reason") == IN_VAIN
        for page in warning["pages"]
    )


def _ask_once_more(version: Version) -> bool:
    """An empty reading says that somebody wants it."""
    reading = version.parsed
    if reading is None or not lost_pages(reading) or wanted_label(version) != reading.parser:
        return False
    if not (version.project.ocr and _can_ocr()):
        return False
    ParsedFile.objects.get_or_create(
        sha256=reading.sha256,
        parser=_once_more(reading),
        defaults={"page_count": reading.page_count},
    )
    return True


def _once_more(reading: ParsedFile) -> str:
    label = parsed_label(reading.parser)
    return str(replace(label, again=label.again + 1))


def _is_asked_for(reading: ParsedFile, label: str) -> bool:
    return ParsedFile.objects.filter(sha256=reading.sha256, parser=label).exists()


def first_label(version: Version) -> str:
    """The label of the reading that a new file gets first: the text tier, or a better one if the
    same file has it already elsewhere."""
    made = ParsedFile.objects.filter(sha256=version.sha256, complete=True, chunked=True)
    for reading in made.order_by("-pk"):
        version.parsed = reading
        if wanted_label(version) == reading.parser:
            return reading.parser
    return PARSER


def wants_ocr(reading: ParsedFile) -> bool:
    """Whether a page of the reading has no usable text of its own."""
    known = (warning for warning in reading.warnings if isinstance(warning, dict))
    return any(warning["code"] in FOR_OCR for warning in known)


def swap(version: Version, parsed: ParsedFile) -> bool:
    """Give `version` the complete, chunked reading `parsed` of its file. `version` is refreshed.

    Vectors of equal texts are copied first. If some are still missing afterwards the version is
    `indexing` (found by words at once) and the caller sends `index_version`; else it is `ready`.
    False if there was nothing to swap: removed, not searchable yet, or it has that reading already.
    Raises `UnfinishedReadingError`.
    """
    if version.sha256 != parsed.sha256:
        raise UnfinishedReadingError(f"{parsed} is not of version {version.pk}")
    copy_vectors(parsed)
    with transaction.atomic():
        held = _held(version)
        if held is None or held.parsed_id == parsed.pk:
            return False
        _check_complete(parsed)
        _leave(held)
        _take(held, parsed)
        describe_document(held, parsed)
        changes.record(held.project, Change.Kind.SWAPPED, held)
    version.refresh_from_db()
    return True


def _held(version: Version) -> Version | None:
    """The version, locked, if it may be swapped: the document first, as wherever both are."""
    list(Document.objects.select_for_update().filter(pk=version.document_id))
    return (
        Version.objects.select_for_update(of=("self",))
        .select_related("project")
        .present()
        .searchable()
        .filter(pk=version.pk)
        .first()
    )


def _check_complete(parsed: ParsedFile) -> None:
    """Nobody may sweep the reading away from here on."""
    found = ParsedFile.objects.select_for_update().filter(pk=parsed.pk).first()
    if found is None or not (found.complete and found.chunked):
        raise UnfinishedReadingError(f"{parsed} is not complete")


def _leave(version: Version) -> None:
    """The old reading stays for a while: answers that are being written may still cite it."""
    if version.parsed_id is not None:
        ParsedFile.objects.filter(pk=version.parsed_id).update(used_at=timezone.now())


def _take(version: Version, parsed: ParsedFile) -> None:
    """A worker that was making vectors of the old reading loses its claim."""
    is_waiting = lacks_vectors(parsed)
    version.parsed = parsed
    version.state = State.INDEXING if is_waiting else State.READY
    version.claimed_by = ""
    version.claimed_at = timezone.now()
    version.failure_code = version.failure = ""
    version.embedded_chunks = 0 if is_waiting else chunks_to_embed(parsed).count()
    version.ready_at = version.ready_at or (None if is_waiting else timezone.now())
    version.page_count = parsed.page_count
    version.save(
        update_fields=(
            "parsed", "state", "claimed_by", "claimed_at", "failure_code", "failure",
            "embedded_chunks", "ready_at", "page_count",
        )
    )  # fmt: skip


@cache
def _can_ocr() -> bool:
    """Whether the engine is installed: it is an extra."""
    return find_spec("rapidocr") is not None
