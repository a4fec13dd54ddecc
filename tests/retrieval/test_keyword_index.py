"""The index follows the documents of its project, and heals itself."""

import shutil
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from rank_bm25 import BM25Okapi

from documents.chunks.tokens import keyword_tokens
from documents.models import Chunk, Version
from projects.models import Project
from retrieval import keyword_index
from retrieval.index_checking import check
from retrieval.models import KeywordIndex
from tests.retrieval.papers import add_paper, new_project, remove_paper

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    project = new_project()
    paper(project, "Roots", "Roots drink water from the soil.", "Root hairs widen the surface.")
    paper(project, "Leaves", "Leaves breathe through stomata.", "Wax keeps water in the leaf.")
    return project


def paper(project: Project, title: str, *texts: str) -> Version:
    return add_paper(project, title, [("text", "", text) for text in texts], embedded=False)


def found(project: Project, query: str) -> set[str]:
    index = keyword_index.keyword_index(project)
    hits = index.search(keyword_tokens(query), limit=9)
    chunks = Chunk.objects.filter(pk__in=[hit.chunk for hit in hits])
    return set(chunks.values_list("parsed__versions__document__title", flat=True))


def test_scores_are_those_of_rank_bm25_over_the_live_chunks(project: Project) -> None:
    remove_paper(paper(project, "Gone", "Water water everywhere."))
    chunks = Chunk.objects.filter(parsed__versions__document__removed_at=None)
    oracle = BM25Okapi(
        list(chunks.order_by("parsed_id", "ordinal").values_list("terms", flat=True))
    )
    query = keyword_tokens("water in the soil")

    scores = keyword_index.keyword_index(project).scores(query)

    assert list(scores) == pytest.approx(list(oracle.get_scores(query)), abs=1e-9)


def test_a_paper_is_found_once_it_came_and_not_after_it_went(project: Project) -> None:
    assert found(project, "stomata") == {"Leaves"}
    stems = paper(project, "Stems", "Stems carry water to the stomata.")
    assert found(project, "stomata") == {"Leaves", "Stems"}
    remove_paper(stems)
    assert found(project, "stomata") == {"Leaves"}


def test_what_is_up_to_date_is_not_written_again(project: Project) -> None:
    keyword_index.keyword_index(project)
    before = KeywordIndex.objects.get(project=project).generation
    keyword_index.keyword_index(project)
    keyword_index.follow_documents(project, tidy=True)

    assert KeywordIndex.objects.get(project=project).generation == before


def test_a_removal_that_named_no_change_is_seen_by_the_expected_papers(project: Project) -> None:
    keyword_index.keyword_index(project)
    version = paper(project, "Quiet", "Mosses drink by their leaves.")
    assert version.parsed_id is not None
    project.changes.filter(file_id=version.public_id).delete()

    index = keyword_index.keyword_index(project, expected=[version.parsed_id])

    assert version.parsed_id in index.documents


@pytest.mark.parametrize("harm", ["folder gone", "file gone", "file cut", "manifest broken"])
def test_a_damaged_index_is_made_anew(project: Project, harm: str) -> None:
    keyword_index.keyword_index(project)
    folder = Path(settings.LITO_INDEXES) / project.public_id
    moved = Project.objects.get(pk=project.pk)
    moved.public_id = f"moved{moved.pk}"  # as another process sees it: nothing kept open
    moved.save()
    folder = folder.rename(folder.with_name(moved.public_id))
    segment = next(folder.glob("segment-*"))
    match harm:
        case "folder gone":
            shutil.rmtree(folder)
        case "file gone":
            segment.unlink()
        case "file cut":
            segment.write_bytes(b"")
        case "manifest broken":
            (folder / "current.json").write_text("nonsense")
    assert not check(moved).agrees

    assert found(moved, "stomata") == {"Leaves"}
    assert check(moved).agrees


def test_the_check_sees_what_the_index_has_not(project: Project) -> None:
    keyword_index.keyword_index(project)
    assert check(project).agrees
    version = paper(project, "New", "Seeds sleep in winter.")

    checked = check(project)

    assert checked.missing_readings == {version.parsed_id}
    assert checked.database_chunks == checked.indexed_chunks + 1


def test_reference_lists_are_not_indexed(project: Project) -> None:
    add_paper(
        project, "Citing", [("reference", "References", "Stomata, Nature 1990.")], embedded=False
    )
    assert found(project, "stomata") == {"Leaves"}


def test_following_waits_for_whoever_follows_already(project: Project) -> None:
    keyword_index.follow_documents(project)
    with connection.cursor() as cursor:  # the lock of the test's own transaction
        cursor.execute(
            "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = %s"
            " AND objid = %s",
            [keyword_index.ADVISORY_LOCK, project.pk],
        )
        assert cursor.fetchone() == (1,)


@pytest.mark.parametrize("asked", ["", " ", "the of and", "的", "?!", "unheard"])
def test_a_question_without_words_or_a_library_without_papers_finds_nothing(
    project: Project, asked: str
) -> None:
    assert found(project, asked) == set()
    empty = new_project("empty")
    assert found(empty, asked) == set()
    assert found(empty, "stomata") == set()
    assert keyword_index.keyword_index(empty).chunks == 0
    assert check(empty).agrees


@pytest.mark.parametrize("papers", [1, 2, 3])
def test_a_library_of_few_papers_scores_as_rank_bm25_and_finds_them(papers: int) -> None:
    project = new_project("few")
    for number in range(papers):
        paper(project, f"Paper {number}", f"Roots drink water, time {number}.")
    terms = list(Chunk.objects.order_by("parsed_id", "ordinal").values_list("terms", flat=True))
    query = keyword_tokens("roots at time 0")

    scores = keyword_index.keyword_index(project).scores(query)

    assert list(scores) == list(BM25Okapi(terms).get_scores(query))
    assert found(project, "roots") == {f"Paper {number}" for number in range(papers)}
