"""One paper: what is known of it, where that came from, changing it, and taking it elsewhere."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_POST

from documents.catalogue.bibliography import FIELDS
from documents.catalogue.describing import described_fields, edit, reset
from documents.catalogue.exporting import FORMATS, ExportFormat, export_document, export_project
from documents.catalogue.notices import notices_of, other_work
from documents.catalogue.tags import set_tags, tag_counts
from documents.forms import PaperForm
from documents.models import Document
from projects.access import editable_project, readable_project
from projects.models import Membership, Project
from projects.requests import SignedInRequest

LONGEST_LIST = 2_000
EDITING_ROLES = (Membership.Role.OWNER, Membership.Role.EDITOR)


@login_required
@require_GET
def paper(request: SignedInRequest, slug: str, document_id: str) -> HttpResponse:
    """All fields with their sources; for editors in a form."""
    project = readable_project(request.user, slug)
    document = _document(project, document_id)
    return _page(request, document, PaperForm(document=document))


@login_required
@require_POST
def edit_paper(request: SignedInRequest, slug: str, document_id: str) -> HttpResponse:
    document = _document(editable_project(request.user, slug), document_id)
    form = PaperForm(request.POST, document=document)
    if not form.is_valid():
        return _page(request, document, form, status=422)
    if values := form.edited():
        edit(document, values)
        messages.success(request, _("Saved."))
    return redirect("paper", slug=slug, document_id=document_id)


@login_required
@require_POST
def tag_paper(request: SignedInRequest, slug: str, document_id: str) -> HttpResponse:
    document = _document(editable_project(request.user, slug), document_id)
    set_tags(document, request.POST.get("tags", "")[:LONGEST_LIST])
    messages.success(request, _("Saved."))
    return redirect("paper", slug=slug, document_id=document_id)


@login_required
@require_POST
def reset_paper_field(
    request: SignedInRequest, slug: str, document_id: str, name: str
) -> HttpResponse:
    """Show again what was found, in place of what somebody had entered."""
    document = _document(editable_project(request.user, slug), document_id)
    if name not in FIELDS:
        raise Http404
    reset(document, name)
    return redirect("paper", slug=slug, document_id=document_id)


def _page(
    request: SignedInRequest, document: Document, form: PaperForm, *, status: int = 200
) -> HttpResponse:
    project = document.project
    shown = described_fields(document)
    context = {
        "project": project,
        "here": "library",
        "document": document,
        "version": document.versions.filter(removed_at=None).order_by("-number").first(),
        "form": form,
        "rows": [(field, form[field.name]) for field in shown],
        "notices": notices_of([document]).get(document.pk, []),
        "mismatch": other_work(document),
        "known_tags": tag_counts(project),
        "may_edit": project.role_of(request.user) in EDITING_ROLES,
    }
    return render(request, "documents/paper.html", context, status=status)


def _document(project: Project, document_id: str) -> Document:
    documents = Document.objects.live().filter(project=project, versions__isnull=False)
    return get_object_or_404(documents.select_related("project").distinct(), public_id=document_id)


@login_required
@require_GET
def export_library(request: SignedInRequest, slug: str, ending: str) -> HttpResponse:
    """The references of all papers, as a file."""
    project = readable_project(request.user, slug)
    form = _format(ending)
    return _download(export_project(project, form), form, f"{project.slug}.{form.ending}")


@login_required
@require_GET
def export_paper(
    request: SignedInRequest, slug: str, document_id: str, ending: str
) -> HttpResponse:
    document = _document(readable_project(request.user, slug), document_id)
    form = _format(ending)
    return _download(export_document(document, form), form, f"reference.{form.ending}")


def _format(ending: str) -> ExportFormat:
    if ending not in FORMATS:
        raise Http404
    return FORMATS[ending]


def _download(text: str, form: ExportFormat, name: str) -> HttpResponse:
    response = HttpResponse(text, content_type=form.content_type)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, no-store"
    return response
