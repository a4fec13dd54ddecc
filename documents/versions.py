"""Which version of a paper is the current one: the newest that can be searched.

A newer file takes over in the moment in which it can be found, not before; if it goes, the one
before it comes back. All of it happens in a transaction that holds the document.
"""

from django.utils import timezone

from documents import changes
from documents.models import Change, Document, Version, VersionQuerySet

SEARCHABLE = (Version.State.INDEXING, Version.State.READY)


def hold_document(document_id: int) -> None:
    """Lock the document until the transaction ends. Before its versions, or two wait for ever."""
    list(Document.objects.select_for_update().filter(pk=document_id))


def take_over(version: Version) -> None:
    """`version` can be searched now: it replaces the older ones, or stays behind a newer one."""
    current = _others(version).filter(superseded_at=None)
    if current.searchable().filter(number__gt=version.number).exists():
        _set_superseded(version, is_so=True)
        return
    _set_superseded(version, is_so=False)
    for older in current.filter(number__lt=version.number).order_by("pk"):
        _set_superseded(older, is_so=True)
        if older.state in SEARCHABLE:
            changes.record(older.project, Change.Kind.REMOVED, older)
    changes.record(version.project, Change.Kind.ADDED, version)


def step_down(version: Version) -> None:
    """`version` can't be searched any more: the newest other one that can is current again."""
    changes.record(version.project, Change.Kind.REMOVED, version)
    others = _others(version).searchable()
    if others.filter(superseded_at=None).exists():
        return
    heir = others.order_by("-number").first()
    if heir is not None:
        _set_superseded(heir, is_so=False)
        changes.record(heir.project, Change.Kind.ADDED, heir)


def _others(version: Version) -> VersionQuerySet:
    present = Version.objects.present().filter(document_id=version.document_id)
    return present.exclude(pk=version.pk).select_related("project")


def _set_superseded(version: Version, *, is_so: bool) -> None:
    if (version.superseded_at is not None) != is_so:
        version.superseded_at = timezone.now() if is_so else None
        version.save(update_fields=("superseded_at",))
