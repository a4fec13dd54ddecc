"""The request that views behind `login_required` get."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from projects.models import User


class SignedInRequest(HttpRequest):
    """A request of a person, with what django-htmx adds."""

    user: User
    htmx: HtmxDetails
