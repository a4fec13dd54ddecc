from pathlib import Path

import pytest
from django.utils import timezone, translation
from pytest_django import DjangoAssertNumQueries

from documents.failures import SENTENCES
from documents.library import ROWS_PER_PAGE, author_line, library_page, library_rows
from documents.models import Chunk, Document, Page, ParsedFile, Version
from documents.progress import progress
from projects.models import Project

State = Version.State


def add(project: Project, number: int, title: str = "", **fields: object) -> Version:
    document = Document.objects.create(
        project=project, title=title or f"Paper {number}", authors=["Wang Wei"]
    )
    return Version.objects.create(
        document=document,
        project=project,
        sha256=f"{number:064d}",
        file_name=f"{number}.pdf",
        size=1,
        page_count=9,
        **fields,
    )


def test_a_library_is_shown_in_pages_newest_first(project: Project) -> None:
    for number in range(ROWS_PER_PAGE + 2):
        add(project, number)
    first, second = library_page(project), library_page(project, number=2)
    assert len(first.rows) == ROWS_PER_PAGE
    assert [row.document.title for row in second.rows] == ["Paper 1", "Paper 0"]
    assert (first.previous, first.following) == (None, 2)
    assert (second.previous, second.following) == (1, None)
    assert library_page(project, number=99).number == 2


@pytest.mark.parametrize(
    ("query", "titles"),
    [
        ("lemons", ["Markets for Lemons"]),
        ("wang lemons", ["Markets for Lemons"]),
        ("网络 安全", ["网络安全法"]),
        ("網絡 安全", ["网络安全法"]),
        ("2.pdf", ["网络安全法"]),
        ("%", []),
        ("muller", ["Markets for Lemons"]),
        ("ＬＥＭＯＮＳ MÜLLER", ["Markets for Lemons"]),
        ("efficient", ["Eﬃcient rules"]),
        ("nothing such", []),
    ],
)
def test_papers_are_found_by_title_author_and_file_name(
    project: Project, query: str, titles: list[str]
) -> None:
    lemons = add(project, 1, "Markets for Lemons").document
    lemons.authors = ["Wang Wei", "Łucja Müller"]
    lemons.save()
    add(project, 2, "网络安全法")
    add(project, 3, "Eﬃcient rules")
    page = library_page(project, query=query)
    assert [row.document.title for row in page.rows] == titles
    assert page.count == 3


def test_removed_papers_are_not_listed(project: Project, pdf: Path) -> None:
    from documents.removing import remove

    version = add(project, 1)
    remove(version.document)
    assert library_page(project).count == 0


def test_warnings_name_the_pages(project: Project) -> None:
    parsed = ParsedFile.objects.create(
        sha256="0" * 64,
        parser="by-hand",
        page_count=9,
        complete=True,
        warnings=[{"code": "no_text", "pages": [3, 4, 5, 9]}],
    )
    add(project, 1, parsed=parsed, state=State.READY)
    (row,) = library_page(project).rows
    (warning,) = row.warnings
    assert "3-5, 9" in warning.words
    assert warning.first_page == 3
    assert row.has_gaps


def test_empty_pages_and_scans_that_were_read_are_no_gaps(project: Project) -> None:
    warnings = [{"code": "ocr", "pages": [1]}, {"code": "empty", "pages": [2]}]
    parsed = ParsedFile.objects.create(
        sha256="0" * 64, parser="by-hand", page_count=9, complete=True, warnings=warnings
    )
    add(project, 1, parsed=parsed, state=State.READY)
    (row,) = library_page(project).rows
    assert len(row.warnings) == 2
    assert not row.has_gaps


@pytest.mark.parametrize(
    ("authors", "line"),
    [
        ([], ""),
        (["Akerlof"], "Akerlof"),
        (["A", "B", "C"], "A, B, C"),
        (["A", "B", "C", "D"], "A, B, C et al."),
        (["", None, "B"], "B"),
    ],
)
def test_the_author_line_names_three(authors: list[str | None], line: str) -> None:
    assert author_line(authors) == line


def test_files_being_worked_on_cost_no_queries_of_their_own(
    project: Project, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(12):
        state = State.INDEXING if number % 2 else State.PARSING
        version = add(project, number, state=state)
        parsed = ParsedFile.objects.create(sha256=version.sha256, parser="test", page_count=9)
        Version.objects.filter(pk=version.pk).update(parsed=parsed)
        for page in range(1, number + 1):
            Page.objects.create(parsed=parsed, number=page)
            Chunk.objects.create(parsed=parsed, ordinal=page, kind="text", spans=[], tokens=1)
    with django_assert_max_num_queries(8):
        rows = library_page(project).rows
    reached = {row.document.title: (row.progress.done, row.progress.total) for row in rows}
    assert reached["Paper 4"] == (4, 9)
    assert reached["Paper 7"] == (0, 7)


def test_a_paper_that_is_removed_while_it_is_listed_is_left_out(project: Project) -> None:
    kept, gone = add(project, 1), add(project, 2)
    Version.objects.filter(pk=gone.pk).update(removed_at=timezone.now())
    assert [row.version for row in library_rows(Document.objects.all())] == [kept]


@pytest.mark.parametrize("code", SENTENCES)
def test_a_failure_is_told_in_the_language_of_whoever_looks(project: Project, code: str) -> None:
    version = add(project, 1, failure_code=code, state=State.FAILED)
    with translation.override("zh-hans"):
        (row,) = library_page(project).rows
        assert not row.failure.isascii()
        assert progress(version).words == row.failure
    with translation.override("en"):
        assert row.failure.isascii()
