"""The keyword index of a project: follows the change log of documents, and heals itself.

What is on disk is a copy of what the database holds: the terms of the chunks of the project's live
versions. It is brought up to date by a task after each change and again before it is used, so a
search never sees less than the library shows.
"""

import logging
import shutil
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count, Max, QuerySet

from documents.models import Change, Chunk, Version
from projects.models import Project
from retrieval.bm25 import Index
from retrieval.growing import tidied, wastes_terms, with_added, with_removed
from retrieval.index_files import IndexUnreadableError, StoredIndex, open_index, save_index
from retrieval.models import KeywordIndex
from retrieval.segments import IndexedDocument

ADVISORY_LOCK = 0x626D3235
"""“bm25” in ASCII; the second key is the project."""
READ_AT_ONCE = 2000

log = logging.getLogger(__name__)

_unwritten: dict[int, StoredIndex] = {}
"""By project, what this process could not write down."""


def keyword_index(project: Project, *, expected: Iterable[int] = ()) -> Index:
    """The index of `project` as of now. `expected` are `ParsedFile` ids that must be in it."""
    stored = opened(project)
    if (
        stored
        and stored.changes == _changes(project)
        and stored.index.documents.issuperset(expected)
    ):
        return stored.index
    return follow_documents(project)


def follow_documents(project: Project, *, tidy: bool = False) -> Index:
    """Apply what the index has not seen yet, once, whoever else tries. `tidy` merges segments."""
    with locked(project):
        changes = _changes(project)  # before the versions: a later change is seen next time
        stored = opened(project)
        live = live_readings(project)
        index = _followed(stored.index if stored else Index(), live)
        if tidy and wastes_terms(index):
            index = _followed(Index(), live)
        index = tidied(index) if tidy else index
        if stored and index is stored.index and changes == stored.changes:
            return index
        return _saved(project, index, changes, stored)


def rebuild(project: Project) -> Index:
    """Make the index anew from the database."""
    with locked(project):
        changes = _changes(project)
        index = _followed(Index(), live_readings(project))
        return _saved(project, index, changes, None)


def forget(folder_name: str) -> None:
    """Remove the index of a project that is gone."""
    shutil.rmtree(Path(settings.LITO_INDEXES) / folder_name, ignore_errors=True)


def folder_of(project: Project) -> Path:
    return Path(settings.LITO_INDEXES) / project.public_id


def opened(project: Project) -> StoredIndex | None:
    """The newest generation: on disk, or in this process where it could not be written."""
    unwritten = _unwritten.get(project.pk)
    try:
        stored = open_index(folder_of(project))
    except IndexUnreadableError:
        return unwritten
    return unwritten if unwritten and unwritten.changes >= stored.changes else stored


@contextmanager
def locked(project: Project) -> Iterator[None]:
    """One writer of the project's index at a time, over all processes."""
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [ADVISORY_LOCK, project.pk])
        yield


def live_readings(project: Project) -> dict[int, int]:
    """The readings of the project's live versions, and of each the edition of its tokens."""
    versions = Version.objects.live().filter(project=project, parsed__isnull=False)
    return dict(versions.order_by("parsed_id").values_list("parsed_id", "parsed__tokenizer"))


def indexed_chunks() -> QuerySet[Chunk]:
    """Reference lists name many words and evidence none of them."""
    return Chunk.objects.exclude(kind="reference")


def _changes(project: Project) -> tuple[int, int]:
    """Last id and number of the project's changes. The number tells of one that committed late."""
    seen = Change.objects.filter(project=project).aggregate(last=Max("pk"), count=Count("pk"))
    return seen["last"] or 0, seen["count"]


def _followed(index: Index, live: Mapping[int, int]) -> Index:
    index = with_removed(index, dict(index.editions.items() - live.items()))
    new = [reading for reading in live if reading not in index.documents]
    return with_added(index, _documents(new, live)) if new else index


def _documents(readings: Sequence[int], editions: Mapping[int, int]) -> Iterator[IndexedDocument]:
    chunks = (
        indexed_chunks()
        .filter(parsed_id__in=readings)
        .order_by("parsed_id", "ordinal")
        .values_list("parsed_id", "pk", "terms")
    )
    rows = chunks.iterator(chunk_size=READ_AT_ONCE)
    remaining = dict.fromkeys(readings)
    for reading, its_rows in groupby(rows, key=itemgetter(0)):
        del remaining[reading]
        found = [(chunk, terms) for _, chunk, terms in its_rows]
        yield IndexedDocument(reading, found, editions[reading])
    for reading in remaining:  # a file without text
        yield IndexedDocument(reading, [], editions[reading])


def _saved(
    project: Project, index: Index, changes: tuple[int, int], base: StoredIndex | None
) -> Index:
    """Write it down. Where that fails (a full disk) this process keeps it, so that search works."""
    try:
        stored = save_index(index, folder_of(project), changes=changes, base=base)
        _unwritten.pop(project.pk, None)
        problem = ""
    except (OSError, IndexUnreadableError) as error:
        log.warning("the keyword index of project %s can't be written: %s", project.pk, error)
        stored = StoredIndex(index, "", changes, {})
        _unwritten[project.pk] = stored
        problem = str(error)
    KeywordIndex.objects.update_or_create(
        project=project,
        defaults={
            "generation": stored.generation,
            "applied_change": changes[0],
            "chunks": index.chunks,
            "size": sum(entry["size"] for entry in stored.entries.values()),
            "problem": problem[:200],
        },
    )
    return stored.index
