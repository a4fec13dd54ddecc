"""What requests for conversations have in common: whose they are, what pages are made of."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse

from chat.models import Conversation, Run
from chat.scoping import LONGEST_FORM, show_scope
from chat.settling import interrupt_if_dead
from chat.showing import listed_conversations, show_turn, show_turns
from chat.skill_choices import skill_choices
from chat.wording import model_notice
from documents.models import Document
from llm.configured import main_model
from projects.models import Project
from projects.requests import SignedInRequest, whole_number


def own_conversation(request: HttpRequest, slug: str, conversation_id: str) -> Conversation:
    """The conversation, for the person whose it is. Raises `Http404`."""
    visible = Conversation.objects.visible_to(request.user).select_related("project", "user")
    return get_object_or_404(visible, project__slug=slug, public_id=conversation_id)


def own_run(request: HttpRequest, slug: str, run_id: str) -> Run:
    """The run for the person whose it is, its state as it really is. Raises `Http404`."""
    visible = Run.objects.visible_to(request.user).select_related(
        "turn__conversation__project", "turn__answer"
    )
    run = get_object_or_404(visible, turn__conversation__project__slug=slug, public_id=run_id)
    interrupt_if_dead(run)
    return run


def desk_page(request: SignedInRequest, project: Project) -> dict[str, Any]:
    return {
        **_shared(request, project),
        "ask_url": reverse("ask", args=(project.slug,)),
        "scope": show_scope(project, _said_scope(request, [])),
        "reads_whole": bool(request.POST.get("whole")),
        "skills": skill_choices(project, follow_up=False, chosen=request.POST.get("skill", "")),
    }


def conversation_page(
    request: SignedInRequest, found: Conversation, *, before: str = ""
) -> dict[str, Any]:
    """The latest turns, or those before the turn with that number."""
    turns = show_turns(found, before=whole_number(before))
    return {
        **_shared(request, found.project, current=found),
        "conversation": found,
        "turns": turns,
        "active": any(turn.is_active for turn in turns),
        "earlier_url": f"?before={turns[0].number}" if turns and turns[0].number > 1 else "",
        "is_earlier": bool(before),
        "ask_url": reverse("ask_follow_up", args=(found.project.slug, found.public_id)),
        "scope": show_scope(found.project, _said_scope(request, found.document_ids)),
        "skills": skill_choices(
            found.project, follow_up=True, chosen=request.POST.get("skill", "")
        ),
        "reads_whole": found.reads_whole or bool(request.POST.get("whole")),
        "shared_url": _shared_url(request, found),
        "follow_up": True,
    }


def _shared_url(request: SignedInRequest, found: Conversation) -> str:
    """The link by which others read it; "" if it is not shared."""
    if not found.shared_id:
        return ""
    path = reverse("shared_conversation", args=(found.project.slug, found.shared_id))
    return request.build_absolute_uri(path)


def _said_scope(request: SignedInRequest, stored: list[str]) -> list[str]:
    """The chosen papers: as a refused form brings them, or as the address names them, or stored."""
    if "scope" in request.POST:
        return request.POST["scope"][:LONGEST_FORM].split()
    return request.GET.getlist("paper") or stored


def _shared(
    request: SignedInRequest, project: Project, current: Conversation | None = None
) -> dict[str, Any]:
    is_language_model = main_model(project.pk) is not None
    return {
        "project": project,
        "role": project.role_of(request.user),
        "conversations": listed_conversations(project, request.user, current),
        "is_language_model": is_language_model,
        "model_notice": model_notice(is_language_model=is_language_model),
        "document_count": Document.objects.filter(project=project, removed_at=None).count(),
    }


def conversation_url(conversation: Conversation) -> str:
    return reverse("conversation", args=(conversation.project.slug, conversation.public_id))


def turn_url(run: Run) -> str:
    return f"{conversation_url(run.turn.conversation)}#turn-{run.turn.number}"


def turn_fragment(request: HttpRequest, run: Run) -> HttpResponse:
    return render(request, "chat/_turn.html", {"turn": show_turn(run)})


def turn_or_page(request: SignedInRequest, run: Run) -> HttpResponse:
    """The turn for a script; a plain form gets the conversation with the turn in sight."""
    return turn_fragment(request, run) if request.htmx else redirect(turn_url(run))


def conversation_or_page(request: SignedInRequest, run: Run) -> HttpResponse:
    """What is shown now: in place for a script, which keeps what is being written meanwhile."""
    if not request.htmx:
        return redirect(turn_url(run))
    conversation = run.turn.conversation
    page = conversation_page(request, conversation) | {"keep_ask": True}
    response = render(request, "chat/_conversation.html", page)
    response.headers["HX-Replace-Url"] = conversation_url(conversation)
    return response


def go_to(request: SignedInRequest, url: str) -> HttpResponse:
    if request.htmx:
        return HttpResponse(status=204, headers={"HX-Redirect": url})
    return redirect(url)
