"""The projects of a person, and making a new one."""

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import redirect, render

from projects.access import may_create_projects
from projects.forms import ProjectForm
from projects.models import AuditEvent, Installation, Membership, Project
from projects.requests import SignedInRequest


@login_required
def home(request: SignedInRequest) -> HttpResponse:
    projects = Project.objects.visible_to(request.user).annotate(
        papers=Count("documents", filter=Q(documents__removed_at=None), distinct=True),
    )
    return render(
        request,
        "projects/home.html",
        {"projects": projects, "may_create": _may_create(request)},
    )


@login_required
def create_project(request: SignedInRequest) -> HttpResponse:
    if not _may_create(request):
        raise PermissionDenied
    form = ProjectForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        with transaction.atomic():
            project = form.save(commit=False)
            project.slug = form.new_slug()
            project.created_by = request.user
            project.save()
            project.memberships.create(user=request.user, role=Membership.Role.OWNER)
            AuditEvent.record("project_created", user=request.user, project=project)
        return redirect("library", slug=project.slug)
    status = 422 if form.errors else 200
    return render(request, "projects/create_project.html", {"form": form}, status=status)


def _may_create(request: SignedInRequest) -> bool:
    anyone_may = Installation.load().anyone_may_create_projects
    return may_create_projects(request.user, anyone_may=anyone_may)
