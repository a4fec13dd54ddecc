"""The request that views behind `login_required` get, and numbers that come with any request."""

from django.http import HttpRequest
from django_htmx.middleware import HtmxDetails

from projects.models import User

MOST_DIGITS = 9
"""No page, width or count of ours has more; longer numbers are refused by Python itself."""


class SignedInRequest(HttpRequest):
    """A request of a person, with what django-htmx adds."""

    user: User
    htmx: HtmxDetails


def whole_number(text: str) -> int | None:
    """The number that `text` is, written in at most `MOST_DIGITS` ASCII digits, else nothing.

    >>> whole_number(" 12 "), whole_number("-1"), whole_number("²"), whole_number("9" * 5000)
    (12, None, None, None)
    """
    digits = text.strip()
    is_number = digits.isascii() and digits.isdigit() and len(digits) <= MOST_DIGITS
    return int(digits) if is_number else None
