"""A paper goes from one reading to another, and each search finds it once: not twice, not never."""

import threading
from pathlib import Path

import pytest
from django.db import connections

from documents import ingestion
from documents.models import ParsedFile, Version
from documents.parsing import PARSER
from documents.readings import swap
from documents.rereading import reread
from documents.uploads import add_file
from projects.models import Project, User
from retrieval.index_checking import check
from retrieval.scope import in_step, project_scope
from retrieval.search import search
from tests.documents.other_parser import NAME, OTHER
from tests.documents.pdf_making import make_pdf

SWAPS = 30


@pytest.fixture
def version(db: None, tmp_path: Path) -> Version:
    """A ready paper with two readings, of which it has the second."""
    user = User.objects.create_user("ada")
    project = Project.objects.create(slug="papers", name="Papers", created_by=user)
    pdf = make_pdf(tmp_path / "growth.pdf")
    version = add_file(project, path_or_upload=pdf, file_name="a.pdf", user=None).version
    ingestion.parse_version(version.pk)
    ingestion.index_version(version.pk)
    assert reread(version.pk, way=OTHER) is ingestion.Outcome.DONE
    version.refresh_from_db()
    return version


@pytest.fixture
def readings(version: Version) -> dict[str, ParsedFile]:
    return {reading.parser: reading for reading in ParsedFile.objects.all()}


def found_readings(project: Project) -> set[str]:
    """The labels of the readings that evidence came from."""
    result = search("growth", scope=project_scope(project))
    return {each.version.parser for each in result.evidence}


def test_a_search_in_a_scope_of_before_finds_the_new_reading(
    version: Version, readings: dict[str, ParsedFile]
) -> None:
    """A run took its scope, then the paper was read anew: its next search is up to date."""
    scope = project_scope(version.project)
    swap(version, readings[PARSER])
    result = search("growth", scope=scope)
    assert {each.version.parser for each in result.evidence} == {PARSER}
    assert {each.status for each in result.trace.papers} == {"given"}


def test_the_index_holds_the_reading_that_the_version_has(
    version: Version, readings: dict[str, ParsedFile]
) -> None:
    for label in (PARSER, NAME, PARSER):
        swap(version, readings[label])
        _scope, index = in_step(project_scope(version.project))
        assert index.documents == {readings[label].pk}
        assert check(version.project).agrees


def test_a_paper_that_was_removed_meanwhile_is_left_out(version: Version) -> None:
    scope = project_scope(version.project)
    Version.objects.filter(pk=version.pk).update(state=Version.State.CANCELLED)
    assert search("growth", scope=scope).evidence == ()


@pytest.mark.django_db(transaction=True)
def test_searches_go_on_while_readings_are_swapped(
    version: Version, readings: dict[str, ParsedFile], redis: object
) -> None:
    seen: list[frozenset[str]] = []
    problems: list[BaseException] = []
    ended = threading.Event()

    def look() -> None:
        try:
            while not ended.is_set():
                seen.append(frozenset(found_readings(version.project)))
        except BaseException as error:  # noqa: BLE001 - the test says what it was
            problems.append(error)
        finally:
            connections.close_all()

    seekers = [threading.Thread(target=look) for _ in range(2)]
    for seeker in seekers:
        seeker.start()
    try:
        for turn in range(SWAPS):
            assert swap(version, readings[(PARSER, NAME)[turn % 2]])
    finally:
        ended.set()
        for seeker in seekers:
            seeker.join(timeout=60)
    assert not problems
    assert set(seen) == {frozenset({PARSER}), frozenset({NAME})}
    assert len(seen) > 2
