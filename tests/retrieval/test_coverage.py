"""A comparison gets evidence from the body of each paper that it names."""

import pytest

from documents.pages.page_text import Span
from projects.models import Project
from retrieval.coverage import asks_for_each, covering, interleaved, is_body, subject_of
from retrieval.passages import Candidate, Passage
from retrieval.scope import project_scope
from retrieval.search import search
from retrieval.tracing import Fate
from tests.retrieval.papers import add_paper, new_project


def candidate(
    chunk: int, *, reading: int = 1, kind: str = "text", section: str = "Results"
) -> Candidate:
    return Candidate(chunk, reading, chunk, (Span(1, 0, 9),), (section,), kind, 100, 1 / chunk)


def passage(chunk: int, *, reading: int = 1, kind: str = "text") -> Passage:
    best = candidate(chunk, reading=reading, kind=kind)
    return Passage(best, (best,))


def test_papers_take_turns_and_the_rest_follows_each_chunk_once() -> None:
    one, two = [candidate(1), candidate(2)], [candidate(5, reading=2)]

    order = interleaved([one, two], [candidate(9, reading=3), candidate(2)])

    assert [each.chunk for each in order] == [1, 5, 2, 9]


def test_each_paper_has_a_share_of_the_places_and_its_body_goes_first() -> None:
    crowd = [passage(chunk) for chunk in range(1, 20)]
    other = [passage(30, reading=2, kind="abstract"), passage(31, reading=2)]

    order = covering([*crowd, *other], [1, 2], 6)

    assert [each.best.chunk for each in order[:4]] == [1, 31, 2, 30]
    assert sorted(each.best.chunk for each in order) == sorted([*range(1, 20), 30, 31])


@pytest.mark.parametrize(
    ("kind", "section", "expected"),
    [
        ("text", "Results", True),
        ("table", "", True),
        ("front_matter", "", False),
        ("abstract", "Abstract", False),
        ("reference", "References", False),
        ("text", "Acknowledgements", False),
        ("text", "作者简介", False),
    ],
)
def test_front_matter_abstracts_and_thanks_are_no_body(
    kind: str, section: str, expected: bool
) -> None:
    assert is_body(candidate(1, kind=kind, section=section)) is expected


@pytest.mark.parametrize(
    ("question", "each"),
    [
        ("What sample size did each study use?", True),
        ("Compare the papers on sample size", True),
        ("逐篇说明研究方法", True),
        ("这两篇的结论有何不同", True),
        ("What is a sample size?", False),
        ("论文说了什么", False),
    ],
)
def test_paper_by_paper_questions_are_known(question: str, each: bool) -> None:
    assert asks_for_each(question) is each


@pytest.mark.parametrize(
    ("rest", "language", "subject"),
    [
        ("Compare and on sample size", "en", "Compare and on sample size"),
        ("Compare and", "en", "main findings"),
        ("比较和的异同", "zh", "主要研究结果"),
    ],
)
def test_without_a_subject_it_is_what_the_papers_found(
    rest: str, language: str, subject: str
) -> None:
    assert subject_of(rest, language=language).startswith(subject)


def body(subject: str, count: int = 3) -> list[tuple[str, str, str]]:
    return [("text", "Results", f"{subject}, result {number}.") for number in range(count)]


@pytest.fixture
def project() -> Project:
    project = new_project()
    loud = "Road noise keeps roe deer away from forests and roe deer avoid roads at night"
    add_paper(project, "Roads and roe deer", [("abstract", "Abstract", loud), *body(loud, 20)])
    add_paper(
        project,
        "Wetland birds in winter",
        [
            ("front_matter", "", "Wetland birds in winter, roads and roe deer. A. Writer."),
            ("abstract", "Abstract", "Roads disturb birds as they do roe deer."),
            *body("Geese left ponds beside traffic"),
            ("text", "Funding", "The Fund for Roads and Deer paid for this."),
            ("reference", "References", "[1] Roads and roe deer, road noise, forests. 2019."),
        ],
    )
    add_paper(
        project, "城市噪声与鸟类", [("abstract", "摘要", "噪声。"), *body("噪声使鸟类提高鸣声频率")]
    )
    return project


@pytest.mark.django_db
@pytest.mark.parametrize(
    "need",
    [
        "How do Roads and roe deer and “Wetland birds in winter” describe road noise?",
        "Compare “Roads and roe deer”, “Wetland birds in winter” and 《城市噪声与鸟类》",
        "《城市噪声与鸟类》与“Wetland birds in winter”在噪声方面有何不同？",
    ],
)
@pytest.mark.parametrize("limit", [2, 3, 12])
def test_every_named_paper_has_evidence_of_its_body(
    project: Project, need: str, limit: int
) -> None:
    found = search(need, scope=project_scope(project), limit=limit)

    named = [paper for paper in found.trace.papers if paper.named]
    assert len(named) == len(found.names.found) >= 2
    assert all(paper.status is Fate.GIVEN and paper.body for paper in named)
    assert found.trace.coverage == "named"
    assert len(found.evidence) <= max(limit, len(named))


@pytest.mark.django_db
def test_for_each_paper_a_small_library_is_given_in_turn(project: Project) -> None:
    found = search("What does each paper say about noise?", scope=project_scope(project), limit=6)

    assert {paper.status for paper in found.trace.papers} == {Fate.GIVEN}
    assert found.trace.coverage == "each"


@pytest.mark.django_db
def test_an_unclear_name_is_given_back_and_covers_nothing(project: Project) -> None:
    add_paper(project, "Wetland birds in spring", body("Geese came back"))

    found = search("What does the wetland birds study say?", scope=project_scope(project))

    [unclear] = found.names.unclear
    assert len(unclear.papers) == 2
    assert found.trace.coverage == ""
    assert found.evidence
