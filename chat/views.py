"""Conversations in the browser: asking, following, stopping. The answering itself is elsewhere."""

from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AnonymousUser
from django.db import connections
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from chat import asking
from chat.following import Watcher, watch
from chat.forms import QuestionForm, TitleForm
from chat.models import Conversation, Run
from chat.settling import delete_conversation as delete_with_answers
from chat.settling import interrupt_if_dead
from chat.showing import listed_conversations, show_run, show_turns
from chat.stopping import stop
from chat.streaming import FROM_START
from chat.why_not import LONGEST_QUERY
from chat.why_not import why_not as show_fates
from chat.wording import model_notice
from documents.models import Document
from llm.configured import main_model
from projects.access import readable_project
from projects.models import Project, User
from projects.requests import whole_number


@login_required
@require_GET
def desk(request: HttpRequest, slug: str) -> HttpResponse:
    project = readable_project(request.user, slug)
    return render(request, "chat/desk.html", _desk(request, project))


@login_required
@require_GET
@never_cache
def conversation(request: HttpRequest, slug: str, conversation_id: str) -> HttpResponse:
    found = _conversation(request, slug, conversation_id)
    context = _turns(request, found, before=request.GET.get("before", ""))
    return render(request, "chat/conversation.html", context)


@login_required
@require_POST
def ask(request: HttpRequest, slug: str) -> HttpResponse:
    project = readable_project(request.user, slug)
    form = QuestionForm(request.POST)
    if not form.is_valid():
        return _ask_again(request, form, form.problem(), _desk(request, project), status=422)
    question = form.cleaned_data["question"]
    begun = asking.start_conversation(project, _user(request), question)
    asking.start_run(begun, question, _user(request))
    return _go_to(request, reverse("conversation", args=(slug, begun.public_id)))


@login_required
@require_POST
def ask_follow_up(request: HttpRequest, slug: str, conversation_id: str) -> HttpResponse:
    found = _conversation(request, slug, conversation_id)
    form = QuestionForm(request.POST)
    if not form.is_valid():
        return _ask_again(request, form, form.problem(), _turns(request, found), status=422)
    try:
        run = asking.start_run(found, form.cleaned_data["question"], _user(request))
    except asking.ConversationBusyError:
        problem = _("The last question is still being answered. Stop it, or wait.")
        return _ask_again(request, form, problem, _turns(request, found), status=409)
    if _is_htmx(request):
        return _turn(request, run)
    where = reverse("conversation", args=(slug, found.public_id))
    return redirect(f"{where}#turn-{run.turn.number}")


@login_required
@require_POST
def rename_conversation(request: HttpRequest, slug: str, conversation_id: str) -> HttpResponse:
    found = _conversation(request, slug, conversation_id)
    form = TitleForm(request.POST, instance=found)
    if form.is_valid():
        form.save()
    if _is_htmx(request):
        return HttpResponse(status=204, headers={"HX-Refresh": "true"})
    return redirect("conversation", slug, found.public_id)


@login_required
@require_POST
def delete_conversation(request: HttpRequest, slug: str, conversation_id: str) -> HttpResponse:
    found = _conversation(request, slug, conversation_id)
    delete_with_answers(found)
    return _go_to(request, reverse("desk", args=(slug,)))


@login_required
@require_GET
@never_cache
def turn(request: HttpRequest, slug: str, run_id: str) -> HttpResponse:
    return _turn(request, _run(request, slug, run_id))


@login_required
@require_POST
def stop_run(request: HttpRequest, slug: str, run_id: str) -> HttpResponse:
    run = _run(request, slug, run_id)
    stop(run)
    return _turn_or_page(request, run)


@login_required
@require_POST
def retry_run(request: HttpRequest, slug: str, run_id: str) -> HttpResponse:
    run = _run(request, slug, run_id)
    try:
        run = asking.retry_run(run)
    except asking.ConversationBusyError:
        run.refresh_from_db()
    return _turn_or_page(request, run)


@require_GET
@never_cache
async def run_events(request: HttpRequest, slug: str, run_id: str) -> StreamingHttpResponse:
    """The run's events as server-sent events, from `Last-Event-ID` (or `?after=`) on."""
    watcher = await sync_to_async(_watcher)(request, slug, run_id)
    # An open stream would keep its database connection: a hundred readers would use them all up.
    await sync_to_async(connections.close_all)()
    after = request.headers.get("Last-Event-ID") or request.GET.get("after", FROM_START)
    response = StreamingHttpResponse(watch(watcher, after), content_type="text/event-stream")
    response.headers["X-Accel-Buffering"] = "no"
    return response


@login_required
@require_GET
@never_cache
def why_not(request: HttpRequest, slug: str, run_id: str) -> HttpResponse:
    """What became of each paper: below the answer for a script, else on a page of its own."""
    run = _run(request, slug, run_id)
    query = " ".join(request.GET.get("q", "").replace("\0", " ").split())
    fates = show_fates(
        run,
        query=query[:LONGEST_QUERY],
        fate=request.GET.get("fate", ""),
        number=whole_number(request.GET.get("page", "")) or 1,
    )
    context = {"project": run.turn.conversation.project, "run": run, "fates": fates}
    template = "chat/_why_not.html" if _is_htmx(request) else "chat/why_not.html"
    return render(request, template, context)


def _watcher(request: HttpRequest, slug: str, run_id: str) -> Watcher:
    run = _run(request, slug, run_id)
    return Watcher.of(run, slug=slug, language=get_language() or "en")


def _conversation(request: HttpRequest, slug: str, conversation_id: str) -> Conversation:
    visible = Conversation.objects.visible_to(request.user).select_related("project", "user")
    return get_object_or_404(visible, project__slug=slug, public_id=conversation_id)


def _run(request: HttpRequest, slug: str, run_id: str) -> Run:
    """The run for its reader, its state as it really is. Raises `Http404`."""
    visible = Run.objects.visible_to(request.user).select_related(
        "turn__conversation__project", "turn__answer"
    )
    run = get_object_or_404(visible, turn__conversation__project__slug=slug, public_id=run_id)
    interrupt_if_dead(run)
    return run


def _shared(
    request: HttpRequest, project: Project, current: Conversation | None = None
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


def _turn(request: HttpRequest, run: Run) -> HttpResponse:
    return render(request, "chat/_turn.html", {"turn": show_run(run)})


def _turn_or_page(request: HttpRequest, run: Run) -> HttpResponse:
    """The turn for a script; a plain form gets the conversation with the turn in sight."""
    if _is_htmx(request):
        return _turn(request, run)
    conversation = run.turn.conversation
    where = reverse("conversation", args=(conversation.project.slug, conversation.public_id))
    return redirect(f"{where}#turn-{run.turn.number}")


def _desk(request: HttpRequest, project: Project) -> dict[str, Any]:
    return {**_shared(request, project), "ask_url": reverse("ask", args=(project.slug,))}


def _turns(request: HttpRequest, found: Conversation, *, before: str = "") -> dict[str, Any]:
    """The latest turns, or those before the turn with that number."""
    turns = show_turns(found, before=int(before) if before.isascii() and before.isdigit() else None)
    return {
        **_shared(request, found.project, current=found),
        "conversation": found,
        "turns": turns,
        "active": any(turn.is_active for turn in turns),
        "earlier_url": f"?before={turns[0].number}" if turns and turns[0].number > 1 else "",
        "is_earlier": bool(before),
        "ask_url": reverse("ask_follow_up", args=(found.project.slug, found.public_id)),
        "follow_up": True,
    }


def _ask_again(
    request: HttpRequest, form: QuestionForm, problem: str, page: dict[str, Any], *, status: int
) -> HttpResponse:
    """The form with what is wrong: alone for a script, on its whole page for a plain form."""
    context = {**page, "question": form.data.get("question", ""), "error": problem}
    whole = "chat/conversation.html" if "turns" in page else "chat/desk.html"
    template = "chat/_ask.html" if _is_htmx(request) else whole
    return render(request, template, context, status=status)


def _go_to(request: HttpRequest, url: str) -> HttpResponse:
    if _is_htmx(request):
        return HttpResponse(status=204, headers={"HX-Redirect": url})
    return redirect(url)


def _is_htmx(request: HttpRequest) -> bool:
    return bool(getattr(request, "htmx", False))


def _user(request: HttpRequest) -> User:
    if isinstance(request.user, AnonymousUser):
        raise Http404
    return request.user
