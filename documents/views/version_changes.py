"""A newer file for a paper, and taking one of its files out."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from documents.inspecting import RefusedFileError
from documents.isolated.gates import let_go_of_database
from documents.models import Document, Version
from documents.removing import remove_version as take_out
from documents.uploads import add_version
from documents.views.versions import versions_context
from projects.access import editable_project
from projects.models import AuditEvent
from projects.requests import SignedInRequest


@login_required
@require_POST
def upload_version(request: SignedInRequest, slug: str, document_id: str) -> HttpResponse:
    """Take a newer file of a paper. It replaces the present one when it can be searched."""
    project = editable_project(request.user, slug)
    document = get_object_or_404(Document.objects.live(), project=project, public_id=document_id)
    file = request.FILES.get("file")
    if file is None:
        return _refused(request, document, _("No file came with this. Choose a PDF file first."))
    let_go_of_database()
    try:
        added = add_version(
            document, path_or_upload=file, file_name=file.name or "", user=request.user
        )
    except RefusedFileError as error:
        return _refused(request, document, error.message)
    if not added.created:
        return _refused(
            request,
            document,
            _("These are the very bytes of version %(number)d.") % {"number": added.version.number},
        )
    return redirect("versions", slug=slug, document_id=document_id)


@login_required
@require_POST
def remove_version(request: SignedInRequest, slug: str, file_id: str) -> HttpResponse:
    """Take one file out; with the last one the paper goes. Answers keep their excerpts."""
    project = editable_project(request.user, slug)
    versions = Version.objects.present().filter(project=project).select_related("document")
    version = get_object_or_404(versions, public_id=file_id)
    take_out(version)
    AuditEvent.record(
        "version_removed",
        user=request.user,
        project=project,
        title=version.document.title,
        number=version.number,
    )
    document = Document.objects.get(pk=version.document_id)
    if document.removed_at is not None:
        return redirect("library", slug=slug)
    return redirect("versions", slug=slug, document_id=document.public_id)


def _refused(request: SignedInRequest, document: Document, sentence: str) -> HttpResponse:
    context = versions_context(request, document) | {"refused": sentence}
    return render(request, "documents/versions.html", context, status=422)
