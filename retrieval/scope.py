"""Which versions a search may use, and which reading of each."""

from collections.abc import Collection
from dataclasses import replace

from documents.models import Version
from projects.models import Project
from retrieval.bm25 import Index
from retrieval.evidence import Scope, ScopedVersion
from retrieval.keyword_index import keyword_index

TRIES = 5
SCOPED = (
    "public_id",
    "document__public_id",
    "parsed_id",
    "sha256",
    "parsed__parser",
    "document__title",
    "file_name",
    "document__language",
)
"""Read alone: whole rows of a thousand papers take a tenth of a second."""


def project_scope(project: Project, *, document_ids: Collection[str] | None = None) -> Scope:
    """The live versions of `project`, in a fixed order; only those of the documents with the public
    ids `document_ids`, if given. That the user may read the project is the caller's to check.
    """
    versions = (
        Version.objects.live()
        .filter(project=project, parsed__isnull=False)
        .order_by("document_id", "pk")
        .values_list(*SCOPED)
    )
    if document_ids is not None:
        versions = versions.filter(document__public_id__in=document_ids)
    return Scope(project.pk, tuple(_scoped(*row) for row in versions))


def in_step(scope: Scope) -> tuple[Scope, Index]:
    """The scope with the readings that its versions have now, and an index that holds just these.

    A file may be read anew while a run goes on, or while a search does: then it is looked again, so
    that no search sees a paper twice or not at all. Versions that went meanwhile are left out.
    """
    project = Project.objects.get(pk=scope.project_id)
    scope, index = _opened(scope, project)
    for _ in range(TRIES):
        if index.documents.issuperset(_readings(scope)):
            break
        scope, index = _opened(scope, project)
    return scope, index


def _opened(scope: Scope, project: Project) -> tuple[Scope, Index]:
    scope = _as_of_now(scope)
    return scope, keyword_index(project, expected=_readings(scope))


def _readings(scope: Scope) -> set[int]:
    return {version.parsed_id for version in scope.versions}


def _as_of_now(scope: Scope) -> Scope:
    live = Version.objects.live().filter(project_id=scope.project_id, parsed__isnull=False)
    rows = live.values_list("public_id", "parsed_id", "parsed__parser")
    now = {file_id: (parsed_id, parser) for file_id, parsed_id, parser in rows}
    return replace(
        scope,
        versions=tuple(
            replace(version, parsed_id=now[version.file_id][0], parser=now[version.file_id][1])
            for version in scope.versions
            if version.file_id in now
        ),
    )


def _scoped(
    file_id: str,
    document_id: str,
    parsed_id: int,
    sha256: str,
    parser: str,
    *names: str,
) -> ScopedVersion:
    title, file_name, language = names
    return ScopedVersion(
        file_id, document_id, parsed_id, sha256, parser, title or file_name, language
    )
