"""Choosing the papers that a question may use."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from chat.models import Conversation
from chat.scoping import LONGEST_FORM, paper_choices
from documents.catalogue.tags import add_tag
from projects.access import editable_project, readable_project
from projects.models import Project
from projects.requests import SignedInRequest, whole_number

LONGEST_QUERY = 200


@login_required
@require_http_methods(["GET", "POST"])
@never_cache
def choose_papers(request: SignedInRequest, slug: str) -> HttpResponse:
    """Papers to choose from: a list for a script, which posts its choice; else a page of its own.

    Nothing is stored here. The choice goes along with the question.
    """
    project = readable_project(request.user, slug)
    given = request.POST if request.method == "POST" else request.GET
    chosen = given.get("scope", "")[:LONGEST_FORM].split() or given.getlist("paper")
    choices = paper_choices(
        project,
        chosen,
        query=" ".join(given.get("q", "").replace("\0", " ").split())[:LONGEST_QUERY],
        only=bool(given.get("only")),
        page=whole_number(given.get("page", "")) or 1,
        may_tag=bool(request.htmx) and _may_edit(request, project),
    )
    context = {"project": project, "choices": choices, "here": "desk"}
    if request.htmx:
        return render(request, "chat/_scope_papers.html", context)
    context["back_url"] = _back_url(request, slug, given.get("conversation", ""))
    context["conversation_id"] = given.get("conversation", "")
    return render(request, "chat/choose_papers.html", context)


@login_required
@require_POST
def tag_chosen(request: SignedInRequest, slug: str) -> HttpResponse:
    """Give the chosen papers a tag, by which they are chosen another time."""
    project = editable_project(request.user, slug)
    chosen = request.POST.get("scope", "")[:LONGEST_FORM].split()
    add_tag(project, chosen, request.POST.get("tag", "")[:LONGEST_QUERY])
    if not request.htmx:
        return redirect("desk", slug)
    choices = paper_choices(project, chosen, only=True, may_tag=True)
    return render(request, "chat/_scope_papers.html", {"project": project, "choices": choices})


def _may_edit(request: SignedInRequest, project: Project) -> bool:
    return Project.objects.editable_by(request.user).filter(pk=project.pk).exists()


def _back_url(request: SignedInRequest, slug: str, conversation_id: str) -> str:
    """Where the question is asked. Raises `Http404` for a conversation of somebody else."""
    if not conversation_id:
        return reverse("desk", args=(slug,))
    visible = Conversation.objects.visible_to(request.user).filter(project__slug=slug)
    found = get_object_or_404(visible, public_id=conversation_id)
    return reverse("conversation", args=(slug, found.public_id))
