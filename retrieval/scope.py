"""Which versions a search may use."""

from collections.abc import Collection

from documents.models import Version
from projects.models import Project
from retrieval.evidence import Scope, ScopedVersion


def project_scope(project: Project, *, document_ids: Collection[str] | None = None) -> Scope:
    """The live versions of `project`, in a fixed order; only those of the documents with the public
    ids `document_ids`, if given. That the user may read the project is the caller's to check.
    """
    versions = (
        Version.objects.live()
        .filter(project=project, parsed__isnull=False)
        .select_related("document", "parsed")
        .order_by("document_id", "pk")
    )
    if document_ids is not None:
        versions = versions.filter(document__public_id__in=document_ids)
    return Scope(project.pk, tuple(_scoped(version) for version in versions))


def _scoped(version: Version) -> ScopedVersion:
    assert version.parsed is not None
    return ScopedVersion(
        file_id=version.public_id,
        document_id=version.document.public_id,
        parsed_id=version.parsed.pk,
        sha256=version.sha256,
        parser=version.parsed.parser,
        title=version.document.title or version.file_name,
        language=version.document.language,
    )
