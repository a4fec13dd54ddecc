"""How far a version is, and what could not be read of it, in words. Counted from stored rows."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Count, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from documents.failures import failure_words
from documents.models import Chunk, Page, ParsedFile, Version
from documents.page_warnings import EMPTY, UNREADABLE, PageWarning, kind_of, warning_words

State = Version.State


@dataclass(frozen=True, slots=True)
class Progress:
    """`done` of `total` pages while parsing, of chunks while indexing; `words` for a person."""

    done: int
    total: int
    words: str


def progress(version: Version) -> Progress:
    """Where the version stands now, by what is stored of it."""
    return progresses([version])[version.pk]


def progresses(versions: Iterable[Version]) -> dict[int, Progress]:
    """Where each version stands, by its primary key, in at most two queries for all of them.

    The versions have their `parsed` at hand.
    """
    shown = list(versions)
    pages = _counts(Page.objects.filter(parsed__in=_readings(shown, State.PARSING)))
    chunks = _counts(_to_embed(Chunk.objects.filter(parsed__in=_readings(shown, State.INDEXING))))
    return {
        version.pk: _progress(
            version, pages.get(version.parsed_id, 0), chunks.get(version.parsed_id, 0)
        )
        for version in shown
    }


def _readings(versions: Iterable[Version], state: Version.State) -> list[int]:
    return [v.parsed_id for v in versions if v.state == state and v.parsed_id is not None]


def _counts(rows: QuerySet[Any]) -> dict[int | None, int]:
    return dict(rows.values_list("parsed_id").annotate(Count("pk")).order_by())


def _progress(version: Version, pages: int, chunks: int) -> Progress:
    """`pages` that are stored of a version being parsed, `chunks` to index of one being indexed."""
    match version.state:
        case State.QUEUED:
            return Progress(0, version.page_count, _("Waiting to be read"))
        case State.PARSING:
            return _reading(version, pages)
        case State.INDEXING:
            return _indexing(version, chunks)
        case State.FAILED:
            return Progress(0, version.page_count, failure_words(version))
        case State.CANCELLED:
            return Progress(0, version.page_count, _("Cancelled"))
    count = version.page_count
    words = ngettext("Ready, %(pages)d page", "Ready, %(pages)d pages", count) % {"pages": count}
    return Progress(count, count, words)


def _reading(version: Version, done: int) -> Progress:
    total = version.page_count
    if done >= total:
        return Progress(done, total, _("Cutting the text into passages"))
    words = _("Reading page %(page)d of %(pages)d") % {"page": done + 1, "pages": total}
    return Progress(done, total, words)


def _indexing(version: Version, total: int) -> Progress:
    done = min(version.embedded_chunks, total)
    if version.failure_code:
        return Progress(done, total, failure_words(version))
    if not total:
        return Progress(0, 0, _("There is no text to be searched"))
    words = _("Indexing %(done)d of %(total)d passages; words can be searched already")
    return Progress(done, total, words % {"done": done, "total": total})


def _to_embed(chunks: QuerySet[Chunk]) -> QuerySet[Chunk]:
    return chunks.exclude(kind="reference")


def chunks_to_embed(parsed: ParsedFile) -> QuerySet[Chunk]:
    """The chunks that get vectors: all but reference lists, which are never served as evidence."""
    return _to_embed(parsed.chunks.all())


def page_warnings(parsed: ParsedFile) -> list[PageWarning]:
    """The pages that can't be used like the others, grouped by what is the matter."""
    rows = parsed.pages.filter(state__in=UNREADABLE).order_by("number")
    pages: dict[tuple[str, str], list[int]] = {}
    for state, reason, number in rows.values_list("state", "reason", "number"):
        pages.setdefault(kind_of(state, reason), []).append(number)
    order = [*map(str, UNREADABLE), EMPTY]
    return [
        PageWarning(code, tuple(pages[code, reason]), reason)
        for code, reason in sorted(pages, key=lambda kind: (order.index(kind[0]), kind[1]))
    ]


def page_notes(version: Version) -> dict[int, tuple[str, ...]]:
    """For each page that needs a word: what is the matter with it, in sentences.

    Beside pages that can't be used like the others these are pages with an unreliable table.
    """
    if version.parsed is None:
        return {}
    notes: dict[int, tuple[str, ...]] = {}
    for warning in page_warnings(version.parsed):
        for page in warning.pages:
            notes[page] = (warning_words(replace(warning, pages=(page,))),)
    doubtful = version.parsed.pages.filter(tables__contains=[{"reliable": False}])
    for page in doubtful.values_list("number", flat=True):
        notes[page] = (*notes.get(page, ()), _("A table on this page is shown as a picture."))
    return notes


def warnings_of(version: Version) -> list[str]:
    """What a reader should know of this file, one sentence each, with page numbers."""
    if version.parsed is None or not version.parsed.complete:
        return []
    return [warning_words(warning) for warning in page_warnings(version.parsed)]
