"""From one embedder to another while people go on searching.

When another embedder is configured, its space is the active one, and each project that has papers
stays in the space that it had. In the background every reading gets vectors in the active space;
a project is switched, in one step, when nothing of it is missing there. A space in which nobody
searches any more is removed with its vectors and graphs.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

import structlog
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from documents.chunks.chunk_vectors import embed_chunks
from documents.claiming import LostClaimError
from documents.models import Chunk, ChunkVector, EmbeddingSpace, ParsedFile, ProjectSpace, Version
from documents.reading_claims import nobody_waits
from documents.vectors.embedding import EmbedderUnavailableError, active_space
from projects.models import Project
from retrieval import graphs
from retrieval.models import ShelvedReading

READINGS_AT_ONCE = 20
ROWS_AT_ONCE = 5000
GLANCE_SECONDS = 0.5

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ProjectProgress:
    """How many of a project's passages have vectors in the active space."""

    project: Project
    space: EmbeddingSpace
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Reembedding:
    """The right to make a reading's vectors in the background, as long as nobody says stop."""

    parsed: ParsedFile
    space: EmbeddingSpace
    may_go_on: Callable[[], bool] = nobody_waits

    def beat(self) -> None:
        """Hold the reading. Raises `LostClaimError` if it went, or if the work was stopped."""
        if is_stopped(self.space):
            raise LostClaimError
        if not ParsedFile.objects.filter(pk=self.parsed.pk).update(used_at=timezone.now()):
            raise LostClaimError

    def embedded(self, _done: int) -> None:
        self.beat()

    def pause(self) -> None:
        """Wait as long as somebody waits for a new file. Raises `LostClaimError` as `beat`."""
        self.beat()
        while not self.may_go_on():
            time.sleep(GLANCE_SECONDS)
            self.beat()


def is_wanted() -> bool:
    """Whether a project is behind, or a space is left over. Makes the configured one active."""
    try:
        active_space()
    except EmbedderUnavailableError as error:
        _note_problem(str(error))
        return False
    return ProjectSpace.objects.exists() or _left_over().exists()


def reembed_some(*, may_go_on: Callable[[], bool] = nobody_waits) -> bool:
    """Give some readings their vectors, switch the projects that have all; return whether to go on.

    Several may do so at once: each reading is made by one of them.
    """
    try:
        space = active_space()
    except EmbedderUnavailableError as error:
        _note_problem(str(error))
        return False
    if is_stopped(space):
        return False
    waiting = waiting_readings(space)
    made, problem = 0, ""
    for reading in waiting[:READINGS_AT_ONCE]:
        try:
            made += _embedded(reading, space, may_go_on)
        except EmbedderUnavailableError as error:
            log.warning("reembedding_waits", reading=reading, error=str(error))
            problem = str(error)
    _note_problem(problem)
    for project in Project.objects.filter(older_space__isnull=False).order_by("pk"):
        switch_if_complete(project, space)
    remove_left_over()
    return made > 0 and len(waiting) > made and not is_stopped(space)


def waiting_readings(space: EmbeddingSpace) -> list[int]:
    """Readings of projects that are behind, with a passage that has no vector in `space`."""
    behind = ProjectSpace.objects.values_list("project_id", flat=True)
    chunks = _chunks_without(space, _readings(behind))
    return sorted(set(chunks.values_list("parsed_id", flat=True)))


def switch_if_complete(project: Project, space: EmbeddingSpace) -> bool:
    """Search `project` in `space` from now on, if nothing is missing there; return whether so."""
    readings = _readings([project.pk])
    if _chunks_without(space, readings).exists():
        return False
    if graphs.wants_graph(space, project.pk) and not transaction.get_connection().in_atomic_block:
        graphs.build_graph(space, project.pk)
    with transaction.atomic():
        behind = ProjectSpace.objects.select_for_update().filter(project=project)
        if not behind.exists() or _chunks_without(space, readings).exists():
            return False
        behind.delete()
    log.info("project_switched", project=project.slug, space=str(space))
    return True


def remove_left_over() -> None:
    """Remove the spaces in which nobody searches, a few thousand vectors at a time."""
    for space in _left_over():
        graphs.drop_graphs(space_id=space.pk)
        ShelvedReading.objects.filter(space=space).delete()
        vectors = ChunkVector.objects.filter(space=space)
        while _left_over().filter(pk=space.pk).exists():
            some = list(vectors.values_list("pk", flat=True)[:ROWS_AT_ONCE])
            if not some:
                _left_over().filter(pk=space.pk).delete()
                break
            ChunkVector.objects.filter(pk__in=some).delete()


def progress() -> list[ProjectProgress]:
    """Of the projects that are still searched in an older space."""
    active = EmbeddingSpace.objects.filter(active=True).first()
    rows = ProjectSpace.objects.select_related("project", "space").order_by("project__name", "pk")
    shown = []
    for row in rows:
        wanted = _wanted(_readings([row.project_id]))
        done = wanted.filter(vectors__space=active).count()
        shown.append(ProjectProgress(row.project, row.space, done, wanted.count()))
    return shown


def is_stopped(space: EmbeddingSpace) -> bool:
    """Whether an admin stopped the work, or another embedder was configured meanwhile."""
    return not EmbeddingSpace.objects.filter(pk=space.pk, active=True, paused=False).exists()


def _embedded(reading: int, space: EmbeddingSpace, may_go_on: Callable[[], bool]) -> bool:
    parsed = ParsedFile.objects.filter(pk=reading).first()
    if parsed is None:
        return False
    try:
        hold = Reembedding(parsed, space, may_go_on)
        if not embed_chunks(hold, space, counted=False, wait=False):
            return False
    except LostClaimError:
        return False
    return True


def _note_problem(problem: str) -> None:
    behind = EmbeddingSpace.objects.filter(active=True).exclude(problem=problem[:300])
    behind.update(problem=problem[:300])


def _readings(projects: "QuerySet[ProjectSpace, int] | list[int]") -> "QuerySet[Version, int]":
    """The readings of live versions that are ready; others get their vectors by their own task."""
    live = Version.objects.live().filter(project_id__in=projects)
    ready = live.filter(state=Version.State.READY, parsed__isnull=False)
    return ready.values_list("parsed_id", flat=True)


def _wanted(readings: "QuerySet[Version, int]") -> QuerySet[Chunk]:
    return Chunk.objects.filter(parsed_id__in=readings).exclude(kind="reference")


def _chunks_without(space: EmbeddingSpace, readings: "QuerySet[Version, int]") -> QuerySet[Chunk]:
    return _wanted(readings).exclude(vectors__space=space)


def _left_over() -> QuerySet[EmbeddingSpace]:
    return EmbeddingSpace.objects.filter(active=False, projects=None).order_by("pk")
