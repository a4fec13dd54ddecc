"""For admins: which chat models answer, what they can do, what they were asked for."""

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from chat.testing_models import ask_for_test
from lito.model_forms import BudgetForm, EndpointForm
from projects.access import admin
from projects.models import AuditEvent, ModelEndpoint
from projects.requests import SignedInRequest
from projects.token_counts import used_by_people, used_by_projects


@login_required
@require_GET
@never_cache
def chat_models(request: SignedInRequest) -> HttpResponse:
    admin(request.user)
    return _page(request, EndpointForm(), BudgetForm())


@login_required
@require_POST
def set_chat_model(request: SignedInRequest) -> HttpResponse:
    by = admin(request.user)
    form = EndpointForm(request.POST)
    if not form.is_valid():
        return _page(request, form, BudgetForm(), status=422)
    row = form.save()
    AuditEvent.record(
        "chat_model_set", user=by, project=row.project, role=row.role, model=row.model
    )
    return redirect("chat_models")


@login_required
@require_POST
def remove_chat_model(request: SignedInRequest, endpoint_id: int) -> HttpResponse:
    by = admin(request.user)
    row = get_object_or_404(ModelEndpoint, pk=endpoint_id)
    row.delete()
    AuditEvent.record("chat_model_removed", user=by, project=row.project, model=row.model)
    return redirect("chat_models")


@login_required
@require_POST
def test_chat_model(request: SignedInRequest, endpoint_id: int) -> HttpResponse:
    admin(request.user)
    row = get_object_or_404(ModelEndpoint, pk=endpoint_id)
    ask_for_test(row)
    return _check(request, row) if request.htmx else redirect("chat_models")


@login_required
@require_GET
@never_cache
def chat_model_check(request: SignedInRequest, endpoint_id: int) -> HttpResponse:
    """What the test has found; while it goes on, the fragment asks again by itself."""
    admin(request.user)
    return _check(request, get_object_or_404(ModelEndpoint, pk=endpoint_id))


@login_required
@require_POST
def set_budget(request: SignedInRequest) -> HttpResponse:
    by = admin(request.user)
    form = BudgetForm(request.POST)
    if not form.is_valid():
        return _page(request, EndpointForm(), form, status=422)
    row = form.save()
    AuditEvent.record("budget_set", user=by, of=str(row), tokens=row.monthly_tokens)
    return redirect("chat_models")


def _check(request: SignedInRequest, row: ModelEndpoint) -> HttpResponse:
    return render(request, "lito/_model_check.html", {"endpoint": row})


def _page(
    request: SignedInRequest, form: EndpointForm, budget: BudgetForm, *, status: int = 200
) -> HttpResponse:
    context = {
        "form": form,
        "budget": budget,
        "endpoints": ModelEndpoint.objects.select_related("project"),
        "from_settings": settings.LITO_LLM_MODEL if settings.LITO_LLM_BASE_URL else "",
        "projects_used": used_by_projects(),
        "people_used": used_by_people(),
    }
    return render(request, "lito/chat_models.html", context, status=status)
