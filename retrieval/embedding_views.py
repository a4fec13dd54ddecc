"""For admins: which model makes the vectors, and how far a change of it has come."""

from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from documents.models import EmbeddingSpace
from projects.access import admin
from projects.models import AuditEvent
from projects.requests import SignedInRequest
from retrieval.reembedding import progress


@login_required
@require_GET
def embedding_models(request: SignedInRequest) -> HttpResponse:
    """The model in use, and the projects that are still searched with an older one."""
    admin(request.user)
    space = EmbeddingSpace.objects.filter(active=True).first()
    context = {"space": space, "projects": progress()}
    return render(request, "retrieval/embedding_models.html", context)


@login_required
@require_POST
def pause_embedding(request: SignedInRequest) -> HttpResponse:
    """Stop the making of vectors by the new model, or let it go on."""
    by = admin(request.user)
    paused = request.POST.get("paused") == "1"
    if EmbeddingSpace.objects.filter(active=True).exclude(paused=paused).update(paused=paused):
        AuditEvent.record("embedding_paused" if paused else "embedding_resumed", user=by)
    return redirect("embedding_models")
