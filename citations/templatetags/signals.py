"""Names of statuses and of kinds of quotation in the tables of click signals."""

from django import template
from django.utils.translation import gettext as _

from citations.models import Signal
from citations.statuses import status_words

register = template.Library()


@register.filter
def status_name(status: str) -> str:
    return status_words(status).name


@register.filter
def kind_name(kind: str) -> str:
    """The kind in words; what is unknown stays as it is."""
    names = {
        Signal.QuoteKind.QUOTE: _("Quotation"),
        Signal.QuoteKind.SHORT: _("Short quotation"),
        Signal.QuoteKind.NUMBER: _("Quotation with a number"),
        Signal.QuoteKind.CLAIM: _("Statement in other words"),
    }
    return names.get(Signal.QuoteKind(kind), kind) if kind in Signal.QuoteKind.values else kind
