"""Graphs (HNSW) over the vectors of large projects, so that they need not all be compared.

A project whose scope is too large to be scanned in time gets a graph of its own: a partial index
over the rows that are on its *shelf*. A whole reading is put on a shelf at once; `ShelvedReading`
says how many rows that were, so that a search knows what a graph covers without counting vectors.
What is on no shelf, or on another project's, is scanned. So a graph may lag behind or be gone, and
a search still sees everything.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from django.conf import settings
from django.db import OperationalError, connection, transaction
from django.db.models import QuerySet

from documents.models import Chunk, ChunkVector, EmbeddingSpace, Version
from retrieval.models import ShelvedReading

TABLE = ChunkVector._meta.db_table  # noqa: SLF001 (documented API)
SHELVES = ShelvedReading._meta.db_table  # noqa: SLF001 (documented API)
ADVISORY_LOCK = 0x686E7377
"""“hnsw” in ASCII; the second key is the project."""
BYTES_PER_LINK = 300
"""What a row of a graph takes beside its vector, in memory, roughly."""
LEAST_MEMORY_MB = 256
MOST_MEMORY_MB = 2048

SHELVED = """
SELECT project_id, array_agg(parsed_id ORDER BY parsed_id), sum(rows)
FROM {table}
WHERE space_id = %s AND project_id = ANY(%s) AND parsed_id = ANY(%s::bigint[])
GROUP BY project_id ORDER BY project_id
"""
"""Arrays: a placeholder for each of thousands of readings takes longer than the graph itself."""


def as_array(numbers: Sequence[int]) -> str:
    """For `ANY(%s::bigint[])` on a column of that type.

    A list would go as an array of the smallest type that holds it, and PostgreSQL compares each
    row with each number where the types differ; where they agree it looks them up in a hash table.
    """
    return "{" + ",".join(map(str, numbers)) + "}"


@dataclass(frozen=True, slots=True)
class Part:
    """The readings of a scope that stand in one graph, and how many rows that are."""

    shelf: int
    readings: tuple[int, ...]
    rows: int


def parts_in_graphs(
    space: EmbeddingSpace, readings: Sequence[int], *, more_than: int, least_share: float
) -> list[Part]:
    """What of a scope its graphs should be asked for.

    Only graphs that are complete, of which the scope has more than `more_than` rows and at least
    `least_share` of all.
    """
    sizes = _graph_sizes(space)
    if not sizes:
        return []
    with connection.cursor() as cursor:
        cursor.execute(SHELVED.format(table=SHELVES), [space.pk, list(sizes), as_array(readings)])
        parts = [Part(shelf, tuple(found), rows) for shelf, found, rows in cursor.fetchall()]
    return [part for part in parts if part.rows > max(more_than, least_share * sizes[part.shelf])]


def has_graph(space: EmbeddingSpace, project_id: int) -> bool:
    """Whether the project's graph stands and is complete."""
    return project_id in _graph_sizes(space)


def wants_graph(space: EmbeddingSpace, project_id: int, *, most_scanned: int | None = None) -> bool:
    """Whether the project is too large to be scanned and a graph is missing, or readings in it."""
    if has_graph(space, project_id):
        return bool(_unshelved(space, project_id))
    most_numbers = settings.LITO_VECTOR_SCAN if most_scanned is None else most_scanned
    most_rows = most_numbers // space.dimensions
    readings = _live_readings(project_id)
    rows = ChunkVector.objects.filter(space=space, parsed_id__in=readings)
    return rows[: most_rows + 1].count() > most_rows


def build_graph(space: EmbeddingSpace, project_id: int, *, concurrently: bool = True) -> None:
    """Put the project's complete readings on its shelf, and build their graph if there is none.

    `concurrently` lets others write meanwhile, and can't be done inside a transaction. While
    another process does it, nothing is done; what a dead one left is built again.
    """
    with _alone(project_id) as mine:
        if not mine:
            return
        for reading in _unshelved(space, project_id):
            _shelve(space, project_id, reading)
        if not has_graph(space, project_id):
            _drop(space.pk, project_id, concurrently=concurrently)
            create_graph(space, project_id, concurrently=concurrently)


def create_graph(space: EmbeddingSpace, project_id: int, *, concurrently: bool) -> None:
    """Build the graph over what is on the project's shelf now."""
    shelf = ShelvedReading.objects.filter(space=space, project_id=project_id)
    rows = sum(shelf.values_list("rows", flat=True))
    needed = rows * (2 * space.dimensions + BYTES_PER_LINK) // 2**20
    memory = max(LEAST_MEMORY_MB, min(MOST_MEMORY_MB, needed))
    statement = (
        f"CREATE INDEX {'CONCURRENTLY' if concurrently else ''} {_name(space.pk, project_id)}"
        f" ON {TABLE} USING hnsw ((vec::halfvec({int(space.dimensions)})) halfvec_cosine_ops)"
        f" WHERE space_id = {int(space.pk)} AND shelf = {int(project_id)}"
    )
    with connection.cursor() as cursor:
        cursor.execute(f"SET maintenance_work_mem = '{memory}MB'")
        try:
            cursor.execute(statement)
        except OperationalError:
            # Helpers share that memory, and containers often have little to share: alone, then.
            if not concurrently:
                raise
            _drop(space.pk, project_id, concurrently=True)
            cursor.execute("SET max_parallel_maintenance_workers = 0")
            cursor.execute(statement)
        finally:
            if not connection.needs_rollback and connection.is_usable():
                cursor.execute("RESET maintenance_work_mem")
                cursor.execute("RESET max_parallel_maintenance_workers")


def drop_graphs(*, space_id: int | None = None, project_id: int | None = None) -> None:
    """Remove the graphs of a space or of a project that is gone."""
    for space, project in _graph_names():
        if space_id in (None, space) and project_id in (None, project):
            _drop(space, project, concurrently=not connection.in_atomic_block)


def _live_readings(project_id: int) -> QuerySet[Version, int]:
    live = Version.objects.live().filter(project_id=project_id, parsed__isnull=False)
    return live.values_list("parsed_id", flat=True)


def _unshelved(space: EmbeddingSpace, project_id: int) -> list[int]:
    """Live readings that have all their vectors in this space and are on no shelf.

    A reading with all its vectors never changes, so what is counted of it stays true.
    """
    on_a_shelf = ShelvedReading.objects.filter(space=space).values("parsed_id")
    readings = list(_live_readings(project_id).exclude(parsed_id__in=on_a_shelf))
    wanted = Chunk.objects.filter(parsed_id__in=readings).exclude(kind="reference")
    waiting = set(wanted.exclude(vectors__space=space).values_list("parsed_id", flat=True))
    return sorted(set(readings) - waiting)


def _shelve(space: EmbeddingSpace, project_id: int, reading: int) -> None:
    with transaction.atomic():
        shelved, is_new = ShelvedReading.objects.get_or_create(
            space=space, parsed_id=reading, defaults={"project_id": project_id, "rows": 0}
        )
        if is_new:
            rows = ChunkVector.objects.filter(space=space, parsed_id=reading)
            shelved.rows = rows.update(shelf=project_id)
            shelved.save(update_fields=["rows"])


@contextmanager
def _alone(project_id: int) -> Iterator[bool]:
    """Whether nobody else builds a graph of this project now; the right ends with the session."""
    key = [ADVISORY_LOCK, project_id]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", key)
        mine = cursor.fetchone() == (True,)
        try:
            yield mine
        finally:
            if mine:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", key)


def _drop(space_id: int, project_id: int, *, concurrently: bool) -> None:
    how = "CONCURRENTLY" if concurrently else ""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP INDEX {how} IF EXISTS {_name(space_id, project_id)}")


def _name(space_id: int, project_id: int) -> str:
    return f"chunk_vectors_{int(space_id)}_of_{int(project_id)}"


def _graph_names() -> list[tuple[int, int]]:
    """Space and project of each graph that stands or was begun."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT substring(relname FROM '^chunk_vectors_([0-9]+)_of_'),"
            " substring(relname FROM '_of_([0-9]+)$') FROM pg_index"
            " JOIN pg_class ON pg_class.oid = indexrelid WHERE indrelid = %s::regclass"
            " AND relname ~ '^chunk_vectors_[0-9]+_of_[0-9]+$'",
            [TABLE],
        )
        return [(int(space), int(project)) for space, project in cursor.fetchall()]


def _graph_sizes(space: EmbeddingSpace) -> dict[int, float]:
    """About how many rows each complete graph of the space has, by project."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT substring(relname FROM '_of_([0-9]+)$'), reltuples FROM pg_index"
            " JOIN pg_class ON pg_class.oid = indexrelid WHERE indrelid = %s::regclass"
            " AND indisvalid AND relname ~ %s",
            [TABLE, f"^chunk_vectors_{int(space.pk)}_of_[0-9]+$"],
        )
        return {int(project): float(rows) for project, rows in cursor.fetchall()}
