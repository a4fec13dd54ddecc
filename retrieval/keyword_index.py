"""The keyword index of a project: follows the change log of documents, and heals itself.

What is on disk is a copy of what the database holds: the terms of the chunks of the project's live
versions. It is brought up to date by a task after each change and again before it is used, so a
search never sees less than the library shows.
"""

import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path

from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count, Max, QuerySet

from documents.models import Change, Chunk, Version
from projects.models import Project
from retrieval.bm25 import Index
from retrieval.growing import tidied, with_added, with_removed
from retrieval.index_files import IndexUnreadableError, StoredIndex, open_index, save_index
from retrieval.models import KeywordIndex
from retrieval.segments import IndexedDocument

ADVISORY_LOCK = 0x626D3235
"""“bm25” in ASCII; the second key is the project."""
READ_AT_ONCE = 2000


def keyword_index(project: Project, *, expected: Iterable[int] = ()) -> Index:
    """The index of `project` as of now. `expected` are `ParsedFile` ids that must be in it."""
    stored = _opened(project)
    if (
        stored
        and stored.changes == _changes(project)
        and stored.index.documents.issuperset(expected)
    ):
        return stored.index
    return follow_documents(project)


def follow_documents(project: Project, *, tidy: bool = False) -> Index:
    """Apply what the index has not seen yet, once, whoever else tries. `tidy` merges segments."""
    with transaction.atomic():
        _lock(project)
        changes = _changes(project)  # before the versions: a later change is seen next time
        stored = _opened(project)
        live = _live_readings(project)
        index = _followed(stored.index if stored else Index(), live)
        index = tidied(index) if tidy else index
        if stored and index is stored.index and changes == stored.changes:
            return index
        return _saved(project, index, changes, stored)


def rebuild(project: Project) -> Index:
    """Make the index anew from the database, for when its chunks are no longer there."""
    with transaction.atomic():
        _lock(project)
        changes = _changes(project)
        index = _followed(Index(), _live_readings(project))
        return _saved(project, index, changes, None)


def forget(folder_name: str) -> None:
    """Remove the index of a project that is gone."""
    shutil.rmtree(Path(settings.LITO_INDEXES) / folder_name, ignore_errors=True)


@dataclass(frozen=True, slots=True)
class IndexCheck:
    """Chunks by the database and by the index on disk; `readable` is false where none stands."""

    readable: bool
    database_chunks: int
    indexed_chunks: int
    missing_readings: frozenset[int]
    extra_readings: frozenset[int]

    @property
    def agrees(self) -> bool:
        return (
            self.readable
            and self.database_chunks == self.indexed_chunks
            and not self.missing_readings
            and not self.extra_readings
        )


def check(project: Project) -> IndexCheck:
    """Compare the index with the database. Changes nothing."""
    stored = _opened(project)
    live = frozenset(_live_readings(project))
    index = stored.index if stored else Index()
    return IndexCheck(
        readable=stored is not None,
        database_chunks=_indexed_chunks().filter(parsed_id__in=live).count(),
        indexed_chunks=index.chunks,
        missing_readings=live - index.documents,
        extra_readings=index.documents - live,
    )


def _folder(project: Project) -> Path:
    return Path(settings.LITO_INDEXES) / project.public_id


def _opened(project: Project) -> StoredIndex | None:
    try:
        return open_index(_folder(project))
    except IndexUnreadableError:
        return None


def _lock(project: Project) -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [ADVISORY_LOCK, project.pk])


def _changes(project: Project) -> tuple[int, int]:
    """Last id and number of the project's changes. The number tells of one that committed late."""
    seen = Change.objects.filter(project=project).aggregate(last=Max("pk"), count=Count("pk"))
    return seen["last"] or 0, seen["count"]


def _live_readings(project: Project) -> list[int]:
    versions = Version.objects.live().filter(project=project, parsed__isnull=False)
    return sorted({reading for reading in versions.values_list("parsed_id", flat=True) if reading})


def _followed(index: Index, live: list[int]) -> Index:
    index = with_removed(index, index.documents - frozenset(live))
    new = [reading for reading in live if reading not in index.documents]
    return with_added(index, _documents(new)) if new else index


def _documents(readings: list[int]) -> Iterator[IndexedDocument]:
    chunks = (
        _indexed_chunks()
        .filter(parsed_id__in=readings)
        .order_by("parsed_id", "ordinal")
        .values_list("parsed_id", "pk", "terms")
    )
    rows = chunks.iterator(chunk_size=READ_AT_ONCE)
    remaining = dict.fromkeys(readings)
    for reading, its_rows in groupby(rows, key=itemgetter(0)):
        del remaining[reading]
        yield IndexedDocument(reading, [(chunk, terms) for _, chunk, terms in its_rows])
    yield from (IndexedDocument(reading, []) for reading in remaining)  # a file without text


def _indexed_chunks() -> QuerySet[Chunk]:
    """Reference lists name many words and evidence none of them."""
    return Chunk.objects.exclude(kind="reference")


def _saved(
    project: Project, index: Index, changes: tuple[int, int], base: StoredIndex | None
) -> Index:
    stored = save_index(index, _folder(project), changes=changes, base=base)
    KeywordIndex.objects.update_or_create(
        project=project,
        defaults={"generation": stored.generation, "applied_change": changes[0]},
    )
    return stored.index
