"""Notices on the paper that a page shows."""

from django import template

from documents.catalogue.notices import Notice, notices_of
from documents.models import Document

register = template.Library()


@register.simple_tag
def paper_notices(document: Document) -> list[Notice]:
    return notices_of([document]).get(document.pk, [])
