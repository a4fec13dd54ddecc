"""The library: its page, its rows, and what an editor may do to a row."""

from dataclasses import dataclass

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from documents.inspecting import RefusedFileError, too_large_sentence
from documents.isolated.gates import let_go_of_database
from documents.library import library_page, library_rows
from documents.models import Document, Version
from documents.removing import remove
from documents.uploads import Added, add_file, cancel, retry
from projects.access import editable_project, readable_project
from projects.models import AuditEvent, Membership, Project
from projects.requests import SignedInRequest, whole_number


@dataclass(frozen=True, slots=True)
class Refusal:
    """A file that was not taken, and why, in words for the person who offered it."""

    file_name: str
    code: str
    sentence: str


@login_required
@require_GET
def library(request: SignedInRequest, slug: str) -> HttpResponse:
    project = readable_project(request.user, slug)
    return render(request, "documents/library.html", _context(request, project))


@login_required
@require_GET
def library_rows_fragment(request: SignedInRequest, slug: str) -> HttpResponse:
    """The rows as they stand now; the page asks again while a file is being worked on."""
    project = readable_project(request.user, slug)
    return render(request, "documents/_library_rows.html", _context(request, project))


@login_required
@require_POST
def upload(request: SignedInRequest, slug: str) -> HttpResponse:
    """Take one or many files. Of a refused file nothing is stored but its sentence is shown."""
    project = editable_project(request.user, slug)
    refused: list[Refusal] = []
    known: list[str] = []
    files = request.FILES.getlist("files")
    for file in files:
        outcome = _add(request, project, file)
        if isinstance(outcome, Refusal):
            refused.append(outcome)
        elif not outcome.created:
            known.append(file.name or "")
    if not files:
        refused.append(Refusal("", "no_file", _("No file came with this. Choose PDF files first.")))
    context = _context(request, project) | {"refused": refused, "known": known}
    if request.htmx or request.headers.get("X-Requested-With") == "lito":
        return render(
            request, "documents/_library_rows.html", context, status=422 if refused else 200
        )
    if refused or known:
        status = 422 if refused else 200
        return render(request, "documents/library.html", context, status=status)
    return redirect("library", slug=slug)


@login_required
@require_POST
def retry_version(request: SignedInRequest, slug: str, file_id: str) -> HttpResponse:
    version = _editable_version(request, slug, file_id)
    retry(version)
    return _after(request, version)


@login_required
@require_POST
def cancel_version(request: SignedInRequest, slug: str, file_id: str) -> HttpResponse:
    version = _editable_version(request, slug, file_id)
    cancel(version)
    return _after(request, version)


@login_required
@require_POST
def remove_document(request: SignedInRequest, slug: str, document_id: str) -> HttpResponse:
    """Take a paper out of search and answers at once. Answers keep their excerpts."""
    project = editable_project(request.user, slug)
    document = get_object_or_404(Document.objects.live(), project=project, public_id=document_id)
    remove(document)
    AuditEvent.record("document_removed", user=request.user, project=project, title=document.title)
    if request.htmx:
        return render(request, "documents/_library_rows.html", _context(request, project))
    return redirect("library", slug=slug)


def _add(request: SignedInRequest, project: Project, file: UploadedFile) -> Added | Refusal:
    let_go_of_database()
    try:
        return add_file(project, path_or_upload=file, file_name=file.name or "", user=request.user)
    except RefusedFileError as error:
        return Refusal(file.name or "", error.code, error.message)


def _editable_version(request: SignedInRequest, slug: str, file_id: str) -> Version:
    project = editable_project(request.user, slug)
    versions = Version.objects.present().filter(project=project)
    return get_object_or_404(versions.select_related("document", "project"), public_id=file_id)


def _after(request: SignedInRequest, version: Version) -> HttpResponse:
    if not request.htmx:
        return redirect("library", slug=version.project.slug)
    rows = library_rows(Document.objects.filter(pk=version.document_id))
    if not rows:  # removed meanwhile: so is the row
        return HttpResponse()
    context = {"row": rows[0], "project": version.project, "may_edit": True}
    return render(request, "documents/_library_row.html", context)


def _context(request: SignedInRequest, project: Project) -> dict[str, object]:
    query = request.GET.get("q", "").replace("\0", "")[:200]  # PostgreSQL has no such character
    editors = (Membership.Role.OWNER, Membership.Role.EDITOR)
    return {
        "project": project,
        "here": "library",
        "page": library_page(
            project, query=query, number=whole_number(request.GET.get("page", "")) or 1
        ),
        "may_edit": project.role_of(request.user) in editors,
        "most_bytes": settings.LITO_MAX_UPLOAD_BYTES,
        "most_megabytes": settings.LITO_MAX_UPLOAD_BYTES // 1024 // 1024,
        "too_large": too_large_sentence(),
    }
