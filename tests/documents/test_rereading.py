"""A new parser reads old files again in the background, and the old reading serves meanwhile."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from django.db import connections
from django.utils import timezone

from documents import claiming, ingestion
from documents.ingestion import Outcome
from documents.isolated.isolation import Failure, ReadingError
from documents.models import Change, ChunkVector, Page, ParsedFile, Version
from documents.pages.page_text import ParsedPage
from documents.parsing import PARSER
from documents.reading_claims import claim_reading, nobody_waits
from documents.removing import remove
from documents.rereading import WayOfReading, next_stale, reread
from documents.uploads import add_file, cancel, retry
from projects.models import Project
from tests.documents.other_parser import NAME, OTHER, other_pages
from tests.documents.pdf_making import make_pdf

State = Version.State
DEAD_WORKER = "another-host:1:00000000"


def ingested(project: Project, path: Path) -> Version:
    version = add_file(project, path_or_upload=path, file_name=path.name, user=None).version
    ingestion.parse_version(version.pk)
    ingestion.index_version(version.pk)
    version.refresh_from_db()
    return version


def label_of(version: Version) -> str:
    version.refresh_from_db()
    assert version.parsed is not None
    return version.parsed.parser


def stopping_at(page: int, error: BaseException) -> WayOfReading:
    def pages(path: Path, start: int, before: ParsedPage | None) -> Iterator[ParsedPage]:
        for each in other_pages(path, start, before):
            if each.number == page:
                raise error
            yield each

    return WayOfReading(NAME, pages)


def counting(read: list[int]) -> WayOfReading:
    def pages(path: Path, start: int, before: ParsedPage | None) -> Iterator[ParsedPage]:
        for each in other_pages(path, start, before):
            read.append(each.number)
            yield each

    return WayOfReading(NAME, pages)


def test_a_new_parser_reads_an_old_file_again_and_swaps(project: Project, pdf: Path) -> None:
    version = ingested(project, pdf)
    old = version.parsed
    assert old is not None
    before = list(Page.objects.filter(parsed=old).values_list("pk", "text"))
    assert next_stale() is None
    assert next_stale(OTHER) == version.pk
    assert reread(version.pk, way=OTHER) is Outcome.DONE

    assert label_of(version) == NAME
    assert version.state == State.READY
    assert list(Page.objects.filter(parsed=old).values_list("pk", "text")) == before
    new = Page.objects.filter(parsed=version.parsed).order_by("number")
    assert [page.number for page in new] == [1, 2, 3]
    assert [page.text for page in new] != [text for _pk, text in before]
    chunks = version.parsed.chunks.count() if version.parsed else 0
    assert ChunkVector.objects.filter(parsed=version.parsed).count() == chunks > 0
    assert Change.objects.filter(kind="swapped", file_id=version.public_id).count() == 1
    assert next_stale(OTHER) is None
    assert reread(version.pk, way=OTHER) is Outcome.NOTHING_TO_DO


def test_all_projects_with_the_file_are_swapped_and_it_is_read_once(
    project: Project, other_project: Project, pdf: Path
) -> None:
    first, second = ingested(project, pdf), ingested(other_project, pdf)
    read: list[int] = []
    assert reread(first.pk, way=counting(read)) is Outcome.DONE
    assert (label_of(first), label_of(second)) == (NAME, NAME)
    assert first.parsed_id == second.parsed_id
    assert read == [1, 2, 3]


def test_a_killed_workers_successor_reads_only_the_missing_pages(
    project: Project, tmp_path: Path
) -> None:
    version = ingested(project, make_pdf(tmp_path / "long.pdf", pages=20))
    with pytest.raises(KeyboardInterrupt):
        reread(version.pk, way=stopping_at(18, KeyboardInterrupt()))
    target = ParsedFile.objects.get(parser=NAME)
    assert not target.complete
    kept = list(target.pages.order_by("number").values_list("pk", flat=True))
    assert len(kept) >= 8
    # The claim of a process that lives is respected; that of a dead one is not.
    assert reread(version.pk, way=OTHER) is Outcome.BUSY
    ParsedFile.objects.filter(pk=target.pk).update(
        claimed_by=DEAD_WORKER, used_at=timezone.now() - 2 * claiming.LEASE
    )
    read: list[int] = []
    assert reread(version.pk, way=counting(read)) is Outcome.DONE
    assert read == list(range(len(kept) + 1, 21))
    pages = list(target.pages.order_by("number").values_list("pk", flat=True))
    assert pages[: len(kept)] == kept
    assert len(pages) == 20
    assert label_of(version) == NAME


def test_a_file_over_which_workers_die_keeps_its_reading(project: Project, pdf: Path) -> None:
    version = ingested(project, pdf)
    for _attempt in range(claiming.MOST_ATTEMPTS + 1):
        claim_reading(version.sha256, NAME, page_count=3)
        ParsedFile.objects.filter(parser=NAME).update(used_at=timezone.now() - 2 * claiming.LEASE)
    assert ParsedFile.objects.get(parser=NAME).failure_code == "worker_died"
    assert reread(version.pk, way=OTHER) is Outcome.NOTHING_TO_DO
    assert next_stale(OTHER) is None
    assert label_of(version) == PARSER


def test_a_reading_that_fails_is_given_up_and_the_old_one_stays(
    project: Project, pdf: Path
) -> None:
    version = ingested(project, pdf)
    failing = stopping_at(2, ReadingError(Failure.CRASHED))
    assert reread(version.pk, way=failing) is Outcome.FAILED
    assert (label_of(version), version.state) == (PARSER, State.READY)
    assert next_stale(OTHER) is None
    assert not Change.objects.filter(kind="swapped").exists()


def test_the_background_waits_for_new_files(project: Project, pdf: Path, tmp_path: Path) -> None:
    version = ingested(project, pdf)
    assert nobody_waits()
    other = make_pdf(tmp_path / "new.pdf", mark="new")
    add_file(project, path_or_upload=other, file_name="new.pdf", user=None)
    assert not nobody_waits()
    glances = iter([False, False, True])
    done = reread(version.pk, way=OTHER, may_go_on=lambda: next(glances, True))
    assert done is Outcome.DONE
    assert next(glances, None) is None


def test_a_new_upload_takes_over_what_the_background_has_begun(
    project: Project, other_project: Project, tmp_path: Path
) -> None:
    """Then the background finds the reading made, and swaps."""
    path = make_pdf(tmp_path / "long.pdf", pages=20)
    version = ingested(project, path)
    ParsedFile.objects.filter(parser=PARSER).update(parser="lito-0")
    background = claim_reading(version.sha256, PARSER, page_count=20)
    assert not isinstance(background, claiming.Unclaimed)
    upload = add_file(other_project, path_or_upload=path, file_name="a.pdf", user=None).version
    assert ingestion.parse_version(upload.pk) is Outcome.DONE
    with pytest.raises(claiming.LostClaimError):
        background.beat()
    assert ingestion.index_version(upload.pk) is Outcome.DONE
    assert reread(version.pk) is Outcome.DONE
    assert label_of(version) == PARSER
    assert label_of(upload) == PARSER


def decline_it(version: Version) -> None:
    Version.objects.filter(pk=version.pk).update(declined_label=NAME)


def remove_it(version: Version) -> None:
    remove(version.document)


@pytest.mark.parametrize("stop", [decline_it, remove_it])
@pytest.mark.django_db(transaction=True)
def test_work_that_nobody_wants_any_more_ends(
    stop: Callable[[Version], None], project: Project, tmp_path: Path, redis: object
) -> None:
    version = ingested(project, make_pdf(tmp_path / "long.pdf", pages=30))

    def pages(path: Path, start: int, before: ParsedPage | None) -> Iterator[ParsedPage]:
        for each in other_pages(path, start, before):
            if each.number == 12:
                stop(version)
            yield each

    assert reread(version.pk, way=WayOfReading(NAME, pages)) is Outcome.LOST
    assert next_stale(OTHER) is None
    assert not Change.objects.filter(kind="swapped").exists()
    assert not ParsedFile.objects.filter(parser=NAME, complete=True).exists()
    assert not ParsedFile.objects.exclude(claimed_by="").exists()


@pytest.mark.django_db(transaction=True)
def test_two_workers_make_one_reading_once(project: Project, tmp_path: Path, redis: object) -> None:
    version = ingested(project, make_pdf(tmp_path / "long.pdf", pages=12))
    outcomes: list[object] = []
    read: list[int] = []
    both = threading.Barrier(2, timeout=60)

    def work() -> None:
        try:
            both.wait()
            outcomes.append(reread(version.pk, way=counting(read)))
        except BaseException as error:  # noqa: BLE001 - the test says what it was
            outcomes.append(error)
        finally:
            connections.close_all()

    workers = [threading.Thread(target=work) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=120)
    assert Outcome.DONE in outcomes
    assert set(outcomes) <= {Outcome.DONE, Outcome.BUSY, Outcome.NOTHING_TO_DO}
    assert read == list(range(1, 13))
    assert Change.objects.filter(kind="swapped").count() == 1
    assert label_of(version) == NAME


def test_a_refined_reading_is_made_out_of_the_text_tier(project: Project, pdf: Path) -> None:
    """OCR for a page without text: the text tier is there, and other pages are copied from it."""
    version = ingested(project, pdf)
    assert version.parsed is not None
    version.parsed.warnings = [{"code": "no_text", "pages": [2]}]
    version.parsed.save()
    seen: list[tuple[str, str]] = []

    def refined(
        path: Path, text_tier: ParsedFile, label: object, start: int
    ) -> Iterator[ParsedPage]:
        seen.append((text_tier.parser, str(label)))
        for page in other_pages(path, start, None):
            twice = np.concatenate((page.boxes, page.boxes))
            yield replace(page, text=page.text + page.text, boxes=twice)

    way = WayOfReading(PARSER, OTHER.pages, refined)
    assert next_stale(OTHER) == version.pk
    assert reread(version.pk, way=way) is Outcome.DONE
    assert seen == [(PARSER, f"{PARSER}+ocr")]
    assert label_of(version) == f"{PARSER}+ocr"


@pytest.fixture
def scan(project: Project, pdf: Path) -> Version:
    """A ready paper with a page without text, read by the text tier alone."""
    version = ingested(project, pdf)
    assert version.parsed is not None
    ParsedFile.objects.update(warnings=[{"code": "no_text", "pages": [2]}])
    version.refresh_from_db()
    return version


def test_ocr_of_one_paper_can_be_cancelled_and_asked_for_again(scan: Version) -> None:
    assert next_stale() == scan.pk
    assert cancel(scan)
    assert scan.state == State.READY
    assert next_stale() is None
    assert not cancel(scan)
    assert retry(scan)
    assert next_stale() == scan.pk
    assert not retry(scan)


def test_a_reading_that_was_given_up_can_be_asked_for_again(scan: Version) -> None:
    label = f"{PARSER}+ocr"
    claim = claim_reading(scan.sha256, label, page_count=3)
    assert not isinstance(claim, claiming.Unclaimed)
    claim.fail("unreadable")
    assert next_stale() is None
    assert retry(scan)
    assert next_stale() == scan.pk


def test_with_ocr_switched_off_nothing_better_is_wanted(scan: Version) -> None:
    scan.project.ocr = False
    scan.project.save()
    assert next_stale() is None
    assert not cancel(scan)
