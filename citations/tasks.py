"""Work of the queues `locate` and `index`."""

from time import perf_counter

from celery import shared_task

from citations import claim_locating, following
from citations.models import Citation, Location
from citations.signals import Action, milliseconds_since, record
from projects.models import Project


@shared_task
def locate_claim(location_id: int, citation_id: int) -> None:
    """Answer a waiting location, if its user may still read the citation."""
    location = Location.objects.select_related("user").filter(pk=location_id).first()
    if location is None or location.status != "locating":
        return
    citation = (
        Citation.objects.visible_to(location.user)
        .select_related("answer", "source__version__document")
        .filter(pk=citation_id)
        .first()
    )
    if citation is None:
        location.delete()
        return
    started = perf_counter()
    claim_locating.locate_claim(location, citation)
    taken = milliseconds_since(started)
    status = Location.objects.filter(pk=location.pk).values_list("status", flat=True).first()
    if status is None:
        return  # nobody waited any longer
    record(Action.LOCATE, citation, location.user, status, milliseconds=taken)


@shared_task
def follow_documents(project_id: int) -> None:
    """Apply the project's changes. Does nothing for a project that is gone."""
    if project := Project.objects.filter(pk=project_id).first():
        following.follow_documents(project)


@shared_task
def forget_unreadable() -> None:
    """Delete the places whose readers may no longer read the paper: they left, or it went whole."""
    following.forget_unreadable()
