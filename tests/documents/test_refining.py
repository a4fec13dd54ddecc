"""Scans are read by OCR in the background, and what is read serves like any text."""

from pathlib import Path

import pytest

from documents import ingestion
from documents.ingestion import Outcome
from documents.models import Page, Version
from documents.page_text import PageState, Reason
from documents.parsing import PARSER
from documents.reading_labels import parsed_label, reading_label
from documents.refining import refined
from documents.rereading import next_stale, reread
from documents.stored_pages import pages_with_boxes
from documents.uploads import add_file
from projects.models import Project
from tests.documents.scans import LINES, write_scan

WITH_OCR = reading_label(PARSER, ocr=True)


def ingested(project: Project, path: Path) -> Version:
    version = add_file(project, path_or_upload=path, file_name=path.name, user=None).version
    ingestion.parse_version(version.pk)
    ingestion.index_version(version.pk)
    version.refresh_from_db()
    return version


@pytest.mark.slow
def test_a_scan_is_searchable_after_the_background_has_read_it(
    project: Project, tmp_path: Path
) -> None:
    path = write_scan(tmp_path / "mixed.pdf", ("text", "english", "blank"))
    version = ingested(project, path)
    assert version.parsed is not None
    before = list(pages_with_boxes(version.parsed))
    assert [page.state for page in before] == ["ok", "no_text", "no_text"]
    assert [page.reason for page in before] == ["", Reason.PICTURE, Reason.BLANK]
    assert next_stale() == version.pk

    assert reread(version.pk) is Outcome.DONE
    version.refresh_from_db()
    assert version.parsed is not None
    assert version.parsed.parser == WITH_OCR
    after = list(pages_with_boxes(version.parsed))
    assert [page.state for page in after] == ["ok", "ocr", "no_text"]
    assert after[1].text.split("\n") == list(LINES)
    assert after[1].boxes.shape == (len(after[1].text), 4)
    assert after[0].text == before[0].text
    assert (after[0].boxes == before[0].boxes).all()
    spans = [span for chunk in version.parsed.chunks.all() for span in chunk.span_list()]
    assert {span.page for span in spans} == {1, 2}
    assert next_stale() is None


@pytest.mark.slow
def test_pages_that_are_stored_are_not_read_again(project: Project, tmp_path: Path) -> None:
    path = write_scan(tmp_path / "scans.pdf", ("english", "chinese"))
    version = ingested(project, path)
    assert version.parsed is not None
    pages = refined(path, version.parsed, parsed_label(WITH_OCR), 2)
    assert [(page.number, page.state) for page in pages] == [(2, PageState.OCR)]


def test_without_ocr_in_the_project_scans_stay_as_they_are(
    project: Project, tmp_path: Path
) -> None:
    project.ocr = False
    project.save()
    version = ingested(project, write_scan(tmp_path / "scan.pdf", ("english",)))
    assert next_stale() is None
    assert reread(version.pk) is Outcome.NOTHING_TO_DO
    assert list(Page.objects.values_list("state", "text")) == [(PageState.NO_TEXT, "")]
