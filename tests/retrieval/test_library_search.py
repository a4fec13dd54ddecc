"""The library search: passages by paper, without a model."""

import pytest

from documents.models import Chunk
from projects.models import Project
from retrieval.evidence import Scope
from retrieval.library_search import search_library
from retrieval.scope import project_scope
from tests.retrieval.papers import add_paper, new_project, remove_paper

pytestmark = pytest.mark.django_db

LEMONS = (
    ("abstract", "Abstract", "Buyers of used cars fear lemons."),
    ("text", "Results", "Prices of used cars fall when buyers cannot see quality."),
    ("table", "Results", "Table 1. Prices of used cars by age."),
    ("reference", "References", "Akerlof G. The market for used cars and lemons. 1970."),
)
BERRIES = (
    ("text", "结果", "蓝莓的花青素含量升高。"),
    ("text", "讨论", "低温储藏能保持蓝莓的品质。"),
)


@pytest.fixture
def project() -> Project:
    project = new_project()
    add_paper(project, "Lemons", LEMONS)
    add_paper(project, "蓝莓", BERRIES)
    return project


def test_passages_are_grouped_by_paper_in_the_order_of_the_best(project: Project) -> None:
    found = search_library("prices of used cars", project_scope(project))
    assert found.papers[0].version.title == "Lemons"
    assert {passage.kind for passage in found.papers[0].passages} == {"abstract", "text", "table"}
    scores = [passage.score for passage in found.papers[0].passages]
    assert scores == sorted(scores, reverse=True)
    assert found.searched == 2
    assert found.keywords_only == ""


def test_a_reference_list_is_never_found(project: Project) -> None:
    found = search_library("Akerlof 1970", project_scope(project))
    assert all(p.kind != "reference" for paper in found.papers for p in paper.passages)


def test_only_the_wanted_kinds_are_found(project: Project) -> None:
    found = search_library("used cars", project_scope(project), kinds={"table", "caption"})
    assert [[p.kind for p in paper.passages] for paper in found.papers] == [["table"]]


def test_a_word_of_two_characters_finds_its_line(project: Project) -> None:
    found = search_library("花青", project_scope(project))
    assert found.papers[0].version.title == "蓝莓"


def test_words_of_one_script_find_papers_in_the_other(project: Project) -> None:
    found = search_library("anthocyanin in blueberries", project_scope(project))
    assert "蓝莓" in {paper.version.title for paper in found.papers}


def test_nothing_is_searched_in_an_empty_scope(project: Project) -> None:
    found = search_library("lemons", Scope(project.pk, ()))
    assert (found.papers, found.searched) == ((), 0)


def test_a_removed_paper_is_not_found(project: Project) -> None:
    remove_paper(add_paper(project, "Gone", (("text", "Results", "Unicorns trade lemons."),)))
    found = search_library("unicorns", project_scope(project))
    assert "Gone" not in {paper.version.title for paper in found.papers}


def test_an_index_that_names_vanished_chunks_is_made_anew(project: Project) -> None:
    search_library("lemons", project_scope(project))
    Chunk.objects.filter(kind="table").delete()
    found = search_library("used cars prices", project_scope(project))
    kinds = {p.kind for paper in found.papers for p in paper.passages}
    assert kinds
    assert "table" not in kinds
