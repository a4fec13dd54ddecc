"""Work of the queues `locate` and `index`."""

from celery import shared_task

from citations import claim_locating
from citations.models import Citation, Location
from citations.pages import normalize_pages
from documents.models import ParsedFile


@shared_task
def locate_claim(location_id: int, citation_id: int) -> None:
    """Answer a waiting location, if its user may still read the citation."""
    location = Location.objects.select_related("user").filter(pk=location_id).first()
    if location is None or location.status != "locating":
        return
    citation = (
        Citation.objects.visible_to(location.user)
        .select_related("source__version__document")
        .filter(pk=citation_id)
        .first()
    )
    if citation is None:
        location.delete()
        return
    claim_locating.locate_claim(location, citation)


@shared_task
def normalize_file(parsed_id: int) -> None:
    """Make the normalised text of a file's pages ahead of the first question about it."""
    parsed = ParsedFile.objects.filter(pk=parsed_id).first()
    if parsed is not None:
        normalize_pages(parsed)
