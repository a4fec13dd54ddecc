"""Importing a library of references: dropping it, its report, and what only a person can decide."""

from collections import Counter
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from documents.catalogue.import_files import UnreadableLibraryError
from documents.catalogue.import_jobs import begin, cancel
from documents.catalogue.importing import ASKED, CREATED, MATCHED, UNMATCHED, field_words, settle
from documents.import_tasks import enqueue_import
from documents.isolated.gates import let_go_of_database
from documents.models import Document
from documents.record_models import LibraryImport
from projects.access import editable_project
from projects.models import Project
from projects.requests import SignedInRequest, whole_number

EARLIER = 8
"""So many earlier imports are listed."""


@login_required
@require_http_methods(["GET", "POST"])
def import_library(request: SignedInRequest, slug: str) -> HttpResponse:
    """The form, and what it sends: one library file, with PDFs or in a zip."""
    project = editable_project(request.user, slug)
    if request.method == "GET":
        return _form(request, project)
    files = request.FILES.getlist("files")
    if not files:
        return _form(request, project, _("No file came with this. Choose a .bib or .ris file."))
    let_go_of_database()
    try:
        report = begin(project, files, user=request.user)
    except UnreadableLibraryError as error:
        return _form(request, project, str(error))
    enqueue_import(report.pk)
    return redirect("import_report", slug=slug, import_id=report.public_id)


@login_required
@require_GET
def import_report(request: SignedInRequest, slug: str, import_id: str) -> HttpResponse:
    """How far the import is, and what became of each entry."""
    project = editable_project(request.user, slug)
    report = _report(project, import_id)
    return render(request, "documents/import_report.html", _context(project, report))


@login_required
@require_GET
def import_progress(request: SignedInRequest, slug: str, import_id: str) -> HttpResponse:
    """How far it is; once it is over, the whole page is to be shown anew."""
    project = editable_project(request.user, slug)
    report = get_object_or_404(project.imports.defer("outcomes"), public_id=import_id)
    context = {"project": project, "report": report}
    response = render(request, "documents/_import_progress.html", context)
    if not report.is_unfinished:
        response["HX-Refresh"] = "true"
    return response


@login_required
@require_POST
def cancel_import(request: SignedInRequest, slug: str, import_id: str) -> HttpResponse:
    """Stop it. What was brought in stays."""
    project = editable_project(request.user, slug)
    cancel(_report(project, import_id))
    return redirect("import_report", slug=slug, import_id=import_id)


@login_required
@require_POST
def settle_import(request: SignedInRequest, slug: str, import_id: str) -> HttpResponse:
    project = editable_project(request.user, slug)
    report = _report(project, import_id)
    chosen = {}
    for name, value in request.POST.items():
        place = whole_number(name.removeprefix("entry-")) if name.startswith("entry-") else None
        key = whole_number(str(value))
        if place is not None and key is not None:
            chosen[place] = key
    live = Document.objects.live().filter(project=project, pk__in=chosen.values())
    keys = set(live.values_list("pk", flat=True))
    settle(report, {place: key for place, key in chosen.items() if key in keys})
    return redirect("import_report", slug=slug, import_id=import_id)


def _form(request: SignedInRequest, project: Project, sentence: str = "") -> HttpResponse:
    earlier = project.imports.defer("outcomes")[:EARLIER]
    context = {"project": project, "here": "library", "sentence": sentence, "earlier": earlier}
    status = 422 if sentence else 200
    return render(request, "documents/import_library.html", context, status=status)


def _report(project: Project, import_id: str) -> LibraryImport:
    return get_object_or_404(project.imports, public_id=import_id)


def _context(project: Project, report: LibraryImport) -> dict[str, Any]:
    wanted = {key for one in report.outcomes for key in one.get("choices", [])}
    wanted |= {one["document"] for one in report.outcomes if one.get("document")}
    papers = Document.objects.live().filter(project=project).in_bulk(wanted)
    outcomes = [
        one
        | {
            "place": place,
            "paper": papers.get(one.get("document")),
            "cut": [field_words(name) for name in one.get("cut", [])],
            "papers": [papers[key] for key in one.get("choices", []) if key in papers],
        }
        for place, one in enumerate(report.outcomes)
    ]
    groups = [
        (status, [one for one in outcomes if one["status"] == status])
        for status in (ASKED, UNMATCHED, CREATED, MATCHED)
    ]
    return {
        "project": project,
        "here": "library",
        "report": report,
        "counts": Counter(one["status"] for one in outcomes),
        "groups": [(status, rows) for status, rows in groups if rows],
    }
