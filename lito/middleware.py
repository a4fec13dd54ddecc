"""What every response carries."""

from collections.abc import Awaitable, Callable
from typing import TypeVar, cast

from asgiref.sync import iscoroutinefunction
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.decorators import sync_and_async_middleware

Sync = Callable[[HttpRequest], HttpResponseBase]
Response = TypeVar("Response", bound=HttpResponseBase)
Async = Callable[[HttpRequest], Awaitable[HttpResponseBase]]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


@sync_and_async_middleware
def content_security_policy(get_response: Sync | Async) -> Sync | Async:
    """Nothing from outside, nothing inline: what a document says can never run."""
    if iscoroutinefunction(get_response):
        answer_later = cast("Async", get_response)

        async def asynchronous(request: HttpRequest) -> HttpResponseBase:
            return with_policy(await answer_later(request))

        return asynchronous
    answer = cast("Sync", get_response)

    def synchronous(request: HttpRequest) -> HttpResponseBase:
        return with_policy(answer(request))

    return synchronous


def with_policy(response: Response) -> Response:
    """The response, which says what a browser may do with it."""
    response.headers.setdefault("Content-Security-Policy", POLICY)
    return response
