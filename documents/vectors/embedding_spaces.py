"""Embedding spaces: the active one, and who is still searched in an older one."""

from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from documents.models import EmbeddingSpace, ParsedFile, ProjectSpace, Version
from documents.vectors.embedder import SpaceIdentity
from projects.models import Project


def identity_of(space: EmbeddingSpace) -> SpaceIdentity:
    return SpaceIdentity(space.name, space.revision, space.dimensions)


def source_of(identity: SpaceIdentity) -> dict[str, str]:
    """Where the space's embedder is found; told by its name if that was never written down."""
    space = _spaces(identity).first()
    if space is not None and space.source:
        return dict(space.source)
    kinds = {"multilingual-e5-small ": "bundled", "bge-m3 FlagEmbedding": "bge-m3"}
    for beginning, kind in kinds.items():
        if identity.name.startswith(beginning):
            return {"embedder": kind}
    return {}


def space_in_use(project_id: int) -> EmbeddingSpace | None:
    """The space that searches in this project use; None as long as nothing was ever embedded."""
    older = ProjectSpace.objects.filter(project_id=project_id).select_related("space").first()
    return older.space if older else EmbeddingSpace.objects.filter(active=True).first()


def older_spaces_of(parsed: ParsedFile) -> QuerySet[EmbeddingSpace]:
    """Spaces beside the active one in which a project is searched that has this file."""
    versions = Version.objects.present().filter(sha256=parsed.sha256)
    spaces = EmbeddingSpace.objects.filter(projects__project__in=versions.values("project"))
    return spaces.filter(active=False).distinct().order_by("pk")


def activated(identity: SpaceIdentity, source: dict[str, str]) -> EmbeddingSpace:
    """The space with this identity, which is the active one from now on.

    If another was active, the projects that have papers go on being searched in that one.
    """
    found = _spaces(identity).filter(active=True, source=source).first()
    if found is not None:
        return found
    with transaction.atomic():
        # Locks the rows, so that two processes that start together agree on one active space.
        before = [
            space
            for space in EmbeddingSpace.objects.select_for_update().order_by("pk")
            if space.active
        ]
        space, _made = EmbeddingSpace.objects.get_or_create(**_fields(identity))
        if before and before[0] != space:
            _stay_behind(before[0])
        ProjectSpace.objects.filter(space=space).delete()
        EmbeddingSpace.objects.filter(active=True).exclude(pk=space.pk).update(active=False)
        space.active, space.source = True, source
        space.save(update_fields=["active", "source"])
    return space


def _stay_behind(space: EmbeddingSpace) -> None:
    if not space.vectors.exists():
        return
    behind = Project.objects.filter(versions__isnull=False, older_space=None).distinct()
    ProjectSpace.objects.bulk_create(
        [ProjectSpace(project=project, space=space) for project in behind], ignore_conflicts=True
    )


def _spaces(identity: SpaceIdentity) -> QuerySet[EmbeddingSpace]:
    return EmbeddingSpace.objects.filter(**_fields(identity))


def _fields(identity: SpaceIdentity) -> dict[str, Any]:
    return {
        "name": identity.name,
        "revision": identity.revision,
        "dimensions": identity.dimensions,
    }
