"""A project's settings: its name, its members and what each may do. For owners."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from projects.access import owned_project
from projects.forms import MemberForm, ProjectSettingsForm, RoleForm
from projects.models import AuditEvent, Membership, Project
from projects.requests import SignedInRequest


@login_required
def project_settings(request: SignedInRequest, slug: str) -> HttpResponse:
    project = owned_project(request.user, slug)
    form = ProjectSettingsForm(request.POST or None, instance=project)
    if request.method == "POST" and form.is_valid():
        form.save()
        messages.success(request, _("Saved."))
        return redirect("project_settings", slug=slug)
    return _page(request, project, form=form, adding=MemberForm(project=project))


@login_required
@require_POST
def add_member(request: SignedInRequest, slug: str) -> HttpResponse:
    project = owned_project(request.user, slug)
    adding = MemberForm(request.POST, project=project)
    if not adding.is_valid() or adding.person is None:
        return _page(request, project, form=ProjectSettingsForm(instance=project), adding=adding)
    role = adding.cleaned_data["role"]
    with transaction.atomic():
        project.memberships.create(user=adding.person, role=role)
        _record(request, "member_added", project, adding.person.username, role)
    return redirect("project_settings", slug=slug)


@login_required
@require_POST
def change_member(request: SignedInRequest, slug: str, user_id: str) -> HttpResponse:
    project = owned_project(request.user, slug)
    form = RoleForm(request.POST)
    if form.is_valid():
        with transaction.atomic():
            membership = _locked_membership(project, user_id)
            role = form.cleaned_data["role"]
            if role != Membership.Role.OWNER and _is_last_owner(membership):
                messages.error(
                    request, _("A project needs an owner. Make somebody else one first.")
                )
            else:
                membership.role = role
                membership.save(update_fields=["role"])
                _record(request, "member_changed", project, membership.user.username, role)
    return redirect("project_settings", slug=slug)


@login_required
@require_POST
def remove_member(request: SignedInRequest, slug: str, user_id: str) -> HttpResponse:
    project = owned_project(request.user, slug)
    with transaction.atomic():
        membership = _locked_membership(project, user_id)
        if _is_last_owner(membership):
            messages.error(request, _("A project needs an owner. Make somebody else one first."))
            return redirect("project_settings", slug=slug)
        _record(request, "member_removed", project, membership.user.username, membership.role)
        membership.delete()
    left_it = membership.user_id == request.user.pk
    return redirect("home") if left_it else redirect("project_settings", slug=slug)


def _page(
    request: SignedInRequest, project: Project, *, form: ProjectSettingsForm, adding: MemberForm
) -> HttpResponse:
    context = {
        "project": project,
        "form": form,
        "adding": adding,
        "members": project.memberships.select_related("user").order_by("user__username", "pk"),
        "roles": adding.fields["role"].choices,  # type: ignore[attr-defined]
    }
    status = 422 if form.errors or adding.errors else 200
    return render(request, "projects/project_settings.html", context, status=status)


def _locked_membership(project: Project, user_id: str) -> Membership:
    """The membership, with the project's owners locked so that the last one can't slip away."""
    list(project.memberships.select_for_update().filter(role=Membership.Role.OWNER))
    return get_object_or_404(project.memberships.select_related("user"), user__public_id=user_id)


def _is_last_owner(membership: Membership) -> bool:
    owners = membership.project.memberships.filter(role=Membership.Role.OWNER)
    return membership.role == Membership.Role.OWNER and owners.count() == 1


def _record(
    request: SignedInRequest, action: str, project: Project, member: str, role: str
) -> None:
    AuditEvent.record(action, user=request.user, project=project, member=member, role=role)
