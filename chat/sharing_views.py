"""Sharing a conversation with its project, and reading one that somebody shared."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from chat import sharing
from chat.pages import conversation_url, own_conversation
from chat.showing import show_turns
from projects.requests import SignedInRequest, whole_number


@login_required
@require_POST
def share_conversation(request: SignedInRequest, slug: str, conversation_id: str) -> HttpResponse:
    found = own_conversation(request, slug, conversation_id)
    sharing.share(found)
    messages.success(request, _("Members of this project can read it now, by its link."))
    return redirect(conversation_url(found))


@login_required
@require_POST
def unshare_conversation(request: SignedInRequest, slug: str, conversation_id: str) -> HttpResponse:
    found = own_conversation(request, slug, conversation_id)
    sharing.unshare(found)
    messages.success(request, _("The link leads nowhere now. Only you can read it."))
    return redirect(conversation_url(found))


@login_required
@require_GET
@never_cache
def shared_conversation(request: SignedInRequest, slug: str, shared_id: str) -> HttpResponse:
    """The branch that its asker sees, to read. Citations open under the reader's own access."""
    found = sharing.shared_conversation(request.user, slug, shared_id)
    if found is None:
        raise Http404
    before = request.GET.get("before", "")
    turns = show_turns(found, before=whole_number(before))
    context = {
        "project": found.project,
        "conversation": found,
        "turns": [turn for turn in turns if not turn.is_active],
        "read_only": True,
        "is_own": found.user_id == request.user.pk,
        "earlier_url": f"?before={turns[0].number}" if turns and turns[0].number > 1 else "",
        "is_earlier": bool(before),
    }
    return render(request, "chat/shared.html", context)
