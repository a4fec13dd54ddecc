"""For admins: the keyword index of each project against the database."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from projects.access import admin
from projects.models import Project
from projects.requests import SignedInRequest
from retrieval.index_checking import heal


@login_required
@require_GET
@never_cache
def keyword_indexes(request: SignedInRequest) -> HttpResponse:
    """Every project's index, and what the last check found."""
    admin(request.user)
    projects = Project.objects.select_related("keyword_index").order_by("name", "pk")
    return render(request, "retrieval/keyword_indexes.html", {"projects": projects})


@login_required
@require_POST
def check_keyword_index(request: SignedInRequest, slug: str) -> HttpResponse:
    """Check one project's index now, and make it anew if it does not agree."""
    admin(request.user)
    project = get_object_or_404(Project, slug=slug)
    heal(project)
    return redirect("keyword_indexes")
