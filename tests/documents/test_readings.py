"""A version gets another reading: in one step, with its vectors, and nothing shared is touched."""

from pathlib import Path

import pytest
from django.utils import timezone

from documents import ingestion
from documents.models import Change, Chunk, ChunkVector, Page, ParsedFile, Version
from documents.parsing import PARSER, parse_pages
from documents.reading_labels import parsed_label, reading_label
from documents.readings import UnfinishedReadingError, swap, wanted_label
from documents.removing import KEPT_FOR, remove, sweep_unused_readings
from documents.storage import file_path
from documents.stored_pages import store_pages
from documents.uploads import add_file
from projects.models import Project

State = Version.State


def ingested(project: Project, path: Path) -> Version:
    version = add_file(project, path_or_upload=path, file_name=path.name, user=None).version
    ingestion.parse_version(version.pk)
    ingestion.index_version(version.pk)
    version.refresh_from_db()
    return version


def second_reading(version: Version, label: str, *, vectors: bool = False) -> ParsedFile:
    """The same pages and chunks again, but the first chunk begins a character later."""
    old = version.parsed
    assert old is not None
    new = ParsedFile.objects.create(
        sha256=version.sha256, parser=label, page_count=old.page_count, metadata=old.metadata
    )
    store_pages(new, parse_pages(file_path(version.sha256)))
    for chunk in old.chunks.all():
        first = chunk.ordinal == 0 and not vectors
        page, start, end = chunk.spans[0]
        chunk.spans = [[page, start + first, end], *chunk.spans[1:]]
        chunk.pk, chunk.parsed = None, new
        chunk.save(force_insert=True)
    new.complete = new.chunked = True
    new.save()
    return new


def test_labels_are_made_and_taken_apart() -> None:
    for ocr in (False, True):
        for layout in (False, True):
            label = reading_label("lito-7", ocr=ocr, layout=layout)
            found = parsed_label(label)
            assert (found.parser, found.ocr, found.layout) == ("lito-7", ocr, layout)
            assert len(label) <= 40


def test_a_paper_with_text_on_every_page_wants_the_text_tier_alone(
    project: Project, pdf: Path
) -> None:
    assert wanted_label(ingested(project, pdf)) == PARSER


@pytest.mark.parametrize(
    ("code", "switch", "wanted"),
    [
        ("no_text", True, True),
        ("garbled", True, True),
        ("ocr", True, True),
        ("failed", True, False),
        ("no_text", False, False),
    ],
)
def test_pages_without_usable_text_want_ocr_where_the_project_does(
    code: str, switch: bool, wanted: bool, project: Project, pdf: Path
) -> None:
    version = ingested(project, pdf)
    assert version.parsed is not None
    version.parsed.warnings = [{"code": code, "pages": [2]}]
    version.project.ocr = switch
    assert wanted_label(version) == reading_label(PARSER, ocr=wanted)


def test_a_swap_keeps_the_vectors_of_equal_texts(project: Project, pdf: Path) -> None:
    version = ingested(project, pdf)
    new = second_reading(version, "lito-next")
    known = ChunkVector.objects.count()
    assert swap(version, new)
    assert version.parsed == new
    # One chunk's text is another now: it waits for its vector, and can be found by words.
    assert (version.state, version.embedded_chunks) == (State.INDEXING, 0)
    assert ChunkVector.objects.filter(parsed=new).count() == known - 1
    assert list(Change.objects.order_by("pk").values_list("kind", "parsed_id"))[1:] == [
        ("swapped", new.pk)
    ]
    assert ingestion.index_version(version.pk) is ingestion.Outcome.DONE
    assert ChunkVector.objects.filter(parsed=new).count() == known
    version.refresh_from_db()
    assert version.state == State.READY


def test_a_swap_to_a_reading_with_all_its_vectors_is_ready_at_once(
    project: Project, pdf: Path
) -> None:
    version = ingested(project, pdf)
    ready_at = version.ready_at
    new = second_reading(version, "lito-next", vectors=True)
    assert swap(version, new)
    assert (version.state, version.ready_at) == (State.READY, ready_at)
    assert version.embedded_chunks == Chunk.objects.filter(parsed=new).count()
    old, again = (
        list(ChunkVector.objects.filter(chunk__ordinal=0, parsed=each).values_list("vec"))
        for each in ParsedFile.objects.order_by("pk")
    )
    assert str(old) == str(again)
    assert not swap(version, new)
    assert Change.objects.filter(kind="swapped").count() == 1


def test_a_swap_of_one_project_leaves_the_other_alone(
    project: Project, other_project: Project, pdf: Path
) -> None:
    version, other = ingested(project, pdf), ingested(other_project, pdf)
    new = second_reading(version, "lito-next", vectors=True)
    swap(version, new)
    other.refresh_from_db()
    assert other.parsed_id != new.pk
    assert Page.objects.filter(parsed_id=other.parsed_id).count() == 3
    assert not Change.objects.filter(project=other_project, kind="swapped").exists()


def test_only_a_complete_reading_of_the_file_is_swapped_to(
    project: Project, pdf: Path, tmp_path: Path
) -> None:
    version = ingested(project, pdf)
    new = second_reading(version, "lito-next")
    for fields in ({"complete": False}, {"complete": True, "chunked": False}):
        ParsedFile.objects.filter(pk=new.pk).update(**fields)
        with pytest.raises(UnfinishedReadingError):
            swap(version, new)
    ParsedFile.objects.filter(pk=new.pk).update(chunked=True)
    other = Version(pk=version.pk, sha256="0" * 64)
    with pytest.raises(UnfinishedReadingError):
        swap(other, new)
    version.refresh_from_db()
    assert version.parsed is not None
    assert version.parsed.parser == PARSER


def test_a_removed_paper_is_not_swapped(project: Project, pdf: Path) -> None:
    version = ingested(project, pdf)
    remove(version.document)
    new = ParsedFile.objects.create(
        sha256=version.sha256, parser="x", page_count=3, complete=True, chunked=True
    )
    assert not swap(version, new)
    version.refresh_from_db()
    assert version.parsed is None


def test_readings_that_no_version_has_go_after_a_while(project: Project, pdf: Path) -> None:
    version = ingested(project, pdf)
    old = version.parsed
    assert old is not None
    assert swap(version, second_reading(version, "lito-0"))
    given_up = ParsedFile.objects.create(
        sha256=version.sha256, parser="lito-x", page_count=3, failure_code="unreadable"
    )
    store_pages(given_up, parse_pages(file_path(version.sha256)))
    assert sweep_unused_readings() == 0, "runs that began before may still look there"
    ParsedFile.objects.update(used_at=timezone.now() - 2 * KEPT_FOR)
    assert sweep_unused_readings() == 2
    assert set(ParsedFile.objects.values_list("parser", flat=True)) == {"lito-0", "lito-x"}
    assert not given_up.pages.exists(), "only its row stays: it says not to try again"
    assert Page.objects.filter(parsed=version.parsed).count() == 3
    assert sweep_unused_readings() == 0
