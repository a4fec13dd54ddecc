"""The change log of a project: what retrieval and citations apply when they next look."""

from django.db.models import QuerySet

from documents.models import Change, Version
from projects.models import Project


def record(project: Project, kind: Change.Kind, version: Version) -> Change:
    """Write down that `version` came or went. Call it in the transaction that makes it so.

    Keys must become visible in their own order, else a reader at key 7 would never see a slower
    transaction's key 6. So writers of one project go one after the other; call this late.
    """
    Project.objects.select_for_update(no_key=True).get(pk=project.pk)
    return Change.objects.create(
        project=project, kind=kind, file_id=version.public_id, parsed_id=version.parsed_id
    )


def since(project: Project, change_id: int) -> QuerySet[Change]:
    """The project's changes after the one with key `change_id` (0: all), oldest first."""
    return Change.objects.filter(project=project, pk__gt=change_id).order_by("pk")
