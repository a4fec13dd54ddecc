"""Keeping the indexes up to date, apart from any search."""

from dataclasses import dataclass

from celery import shared_task

from documents.models import EmbeddingSpace, Version
from documents.retokenizing import outdated_readings, renew_terms
from documents.worker_duties import Watch
from projects.models import Project
from retrieval import graphs, index_checking, keyword_index, reembedding

CHECK_SECONDS = 6 * 3600.0
RENEW_SECONDS = 60.0
REEMBED_SECONDS = 30.0
READINGS_AT_ONCE = 20


@shared_task
def follow_documents(project_id: int) -> None:
    """Apply the project's changes and merge small segments. Does nothing for a project gone."""
    if project := Project.objects.filter(pk=project_id).first():
        keyword_index.follow_documents(project, tidy=True)
        ask_for_graph(project_id)


@shared_task
def check_index(project_id: int) -> None:
    """Check the project's keyword index, and make it anew if it is not what it should be."""
    if project := Project.objects.filter(pk=project_id).first():
        index_checking.heal(project)


@shared_task
def renew_terms_of_next() -> None:
    """Bring the terms of some readings to the present edition; then of the next ones."""
    readings = list(outdated_readings()[:READINGS_AT_ONCE])
    for parsed in readings:
        renew_terms(parsed)
    touched = Version.objects.live().filter(parsed__in=readings)
    for project in Project.objects.filter(pk__in=touched.values("project")).order_by("pk"):
        keyword_index.follow_documents(project, tidy=True)
    if outdated_readings().exists():
        renew_terms_of_next.delay()


@dataclass(slots=True)
class TermsWatch:
    """Sends the renewing of terms at a worker's start, and where it has come to a stop."""

    left_before: int = 0

    def look(self, just_started: bool) -> None:  # noqa: FBT001 - as `Watch` calls it
        left = outdated_readings().count()
        if left and (just_started or left == self.left_before):
            renew_terms_of_next.apply_async(expires=RENEW_SECONDS)
        self.left_before = left


def send_checks() -> None:
    for project in Project.objects.order_by("pk").values_list("pk", flat=True):
        check_index.apply_async((project,), expires=CHECK_SECONDS)


@shared_task
def build_missing_graph(project_id: int) -> None:
    """Give a project its graph once it has outgrown the scan, and the graph what is new since."""
    space = _active_space()
    if space and graphs.wants_graph(space, project_id):
        graphs.build_graph(space, project_id)


def ask_for_graph(project_id: int, *, most_scanned: int | None = None) -> bool:
    """Send the task that builds the project's graph if it wants one; return whether it does."""
    space = _active_space()
    if space is None or not graphs.wants_graph(space, project_id, most_scanned=most_scanned):
        return False
    build_missing_graph.delay(project_id)
    return True


@shared_task
def reembed_next() -> None:
    """Give some readings vectors by the new embedder; then the next ones."""
    if reembedding.reembed_some():
        send_reembedding()


def send_reembedding() -> bool:
    """Send the task that makes vectors anew, if another embedder was configured."""
    if not reembedding.is_wanted():
        return False
    reembed_next.apply_async(expires=REEMBED_SECONDS)  # that none pile up where nobody works
    return True


def _active_space() -> EmbeddingSpace | None:
    return EmbeddingSpace.objects.filter(active=True).first()


Watch("index", CHECK_SECONDS, lambda _started: send_checks()).connect()
Watch("index", RENEW_SECONDS, TermsWatch().look).connect()
Watch("index", REEMBED_SECONDS, lambda _started: send_reembedding()).connect()
