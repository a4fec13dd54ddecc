"""Scans are read by OCR in the background, and what is read serves like any text."""

from pathlib import Path

import pytest
from django.utils import timezone
from pytest_django import Settings

from documents import ingestion
from documents.ingestion import Outcome
from documents.library import library_page
from documents.models import Page, ParsedFile, Version
from documents.pages.page_text import PageState, Reason
from documents.parsing import PARSER
from documents.reading_labels import parsed_label, reading_label
from documents.readings import lost_pages
from documents.refining import refined
from documents.removing import KEPT_FOR, sweep_unused_readings
from documents.rereading import next_stale, reread
from documents.stored_pages import pages_with_boxes
from documents.uploads import add_file, retry
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


@pytest.mark.slow
def test_pages_that_ocr_lost_are_tried_again_when_somebody_asks(
    project: Project, tmp_path: Path, settings: Settings
) -> None:
    usual = settings.LITO_OCR_PAGE_SECONDS
    version = ingested(project, write_scan(tmp_path / "scan.pdf", ("text", "english")))
    settings.LITO_OCR_PAGE_SECONDS = 0.02
    assert reread(version.pk) is Outcome.DONE
    version = Version.objects.get(pk=version.pk)
    assert label_of(version) == WITH_OCR
    assert lost_pages(version.parsed) == (2,)
    (row,) = library_page(project).rows
    assert row.may_retry
    assert next_stale() is None

    settings.LITO_OCR_PAGE_SECONDS = usual
    assert retry(version)
    assert not retry(version), "once is enough"
    (row,) = library_page(project).rows
    assert row.is_refined
    assert not row.may_retry
    ParsedFile.objects.update(used_at=timezone.now() - 2 * KEPT_FOR)
    sweep_unused_readings()
    assert next_stale() == version.pk
    assert reread(version.pk) is Outcome.DONE
    version = Version.objects.get(pk=version.pk)
    assert label_of(version) == f"{WITH_OCR}+again1"
    assert version.parsed is not None
    pages = list(version.parsed.pages.values_list("state", flat=True))
    assert pages == [PageState.OK, PageState.OCR]
    assert lost_pages(version.parsed) == ()
    assert next_stale() is None
    assert not retry(version)


def label_of(version: Version) -> str:
    assert version.parsed is not None
    return version.parsed.parser


def test_without_ocr_in_the_project_scans_stay_as_they_are(
    project: Project, tmp_path: Path
) -> None:
    project.ocr = False
    project.save()
    version = ingested(project, write_scan(tmp_path / "scan.pdf", ("english",)))
    assert next_stale() is None
    assert reread(version.pk) is Outcome.NOTHING_TO_DO
    assert list(Page.objects.values_list("state", "text")) == [(PageState.NO_TEXT, "")]
