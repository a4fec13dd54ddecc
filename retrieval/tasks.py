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


@shared_task
def build_missing_graph() -> None:
    """Give the active embedding space its graph once it has outgrown the exact scan."""
    space = EmbeddingSpace.objects.filter(active=True).first()
    if space and vectors.wants_graph(space):
        vectors.build_graph(space)
