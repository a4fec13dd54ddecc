"""The measurement of pages: every page answers, and its rows are gone afterwards."""

import pytest

from documents.models import Document
from lito.large_project import make_large_project
from lito.pages_benchmark import pages_of, run
from projects.models import Project


@pytest.mark.django_db
def test_every_page_of_a_large_project_is_timed_and_nothing_stays(redis: object) -> None:
    result = run({"papers": 7, "messages": 14})
    assert {"library", "search_results", "conversation", "read", "why_not"} <= result.keys()
    assert all(milliseconds > 0 for milliseconds in result.values())
    assert not Project.objects.exists()


@pytest.mark.django_db
def test_the_project_has_as_many_papers_and_messages_as_were_asked_for(redis: object) -> None:
    large = make_large_project(papers=5, messages=12)
    assert Document.objects.filter(project=large.project).count() == 5
    assert large.conversation.turns.count() == 6
    assert large.run.turn.number == 6
    assert len(set(pages_of(large).values())) == len(pages_of(large))
