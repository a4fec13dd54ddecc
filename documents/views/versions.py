"""The versions of one paper: its files over time, each with what was read of it."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_GET

from documents.failures import failure_words
from documents.library import author_line, drift_words
from documents.models import Document, Version
from documents.page_warnings import stored_warnings, warning_words
from projects.access import readable_project
from projects.models import Membership
from projects.requests import SignedInRequest


@login_required
@require_GET
def versions(request: SignedInRequest, slug: str, document_id: str) -> HttpResponse:
    project = readable_project(request.user, slug)
    papers = Document.objects.live().filter(project=project)
    document = get_object_or_404(papers, public_id=document_id)
    return render(request, "documents/versions.html", versions_context(request, document))


def versions_context(request: SignedInRequest, document: Document) -> dict[str, object]:
    project = document.project
    files = (
        document.versions.filter(removed_at=None)
        .select_related("parsed", "uploaded_by")
        .order_by("-number")
    )
    return {
        "project": project,
        "here": "library",
        "document": document,
        "title": document.title or next((file.file_name for file in files), ""),
        "authors": author_line(document.authors),
        "files": [_file(version) for version in files],
        "may_edit": project.role_of(request.user)
        in (Membership.Role.OWNER, Membership.Role.EDITOR),
    }


def _file(version: Version) -> dict[str, object]:
    return {
        "version": version,
        "failure": failure_words(version),
        "warnings": [
            (warning_words(warning), warning.pages[0], warning.is_gap)
            for warning in stored_warnings(version.parsed)
        ],
        "drifted": drift_words(version),
    }
