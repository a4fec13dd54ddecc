"""Signing in and out, passwords, and the two switches that need no account."""

from urllib.parse import urlsplit

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import LoginView, LogoutView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from projects.forms import FirstPasswordForm, SignInForm
from projects.models import AuditEvent
from projects.requests import SignedInRequest

A_YEAR = 365 * 24 * 3600
THEMES = ("light", "dark")


class SignIn(LoginView):
    template_name = "projects/login.html"
    authentication_form = SignInForm
    redirect_authenticated_user = True

    def get_redirect_url(self) -> str:
        """Where the person wanted to go, unless that is this very page."""
        wanted = super().get_redirect_url()
        return "" if urlsplit(wanted).path == self.request.path else wanted

    def form_valid(self, form: SignInForm) -> HttpResponse:  # type: ignore[override]
        response = super().form_valid(form)
        language = form.get_user().language
        if language:
            _remember_language(response, language)
        return response


login = SignIn.as_view()
logout = LogoutView.as_view()


@login_required
def change_password(request: SignedInRequest) -> HttpResponse:
    user = request.user
    first = user.must_change_password
    form = FirstPasswordForm(user, request.POST or None)
    if request.method == "POST" and form.is_valid():
        form.save()
        update_session_auth_hash(request, user)
        AuditEvent.record("password_changed", user=user)
        messages.success(request, _("Your new password is in use."))
        return redirect("home")
    status = 422 if form.errors else 200
    return render(
        request, "projects/change_password.html", {"form": form, "first": first}, status=status
    )


@require_POST
def set_language(request: HttpRequest) -> HttpResponse:
    response = redirect(_way_back(request))
    language = request.POST.get("language", "")
    if language in dict(settings.LANGUAGES):
        _remember_language(response, language)
        if request.user.is_authenticated:
            request.user.language = language
            request.user.save(update_fields=["language"])
    return response


@require_POST
def set_theme(request: HttpRequest) -> HttpResponse:
    response = redirect(_way_back(request))
    theme = request.POST.get("theme", "")
    if theme in THEMES:
        response.set_cookie(
            "theme", theme, max_age=A_YEAR, samesite="Lax", secure=settings.SESSION_COOKIE_SECURE
        )
    else:
        response.delete_cookie("theme", samesite="Lax")
    return response


def _remember_language(response: HttpResponse, language: str) -> None:
    response.set_cookie(
        settings.LANGUAGE_COOKIE_NAME,
        language,
        max_age=A_YEAR,
        samesite="Lax",
        secure=settings.SESSION_COOKIE_SECURE,
    )


def _way_back(request: HttpRequest) -> str:
    """The page that the person came from, if it is one of ours."""
    target = request.POST.get("next") or request.headers.get("Referer", "")
    if not url_has_allowed_host_and_scheme(target, allowed_hosts={request.get_host()}):
        return reverse("home")
    parts = urlsplit(target)
    return parts.path + (f"?{parts.query}" if parts.query else "")
