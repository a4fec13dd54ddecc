"""Who gets in. Every view of user data begins with one of these functions.

A project that the person may not read looks exactly like one that does not exist (404). A member
whose role is too low for an action is told so (403).
"""

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.shortcuts import get_object_or_404

from projects.models import Project, User

AnyUser = User | AnonymousUser


def readable_project(user: AnyUser, slug: str) -> Project:
    """The project, for anyone who is a member. Raises `Http404`."""
    return get_object_or_404(Project.objects.visible_to(user), slug=slug)


def editable_project(user: AnyUser, slug: str) -> Project:
    """The project, for editors and owners. Raises `Http404` or `PermissionDenied`."""
    project = readable_project(user, slug)
    if not Project.objects.editable_by(user).filter(pk=project.pk).exists():
        raise PermissionDenied
    return project


def owned_project(user: AnyUser, slug: str) -> Project:
    """The project, for owners. Raises `Http404` or `PermissionDenied`."""
    project = readable_project(user, slug)
    if not Project.objects.owned_by(user).filter(pk=project.pk).exists():
        raise PermissionDenied
    return project


def may_create_projects(user: AnyUser, *, anyone_may: bool) -> bool:
    return user.is_authenticated and (anyone_may or user.is_staff)


def admin(user: AnyUser) -> User:
    """The person, if an admin. Raises `Http404`: to others the pages of admins don't exist."""
    if not isinstance(user, User) or not user.is_staff:
        raise Http404
    return user
