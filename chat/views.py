"""Conversations in the browser: asking, following, stopping. The answering itself is elsewhere."""

from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_required
from django.db import connections, transaction
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from chat import asking
from chat.following import Watcher, watch
from chat.forms import QuestionForm, TitleForm
from chat.models import Conversation, Turn
from chat.pages import (
    conversation_page,
    conversation_url,
    desk_page,
    go_to,
    own_conversation,
    own_run,
    turn_fragment,
    turn_or_page,
)
from chat.settling import delete_conversation as delete_with_answers
from chat.stopping import stop
from chat.streaming import FROM_START
from chat.turn_words import keep_words_of
from chat.why_not import LONGEST_QUERY
from chat.why_not import why_not as show_fates
from chat.wording import STILL_ANSWERING
from projects.access import readable_project
from projects.requests import SignedInRequest, whole_number


@login_required
@require_GET
def desk(request: SignedInRequest, slug: str) -> HttpResponse:
    project = readable_project(request.user, slug)
    return render(request, "chat/desk.html", desk_page(request, project))


@login_required
@require_GET
@never_cache
def conversation(request: SignedInRequest, slug: str, conversation_id: str) -> HttpResponse:
    found = own_conversation(request, slug, conversation_id)
    context = conversation_page(request, found, before=request.GET.get("before", ""))
    return render(request, "chat/conversation.html", context)


@login_required
@require_POST
def ask(request: SignedInRequest, slug: str) -> HttpResponse:
    project = readable_project(request.user, slug)
    form = QuestionForm(request.POST, project=project)
    if not form.is_valid():
        return _ask_again(request, form, form.problem(), desk_page(request, project), status=422)
    asked = form.cleaned_data
    begun = asking.start_conversation(project, request.user, asked["question"])
    asking.start_run(
        begun,
        asked["question"],
        request.user,
        document_ids=asked["scope"],
        whole=asked["whole"],
        skill=asked["skill"],
    )
    return go_to(request, conversation_url(begun))


@login_required
@require_POST
def ask_follow_up(request: SignedInRequest, slug: str, conversation_id: str) -> HttpResponse:
    found = own_conversation(request, slug, conversation_id)
    form = QuestionForm(request.POST, project=found.project)
    if not form.is_valid():
        return _ask_again(
            request, form, form.problem(), conversation_page(request, found), status=422
        )
    after = _last_turn_seen(found, request.POST.get("after", ""))
    try:
        run = asking.start_run(
            found,
            form.cleaned_data["question"],
            request.user,
            after=after,
            document_ids=form.cleaned_data["scope"],
            whole=form.cleaned_data["whole"],
            skill=form.cleaned_data["skill"],
        )
    except asking.ConversationBusyError:
        problem = str(STILL_ANSWERING)
        return _ask_again(request, form, problem, conversation_page(request, found), status=409)
    return turn_or_page(request, run)


@login_required
@require_POST
def rename_conversation(request: SignedInRequest, slug: str, conversation_id: str) -> HttpResponse:
    found = own_conversation(request, slug, conversation_id)
    form = TitleForm(request.POST, instance=found)
    if form.is_valid():
        with transaction.atomic():
            keep_words_of(form.save())
    if request.htmx:
        return HttpResponse(status=204, headers={"HX-Refresh": "true"})
    return redirect("conversation", slug, found.public_id)


@login_required
@require_POST
def delete_conversation(request: SignedInRequest, slug: str, conversation_id: str) -> HttpResponse:
    found = own_conversation(request, slug, conversation_id)
    delete_with_answers(found)
    return go_to(request, reverse("desk", args=(slug,)))


@login_required
@require_GET
@never_cache
def turn(request: SignedInRequest, slug: str, run_id: str) -> HttpResponse:
    return turn_fragment(request, own_run(request, slug, run_id))


@login_required
@require_POST
def stop_run(request: SignedInRequest, slug: str, run_id: str) -> HttpResponse:
    run = own_run(request, slug, run_id)
    stop(run)
    return turn_or_page(request, run)


@login_required
@require_POST
def retry_run(request: SignedInRequest, slug: str, run_id: str) -> HttpResponse:
    run = own_run(request, slug, run_id)
    try:
        run = asking.retry_run(run)
    except asking.ConversationBusyError:
        run.refresh_from_db()
    return turn_or_page(request, run)


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
def why_not(request: SignedInRequest, slug: str, run_id: str) -> HttpResponse:
    """What became of each paper: below the answer for a script, else on a page of its own."""
    run = own_run(request, slug, run_id)
    query = " ".join(request.GET.get("q", "").replace("\0", " ").split())
    fates = show_fates(
        run,
        query=query[:LONGEST_QUERY],
        fate=request.GET.get("fate", ""),
        number=whole_number(request.GET.get("page", "")) or 1,
    )
    context = {"project": run.turn.conversation.project, "run": run, "fates": fates}
    template = "chat/_why_not.html" if request.htmx else "chat/why_not.html"
    return render(request, template, context)


def _watcher(request: HttpRequest, slug: str, run_id: str) -> Watcher:
    run = own_run(request, slug, run_id)
    return Watcher.of(run, slug=slug, language=get_language() or "en")


def _last_turn_seen(conversation: Conversation, run_id: str) -> Turn | None:
    """What the page of the asker ended with: another tab may show another branch meanwhile."""
    return Turn.objects.filter(conversation=conversation, runs__public_id=run_id).first()


def _ask_again(
    request: SignedInRequest, form: QuestionForm, problem: str, page: dict[str, Any], *, status: int
) -> HttpResponse:
    """The form with what is wrong: alone for a script, on its whole page for a plain form."""
    context = {**page, "question": form.data.get("question", ""), "error": problem}
    whole = "chat/conversation.html" if "turns" in page else "chat/desk.html"
    template = "chat/_ask.html" if request.htmx else whole
    return render(request, template, context, status=status)
