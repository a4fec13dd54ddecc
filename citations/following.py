"""What citations keep beside the papers: it follows the change log, and nothing outlives a paper.

Folded pages are made before the first question about a file. Anchors follow a version to another
reading. Places that were looked for are forgotten once their reader may no longer see the paper.
All of it may be done twice.
"""

from django.db import transaction
from django.db.models import Exists, OuterRef

from citations.drift import follow_anchors
from citations.models import FollowedChanges, Location
from citations.pages import normalize_pages
from documents import changes
from documents.models import Change, ParsedFile, Version
from projects.models import Membership, Project


def follow_documents(project: Project) -> int:
    """Apply the project's changes that citations have not seen; return how many there were."""
    followed, _ = FollowedChanges.objects.get_or_create(project=project)
    news = list(changes.since(project, followed.applied_change))
    if not news:
        return 0
    came = {change.parsed_id for change in news if change.kind != Change.Kind.REMOVED}
    for parsed in ParsedFile.objects.filter(pk__in=came, complete=True).order_by("pk"):
        normalize_pages(parsed)
    swapped = {change.file_id for change in news if change.kind == Change.Kind.SWAPPED}
    for version in Version.objects.filter(public_id__in=swapped).order_by("pk"):
        follow_anchors(version)
        _forget_places(version)
    with transaction.atomic():
        _forget_removed(news)
        behind = FollowedChanges.objects.filter(pk=followed.pk, applied_change__lt=news[-1].pk)
        behind.update(applied_change=news[-1].pk)
    return len(news)


def follow_removals(project: Project) -> None:
    """Before use: forget the places in papers that were removed since the task last came by."""
    followed = FollowedChanges.objects.filter(project=project).first()
    news = changes.since(project, followed.applied_change if followed else 0)
    removals = news.filter(kind=Change.Kind.REMOVED)
    _forget_removed(list(removals))


def forget_unreadable(hashes: list[str] | None = None) -> int:
    """Delete the places whose reader has no such file in any project; return how many.

    With `hashes` only those in files with these hashes are looked at.
    """
    members = Membership.objects.filter(
        project=OuterRef("project"), user=OuterRef(OuterRef("user"))
    )
    readable = Version.objects.present().filter(Exists(members), sha256=OuterRef("sha256"))
    unreadable = Location.objects.filter(~Exists(readable))
    if hashes is not None:
        unreadable = unreadable.filter(sha256__in=hashes)
    deleted, _ = unreadable.delete()
    return deleted


def _forget_places(version: Version) -> None:
    """Places found in an earlier reading are never asked for again: their key names the reading."""
    Location.objects.filter(sha256=version.sha256).exclude(status="locating").delete()


def _forget_removed(news: list[Change]) -> None:
    gone = [change.file_id for change in news if change.kind == Change.Kind.REMOVED]
    if gone:
        named = Version.objects.filter(public_id__in=gone)
        forget_unreadable(sorted(set(named.values_list("sha256", flat=True))))
