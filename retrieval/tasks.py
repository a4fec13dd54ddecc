"""Keeping the indexes up to date, apart from any search."""

from celery import shared_task

from documents.models import EmbeddingSpace
from projects.models import Project
from retrieval import keyword_index, vectors


@shared_task
def follow_documents(project_id: int) -> None:
    """Apply the project's changes and merge small segments. Does nothing for a project gone."""
    if project := Project.objects.filter(pk=project_id).first():
        keyword_index.follow_documents(project, tidy=True)
        ask_for_graph()


@shared_task
def build_missing_graph() -> None:
    """Give the active embedding space its graph once it has outgrown the exact scan."""
    space = _active_space()
    if space and vectors.wants_graph(space):
        vectors.build_graph(space)


def ask_for_graph(*, most_scanned: int = vectors.MOST_NUMBERS_SCANNED) -> bool:
    """Send the task that builds the graph if the active space wants one; return whether it does."""
    space = _active_space()
    if space is None or not vectors.wants_graph(space, most_scanned=most_scanned):
        return False
    build_missing_graph.delay()
    return True


def _active_space() -> EmbeddingSpace | None:
    return EmbeddingSpace.objects.filter(active=True).first()
