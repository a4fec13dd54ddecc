"""What admins decide: accounts, who may create projects, and which models are in use."""

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from projects.access import admin
from projects.forms import PersonForm, give_one_time_password
from projects.models import AuditEvent, Installation, User
from projects.requests import SignedInRequest


@login_required
def administration(request: SignedInRequest) -> HttpResponse:
    admin(request.user)
    return _page(request, PersonForm())


@login_required
@require_POST
def create_person(request: SignedInRequest) -> HttpResponse:
    by = admin(request.user)
    form = PersonForm(request.POST)
    if not form.is_valid():
        return _page(request, form)
    password = form.save_with_one_time_password()
    AuditEvent.record("person_created", user=by, person=form.instance.username)
    return _page(request, PersonForm(), created=form.instance, password=password)


@login_required
@require_POST
def switch_person(request: SignedInRequest, user_id: str) -> HttpResponse:
    """Switch an account off or on. Nobody can switch off their own."""
    by = admin(request.user)
    person = get_object_or_404(User, public_id=user_id)
    if person == by:
        messages.error(request, _("You can't switch off your own account."))
        return redirect("administration")
    person.is_active = not person.is_active
    person.save(update_fields=["is_active"])
    action = "person_switched_on" if person.is_active else "person_switched_off"
    AuditEvent.record(action, user=by, person=person.username)
    return redirect("administration")


@login_required
@require_POST
def renew_password(request: SignedInRequest, user_id: str) -> HttpResponse:
    """Give a person a one-time password in place of a forgotten one. Nobody renews their own."""
    by = admin(request.user)
    person = get_object_or_404(User, public_id=user_id)
    if person == by:
        return redirect("change_password")
    password = give_one_time_password(person)
    AuditEvent.record("password_renewed", user=by, person=person.username)
    return _page(request, PersonForm(), renewed=person, password=password)


@login_required
@require_POST
def change_installation(request: SignedInRequest) -> HttpResponse:
    by = admin(request.user)
    installation = Installation.load()
    installation.anyone_may_create_projects = bool(request.POST.get("anyone_may_create_projects"))
    installation.save()
    AuditEvent.record(
        "installation_changed", user=by, anyone=installation.anyone_may_create_projects
    )
    messages.success(request, _("Saved."))
    return redirect("administration")


def _page(
    request: SignedInRequest,
    form: PersonForm,
    *,
    created: User | None = None,
    renewed: User | None = None,
    password: str = "",
) -> HttpResponse:
    """The page. A new one-time password is in this one response and nowhere else."""
    context = {
        "form": form,
        "created": created,
        "renewed": renewed,
        "password": password,
        "people": User.objects.order_by("username", "pk"),
        "installation": Installation.load(),
        "chat_model": settings.LITO_LLM_MODEL if settings.LITO_LLM_BASE_URL else "",
        "light_model": settings.LITO_LLM_LIGHT_MODEL,
        "chat_address": settings.LITO_LLM_BASE_URL,
        "embedder": settings.LITO_EMBEDDER,
        "embedding_model": settings.LITO_EMBEDDING_MODEL,
    }
    response = render(
        request, "projects/administration.html", context, status=422 if form.errors else 200
    )
    response["Cache-Control"] = "no-store"
    return response
