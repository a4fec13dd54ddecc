"""A one-time password opens one page: the one where it is replaced."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

ALLOWED = ("change_password", "logout", "set_language", "set_theme")


def first_password(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[..., object]:
    """Send people who still have a one-time password to `change_password`."""

    def middleware(request: HttpRequest) -> HttpResponse:
        user = request.user
        if user.is_authenticated and user.must_change_password:
            allowed = {reverse(name) for name in ALLOWED}
            if request.path_info not in allowed and not request.path_info.startswith("/static/"):
                return redirect("change_password")
        return get_response(request)

    return middleware
