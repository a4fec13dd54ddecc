"""The keyword index against the database: what an admin sees, and how it heals.

Files may be lost, cut short or changed by a disk, and a folder may be restored from an old copy.
"""

from dataclasses import dataclass

import numpy as np
from django.db.models import Func, IntegerField, QuerySet
from django.utils import timezone

from documents.models import Chunk
from projects.models import Project
from retrieval.bm25 import Index
from retrieval.index_files import IndexUnreadableError, damaged_files
from retrieval.keyword_index import (
    folder_of,
    follow_documents,
    indexed_chunks,
    live_readings,
    locked,
    opened,
    rebuild,
)
from retrieval.models import KeywordIndex

Finding = KeywordIndex.Finding


@dataclass(frozen=True, slots=True)
class IndexCheck:
    """Chunks by the database and by the index on disk; `readable` is false where none stands.

    `differing_chunks` stand in one of the two only, or with another number of tokens.
    """

    readable: bool
    damaged_files: tuple[str, ...]
    database_chunks: int
    indexed_chunks: int
    differing_chunks: int
    missing_readings: frozenset[int]
    extra_readings: frozenset[int]
    outdated_readings: frozenset[int]

    @property
    def finding(self) -> Finding:
        if not self.readable:
            return Finding.MISSING
        if self.damaged_files:
            return Finding.DAMAGED
        parted = self.missing_readings or self.extra_readings or self.outdated_readings
        return Finding.DIFFERS if parted or self.differing_chunks else Finding.AGREES

    @property
    def agrees(self) -> bool:
        return self.finding is Finding.AGREES


def check(project: Project) -> IndexCheck:
    """Compare the index with the database, and its files with their checksums. Changes nothing."""
    stored = opened(project)
    live = live_readings(project)
    index = stored.index if stored else Index()
    in_database = set(_counted(indexed_chunks().filter(parsed_id__in=live)))
    in_index = set(_indexed(index))
    readable = stored is not None and bool(stored.generation)  # else only in this process
    return IndexCheck(
        readable=readable,
        damaged_files=_damaged(project) if readable else (),
        database_chunks=len(in_database),
        indexed_chunks=len(in_index),
        differing_chunks=len({chunk for chunk, _ in in_database ^ in_index}),
        missing_readings=frozenset(live) - index.documents,
        extra_readings=index.documents - frozenset(live),
        outdated_readings=frozenset(
            reading
            for reading, edition in index.editions.items()
            if live.get(reading, edition) != edition
        ),
    )


def heal(project: Project) -> IndexCheck:
    """Bring the index up to date and check it; make it anew if it does not agree.

    Returns what the check found before.
    """
    with locked(project):
        lost = opened(project) is None and KeywordIndex.objects.filter(project=project).exists()
        follow_documents(project)
        found = check(project)
        now = timezone.now()
        finding = Finding.MISSING if lost else found.finding
        healed = {} if finding is Finding.AGREES else {"healed_at": now}
        if not found.agrees:
            rebuild(project)
        KeywordIndex.objects.filter(project=project).update(
            checked_at=now, finding=finding, **healed
        )
        return found


def _damaged(project: Project) -> tuple[str, ...]:
    try:
        return tuple(damaged_files(folder_of(project)))
    except IndexUnreadableError as error:
        return (str(error),)


def _counted(chunks: QuerySet[Chunk]) -> "QuerySet[Chunk, tuple[int, int]]":
    length = Func("terms", function="jsonb_array_length", output_field=IntegerField())
    return chunks.annotate(length=length).values_list("pk", "length")


def _indexed(index: Index) -> list[tuple[int, int]]:
    if not index.segments:
        return []
    rows = [segment.live_rows() for segment in index.segments]
    kept = list(zip(index.segments, rows, strict=True))
    chunks = np.concatenate([segment.chunks[live] for segment, live in kept])
    lengths = np.concatenate([segment.lengths[live] for segment, live in kept])
    return list(zip(chunks.tolist(), lengths.tolist(), strict=True))
