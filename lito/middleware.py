"""What every response carries."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase
from django.utils.decorators import sync_and_async_middleware
from asgiref.sync import iscoroutinefunction

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "font-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)


@sync_and_async_middleware
def content_security_policy(get_response: Callable[..., HttpResponseBase]) -> Callable[..., object]:
    """Nothing from outside, nothing inline: what a document says can never run."""
    if iscoroutinefunction(get_response):

        async def asynchronous(request: HttpRequest) -> HttpResponseBase:
            response = await get_response(request)
            response.headers.setdefault("Content-Security-Policy", POLICY)
            return response

        return asynchronous

    def synchronous(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response.headers.setdefault("Content-Security-Policy", POLICY)
        return response

    return synchronous
