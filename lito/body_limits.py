"""How much a request may bring, checked while it comes: before anything is kept of it.

Django stores a request's whole body, on disk if it is large, before it asks who sent it. So this
stands in front: every body is bounded by what fits into memory, and only a person who may add
papers to the very project gets more, as much as one file may have.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from typing import Any
from urllib.parse import quote

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import get_user
from django.core.handlers.asgi import ASGIRequest
from django.db import connections
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _

from documents.inspecting import too_large_sentence
from lito.middleware import with_policy
from projects.models import Project

Scope = dict[str, Any]
Message = Mapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]

UPLOAD = re.compile(r"/p/(?P<slug>[-\w]+)/library/(?P<what>upload|import)/", re.ASCII)
FORM_BYTES = 64 * 1024
"""Around a file of the largest size: names, boundaries, the form's token."""


@dataclass(slots=True)
class _Body:
    """What has come of one body so far, and how much may come."""

    most: int
    count: int = 0
    is_settled: bool = False
    refusal: HttpResponse | None = None


def limit_bodies(application: Application) -> Application:
    """The same application, which never sees more of a body than its sender may send.

    A body too long by its own declaration is refused before it is read, any other as soon as it has
    become too long. What still comes of it afterwards is thrown away by the server.
    """

    async def limited(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await application(scope, receive, send)
            return
        body = _Body(most=settings.FILE_UPLOAD_MAX_MEMORY_SIZE)
        await _check(scope, body, _declared(scope))
        if body.refusal is None:
            await application(scope, _counted(scope, body, receive), send)
        if body.refusal is not None:
            await _answer(body.refusal, send)

    return limited


def _counted(scope: Scope, body: _Body, receive: Receive) -> Receive:
    """`receive` that ends the request, as if its sender had gone, once the body is too long."""

    async def counted() -> Message:
        message = await receive()
        if message["type"] == "http.request":
            body.count += len(message.get("body", b""))
            await _check(scope, body, body.count)
        return {"type": "http.disconnect"} if body.refusal else message

    return counted


async def _check(scope: Scope, body: _Body, size: int) -> None:
    if size > body.most and not body.is_settled:
        body.is_settled = True
        if upload := UPLOAD.fullmatch(scope["path"]):
            most = (
                settings.LITO_MAX_UPLOAD_BYTES
                if upload["what"] == "upload"
                else settings.LITO_MAX_IMPORT_BYTES
            )
            await sync_to_async(_settle_upload, thread_sensitive=False)(
                scope, body, upload["slug"], most
            )
    if size > body.most and body.refusal is None:
        body.refusal = await sync_to_async(_too_much, thread_sensitive=False)(scope)


def _declared(scope: Scope) -> int:
    """`Content-Length`, or 0 where there is none: the server has checked that it is a number."""
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(lengths[0][:18]) if lengths and lengths[0][:18].isdigit() else 0


def _settle_upload(scope: Scope, body: _Body, slug: str, most: int) -> None:
    """Grant an editor of the project the size of a file or an import, or refuse everybody else."""
    try:
        request = _request(scope)
        if Project.objects.editable_by(request.user).filter(slug=slug).exists():
            body.most = most + FORM_BYTES
        elif not request.user.is_authenticated:
            library = reverse("library", args=(slug,))
            body.refusal = redirect(f"{reverse('login')}?next={quote(library)}")
        else:
            body.refusal = _page(request, "403.html", status=403)
    finally:
        connections.close_all()


def _too_much(scope: Scope) -> HttpResponse:
    """413 with a sentence: for the script that sends files as bare text, else as a page."""
    try:
        request = _request(scope)
        with translation.override(translation.get_language_from_request(request)):
            upload = UPLOAD.fullmatch(scope["path"])
            is_file = upload is not None and upload["what"] == "upload"
            sentence = too_large_sentence() if is_file else _("This is too much to send at once.")
            if request.headers.get("X-Requested-With") == "lito":
                return HttpResponse(sentence, status=413, content_type="text/plain; charset=utf-8")
            return _page(request, "413.html", status=413, sentence=sentence)
    finally:
        connections.close_all()


def _page(request: ASGIRequest, template: str, *, status: int, **context: str) -> HttpResponse:
    with translation.override(translation.get_language_from_request(request)):
        return with_policy(render(request, template, context, status=status))


def _request(scope: Scope) -> ASGIRequest:
    """The request without its body, with the person who sent it."""
    request = ASGIRequest(scope, BytesIO())
    sessions = import_module(settings.SESSION_ENGINE)
    request.session = sessions.SessionStore(request.COOKIES.get(settings.SESSION_COOKIE_NAME))
    request.user = get_user(request)
    return request


async def _answer(response: HttpResponse, send: Send) -> None:
    response.headers["Content-Length"] = str(len(response.content))
    response.headers["X-Content-Type-Options"] = "nosniff"
    headers = [(n.lower().encode("latin-1"), v.encode("latin-1")) for n, v in response.items()]
    await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
    await send({"type": "http.response.body", "body": response.content})
