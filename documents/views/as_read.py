"""What did Lito read here: one page with everything that was read on it drawn over its image."""

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from documents.as_read import page_as_read
from documents.models import Version
from documents.progress import page_notes
from documents.reader import number_of, sheets
from documents.refinement import refinements, waiting_pages
from documents.views.papers import EDITING_ROLES
from documents.views.reading import readable_version
from projects.requests import SignedInRequest


@login_required
@require_GET
def page_read(request: SignedInRequest, slug: str, file_id: str, number: int) -> HttpResponse:
    """The page as it was read. A page that is not read yet says so."""
    version = readable_version(request.user, slug, file_id)
    pages = sheets(version)
    if not 1 <= number <= len(pages):
        raise Http404
    noted = page_notes(version)
    context = {
        "project": version.project,
        "here": "library",
        "version": version,
        "document": version.document,
        "sheets": pages,
        "sheet": pages[number - 1],
        "read": page_as_read(version, number),
        "notes": noted.get(number, ()),
        "waits_for_ocr": _waits_for_ocr(version, number),
        "may_edit": version.project.role_of(request.user) in EDITING_ROLES,
        "noted_pages": sorted(noted),
        "noted_before": max((page for page in noted if page < number), default=None),
        "noted_after": min((page for page in noted if page > number), default=None),
    }
    return render(request, "documents/page_read.html", context)


def _waits_for_ocr(version: Version, number: int) -> bool:
    """Whether OCR failed on the page and does not try again by itself."""
    return number in waiting_pages(version, refinements([version]).get(version.pk))


@login_required
@require_GET
def find_page_read(request: SignedInRequest, slug: str, file_id: str) -> HttpResponse:
    """To the page that a person means by `?page=`: its position, or what is printed on it."""
    version = readable_version(request.user, slug, file_id)
    number = number_of(sheets(version), request.GET.get("page", "")) or 1
    return redirect("page_read", slug, file_id, number)
