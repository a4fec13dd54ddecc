"""Counting in the source list."""

from collections.abc import Iterable

from django import template

from chat.showing_sources import ShownPaper

register = template.Library()


@register.filter
def places_in(papers: Iterable[ShownPaper]) -> int:
    """How many citations lead to these papers."""
    return sum(paper.places for paper in papers)
