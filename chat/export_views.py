"""Conversations and answers as files: Markdown and Word, and the cited papers for references."""

from collections.abc import Callable
from urllib.parse import quote

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse, JsonResponse
from django.shortcuts import get_object_or_404
from django.utils.text import slugify
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from chat.export_docx import docx_of
from chat.export_markdown import html_of, markdown_of, markdown_of_answers
from chat.exporting import Export, export_of
from chat.models import Conversation, Run, Turn
from documents.catalogue.exporting import FORMATS
from projects.requests import SignedInRequest

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
WRITERS: dict[str, tuple[Callable[[Export], str | bytes], str]] = {
    "md": (markdown_of, "text/markdown; charset=utf-8"),
    "docx": (docx_of, WORD),
}
LONGEST_NAME = 80


@login_required
@require_GET
@never_cache
def export_conversation(
    request: SignedInRequest, slug: str, conversation_id: str, ending: str
) -> HttpResponse:
    found = get_object_or_404(
        Conversation.objects.visible_to(request.user).select_related("project"),
        project__slug=slug,
        public_id=conversation_id,
    )
    return _download(request, found, ending)


@login_required
@require_GET
@never_cache
def export_answer(request: SignedInRequest, slug: str, run_id: str, ending: str) -> HttpResponse:
    run = _own_run(request, slug, run_id)
    return _download(request, run.turn.conversation, ending, run.turn)


@login_required
@require_GET
@never_cache
def copy_answer(request: SignedInRequest, slug: str, run_id: str) -> JsonResponse:
    """An answer with its citations and references for the clipboard, as Markdown and as HTML."""
    run = _own_run(request, slug, run_id)
    export = export_of(run.turn.conversation, origin=_origin(request), turns=[run.turn])
    text = markdown_of_answers(export)
    return JsonResponse({"text": text, "html": html_of(text)})


def _own_run(request: SignedInRequest, slug: str, run_id: str) -> Run:
    return get_object_or_404(
        Run.objects.visible_to(request.user).select_related(
            "turn__answer", "turn__conversation__project"
        ),
        turn__conversation__project__slug=slug,
        public_id=run_id,
    )


def _origin(request: SignedInRequest) -> str:
    return request.build_absolute_uri("/").rstrip("/")


def _download(
    request: SignedInRequest, conversation: Conversation, ending: str, turn: Turn | None = None
) -> HttpResponse:
    origin = _origin(request)
    turns = None if turn is None else [turn]
    if ending in WRITERS:
        write, media_type = WRITERS[ending]
        body = write(export_of(conversation, origin=origin, turns=turns))
    elif ending in FORMATS:
        media_type = FORMATS[ending].content_type
        sources = export_of(conversation, origin=origin, turns=turns).sources
        body = FORMATS[ending].write(source.reference for source in sources)
    else:
        raise Http404
    response = HttpResponse(body, content_type=media_type)
    response.headers["Content-Disposition"] = _attachment(conversation.title, ending)
    return response


def _attachment(title: str, ending: str) -> str:
    """A file name after the title, in plain letters and, for browsers that can, in its own."""
    own = slugify(title, allow_unicode=True)[:LONGEST_NAME] or "conversation"
    plain = slugify(title)[:LONGEST_NAME] or "conversation"
    return (
        f'attachment; filename="{plain}.{ending}"; '
        f"filename*=UTF-8''{quote(own, safe='')}.{ending}"
    )
