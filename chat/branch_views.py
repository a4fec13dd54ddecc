"""Asking in the place of a question that stands, and going from one branch to another."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_POST

from chat import asking, branches
from chat.forms import QuestionForm
from chat.models import Turn
from chat.pages import conversation_or_page, conversation_page, own_run
from chat.skills.choosing import skill_of
from chat.wording import STILL_ANSWERING
from projects.requests import SignedInRequest


@login_required
@require_POST
def ask_beside(request: SignedInRequest, slug: str, run_id: str) -> HttpResponse:
    """Another question in the place of this one, or the same once more; what stands stays."""
    stands = own_run(request, slug, run_id)
    beside = stands.turn
    form = QuestionForm(request.POST, project=beside.conversation.project)
    if not form.is_valid():
        return _refused(request, beside, form.problem(), status=422)
    asked = form.cleaned_data
    try:
        run = asking.start_run(
            beside.conversation,
            asked["question"],
            request.user,
            beside=beside,
            document_ids=asked["scope"],
            whole=asked["whole"],
            skill=skill_of(stands).name,
        )
    except asking.ConversationBusyError:
        return _refused(request, beside, str(STILL_ANSWERING), status=409)
    return conversation_or_page(request, own_run(request, slug, run.public_id))


@login_required
@require_POST
def show_branch(request: SignedInRequest, slug: str, run_id: str) -> HttpResponse:
    run = own_run(request, slug, run_id)
    branches.show_branch(run.turn.conversation, run.turn)
    return conversation_or_page(request, own_run(request, slug, run_id))


def _refused(request: SignedInRequest, beside: Turn, problem: str, *, status: int) -> HttpResponse:
    """What is wrong: in the turn for a script, on the conversation's page for a plain form."""
    if not request.htmx:
        page = conversation_page(request, beside.conversation) | {"error": problem}
        return render(request, "chat/conversation.html", page, status=status)
    response = render(request, "chat/_refused.html", {"error": problem}, status=status)
    response.headers["HX-Retarget"] = f"#turn-{beside.number} [data-refused]"
    response.headers["HX-Reswap"] = "innerHTML"
    return response
