"""The terms of a library that mean the same: seen by members, kept by editors."""

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_POST

from documents.models import Page, Version
from projects.access import editable_project, readable_project
from projects.models import Project
from projects.requests import SignedInRequest
from retrieval.library_terms import TermPair, introduced_terms
from retrieval.models import LibraryTerm

MOST_FOUND = 30
NEWEST_PAPERS = 200
FIRST_PAGES = 3
"""Where papers introduce their acronyms."""


class TermForm(forms.ModelForm[LibraryTerm]):
    term = forms.CharField(label=_("Term"), max_length=80)
    meaning = forms.CharField(label=_("Means the same as"), max_length=200)

    class Meta:
        model = LibraryTerm
        fields = ("term", "meaning")


@login_required
@require_GET
def library_terms(request: SignedInRequest, slug: str) -> HttpResponse:
    """The terms of a project, and acronyms that its papers introduce."""
    return _page(request, readable_project(request.user, slug), TermForm())


@login_required
@require_POST
def add_library_term(request: SignedInRequest, slug: str) -> HttpResponse:
    """Add a pair, or replace what a term means."""
    project = editable_project(request.user, slug)
    form = TermForm(request.POST)
    if not form.is_valid():
        return _page(request, project, form)
    LibraryTerm.objects.update_or_create(
        project=project,
        term=form.cleaned_data["term"],
        defaults={"meaning": form.cleaned_data["meaning"]},
    )
    return redirect("library_terms", slug=slug)


@login_required
@require_POST
def remove_library_term(request: SignedInRequest, slug: str, number: int) -> HttpResponse:
    project = editable_project(request.user, slug)
    get_object_or_404(LibraryTerm, project=project, pk=number).delete()
    return redirect("library_terms", slug=slug)


def _page(request: SignedInRequest, project: Project, form: TermForm) -> HttpResponse:
    terms = list(LibraryTerm.objects.filter(project=project))
    role = project.role_of(request.user)
    context = {
        "project": project,
        "terms": terms,
        "found": _found(project, known={each.term for each in terms}),
        "form": form,
        "may_edit": role in {"editor", "owner"},
    }
    status = 422 if form.errors else 200
    return render(request, "retrieval/library_terms.html", context, status=status)


def _found(project: Project, *, known: set[str]) -> list[TermPair]:
    newest = Version.objects.live().filter(project=project, parsed__isnull=False)
    readings = newest.order_by("-pk").values_list("parsed_id", flat=True)[:NEWEST_PAPERS]
    pages = Page.objects.filter(parsed_id__in=list(readings), number__lte=FIRST_PAGES)
    texts = pages.order_by("parsed_id", "number").values_list("text", flat=True)
    return introduced_terms(texts.iterator(chunk_size=50), known=known)[:MOST_FOUND]
