"""What the background does with a file that can be searched already, in words."""

import pytest
from django.conf import LazySettings

from documents.models import Page, ParsedFile, Version
from documents.parsing import PARSER
from documents.refinement import Refinement, refinements
from projects.models import Project
from tests.documents.test_library import add

SHA = f"{1:064d}"
SCANS = [{"code": "no_text", "pages": [2, 3, 5]}]


def reading(label: str, *, pages: int = 0, complete: bool = False, **fields: object) -> ParsedFile:
    parsed = ParsedFile.objects.create(
        sha256=SHA, parser=label, page_count=9, complete=complete, chunked=complete, **fields
    )
    for number in range(1, pages + 1):
        Page.objects.create(parsed=parsed, number=number, state="ok")
    return parsed


def told(version: Version) -> Refinement | None:
    fresh = Version.objects.select_related("parsed", "project").get(pk=version.pk)
    return refinements([fresh]).get(version.pk)


@pytest.fixture
def scanned(project: Project) -> Version:
    """A file that can be searched, with three scans among its pages."""
    pytest.importorskip("rapidocr", reason="needs the extra `ocr`")
    parsed = reading(PARSER, complete=True, warnings=SCANS)
    return add(project, 1, parsed=parsed, state=Version.State.READY)


def test_a_file_with_the_reading_that_it_should_have_needs_no_word(project: Project) -> None:
    parsed = reading(PARSER, complete=True)
    assert told(add(project, 1, parsed=parsed, state=Version.State.READY)) is None


def test_a_file_that_is_being_read_has_its_own_progress(project: Project) -> None:
    parsed = reading("an-older-parser")
    assert told(add(project, 1, parsed=parsed, state=Version.State.PARSING)) is None


def test_scans_wait_are_counted_and_taken_over(scanned: Version) -> None:
    found = told(scanned)
    assert found is not None
    assert (found.words, found.total) == ("Scans wait for OCR", 0)
    better = reading(f"{PARSER}+ocr", pages=3)
    found = told(scanned)
    assert found == Refinement("Reading scans: page 3 of 3", done=2, total=3)
    ParsedFile.objects.filter(pk=better.pk).update(complete=True)
    found = told(scanned)
    assert found is not None
    assert found.words == "Taking over the new reading"


def test_a_project_that_wants_no_ocr_waits_for_none(scanned: Version) -> None:
    Project.objects.update(ocr=False)
    assert told(scanned) is None


def test_what_was_given_up_is_said(scanned: Version) -> None:
    reading(f"{PARSER}+ocr", failure_code="crashed")
    found = told(scanned)
    assert found is not None
    assert found.failed
    assert "OCR" in found.words


def test_a_newer_parser_is_counted_by_pages(project: Project) -> None:
    parsed = reading("an-older-parser", complete=True)
    version = add(project, 1, parsed=parsed, state=Version.State.READY)
    found = told(version)
    assert found is not None
    assert "newer parser" in found.words
    reading(PARSER, pages=4)
    found = told(version)
    assert found is not None
    assert (found.done, found.total, found.words[-11:]) == (4, 9, "page 5 of 9")


def test_a_layout_model_is_waited_for_where_it_is_wanted(
    project: Project, settings: LazySettings
) -> None:
    settings.LITO_LAYOUT = True
    parsed = reading(PARSER, complete=True)
    version = add(project, 1, parsed=parsed, state=Version.State.READY)
    found = told(version)
    assert found is not None
    assert "layout" in found.words
    reading(f"{PARSER}+layout", pages=2)
    found = told(version)
    assert found == Refinement("Looking at the layout: page 3 of 9", done=2, total=9)
