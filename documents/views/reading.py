"""The reader: a version's pages as images with selectable text, and the original file."""

from urllib.parse import quote

from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404, HttpResponse, HttpResponseNotModified
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import NoReverseMatch, reverse
from django.views.decorators.http import require_GET, require_safe

from documents.isolated.gates import CrowdedError, let_go_of_database
from documents.isolated.isolation import ReadingError
from documents.models import Version
from documents.pages.outline import outline as headings_of
from documents.reader import number_of, page_lines, reader_context, sheets
from documents.rendering import LOOK, WIDTHS, render_page
from documents.storage import file_path
from projects.access import AnyUser, readable_project
from projects.requests import SignedInRequest, whole_number


@login_required
@require_GET
def read(request: SignedInRequest, slug: str, file_id: str) -> HttpResponse:
    """The reader at `?page=`. With `?citation=` the citation's own page takes over."""
    version = readable_version(request.user, slug, file_id)
    citation = request.GET.get("citation", "")
    if citation:
        return _to_citation(slug, citation)
    pages = sheets(version)
    page = number_of(pages, request.GET.get("page", "")) or 1
    context = reader_context(version, pages, page=page)
    template = "documents/_reader.html" if request.htmx else "documents/read.html"
    return render(request, template, context)


@login_required
@require_safe
def page_image(request: SignedInRequest, slug: str, file_id: str, number: int) -> HttpResponse:
    """A page as WebP. The browser may keep it but has to ask each time, so that access counts."""
    version = readable_version(request.user, slug, file_id)
    if not 1 <= number <= version.page_count:
        raise Http404
    width = _step(request.GET.get("width", ""))
    tag = f'"{version.sha256[:32]}-{number}-{width}-{LOOK}"'
    if request.headers.get("If-None-Match") == tag:
        return _kept(HttpResponseNotModified(), tag)
    let_go_of_database()
    try:
        image = render_page(file_path(version.sha256), number, width_px=width)
    except ReadingError as error:
        raise Http404 from error
    except CrowdedError as error:
        return HttpResponse(status=503, headers={"Retry-After": str(error.retry_after)})
    return _kept(HttpResponse(image, content_type="image/webp"), tag)


@login_required
@require_GET
def page_layer(request: SignedInRequest, slug: str, file_id: str, number: int) -> HttpResponse:
    """The selectable text of one page as an SVG fragment."""
    version = readable_version(request.user, slug, file_id)
    found = page_lines(version, number)
    if found is None:
        raise Http404
    sheet, lines = found
    return render(request, "documents/_page_layer.html", {"sheet": sheet, "lines": lines})


@login_required
@require_GET
def outline(request: SignedInRequest, slug: str, file_id: str) -> HttpResponse:
    """The headings of a file: in the reader's menu, or on a page of their own."""
    version = readable_version(request.user, slug, file_id)
    context = {
        "project": version.project,
        "version": version,
        "document": version.document,
        "entries": headings_of(version),
    }
    template = "documents/_outline.html" if request.htmx else "documents/outline.html"
    return render(request, template, context)


@login_required
@require_safe
def original_file(request: SignedInRequest, slug: str, file_id: str) -> FileResponse:
    """The file as it was uploaded: always a download, never a page of ours."""
    version = readable_version(request.user, slug, file_id)
    path = file_path(version.sha256)
    if not path.is_file():
        raise Http404
    response = FileResponse(path.open("rb"), content_type="application/pdf")
    name = quote(version.file_name or "paper.pdf", safe="")
    response["Content-Disposition"] = f"attachment; filename=\"paper.pdf\"; filename*=UTF-8''{name}"
    response["Content-Security-Policy"] = "default-src 'none'; sandbox"
    response["X-Content-Type-Options"] = "nosniff"
    response["Cache-Control"] = "private, no-store"
    return response


def readable_version(user: AnyUser, slug: str, file_id: str) -> Version:
    """A version of a paper that is still in the project. Raises `Http404`."""
    project = readable_project(user, slug)
    versions = Version.objects.visible_to(user).present().filter(project=project)
    return get_object_or_404(
        versions.select_related("document", "project", "parsed"), public_id=file_id
    )


def _to_citation(slug: str, citation: str) -> HttpResponse:
    try:
        return redirect(reverse("open_citation", args=(slug, citation)))
    except NoReverseMatch as error:
        raise Http404 from error


def _step(wanted: str) -> int:
    """The smallest width step that is at least as wide as asked for."""
    if (width := whole_number(wanted)) is None:
        return WIDTHS[-1] if wanted.isascii() and wanted.isdigit() else WIDTHS[2]
    return next((step for step in WIDTHS if step >= width), WIDTHS[-1])


def _kept(response: HttpResponse, tag: str) -> HttpResponse:
    response["ETag"] = tag
    response["Cache-Control"] = "private, no-cache"
    return response
