"""All conversations of a person in a project, looked through by words, and the way to one turn."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.cache import patch_vary_headers
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from chat import branches
from chat.finding import find_conversations
from chat.pages import conversation_url, own_run
from chat.showing import TURNS_AT_ONCE
from chat.tree import Tree
from projects.access import readable_project
from projects.requests import SignedInRequest, whole_number

LONGEST_QUERY = 400


@login_required
@require_GET
@never_cache
def conversations(request: SignedInRequest, slug: str) -> HttpResponse:
    """The page; for its own script the list alone."""
    project = readable_project(request.user, slug)
    query = " ".join(request.GET.get("q", "").replace("\0", " ").split())[:LONGEST_QUERY]
    number = whole_number(request.GET.get("page", "")) or 1
    context = {
        "project": project,
        "here": "conversations",
        "query": query,
        "found": find_conversations(project, request.user, query=query, page=number),
    }
    is_fragment = request.htmx and not request.htmx.history_restore_request
    template = "chat/_found_conversations.html" if is_fragment else "chat/conversations.html"
    response = render(request, template, context)
    patch_vary_headers(response, ("HX-Request",))
    return response


@login_required
@require_GET
@never_cache
def go_to_turn(request: SignedInRequest, slug: str, run_id: str) -> HttpResponse:
    """The conversation with this turn in sight, on whichever branch and page of it that is."""
    turn = own_run(request, slug, run_id).turn
    tree = Tree.of(turn.conversation)
    if turn.pk not in (path := tree.path(turn.conversation.leaf_id)):
        branches.show_branch(turn.conversation, turn)
        path = tree.path(tree.latest_under(turn.pk))
    is_on_the_latest_page = turn.number > len(path) - TURNS_AT_ONCE
    page = "" if is_on_the_latest_page else f"?before={turn.number + 1}"
    return redirect(f"{conversation_url(turn.conversation)}{page}#turn-{turn.number}")
