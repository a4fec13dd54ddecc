"""Reading one to three papers for a question each: their own words, within a budget."""

import pytest

from projects.models import Project
from retrieval.scope import project_scope
from retrieval.targeted import PaperQuestion, TargetedReadingError, read_papers
from tests.retrieval.papers import add_paper, new_project, remove_paper

pytestmark = pytest.mark.django_db

FILLER = " ".join(["The field is wide and many have worked in it before us."] * 20)


@pytest.fixture
def project() -> Project:
    project = new_project()
    add_paper(
        project,
        "Enzymes",
        (
            ("front_matter", "", "Melting temperature of a PET hydrolase. A. Reader, B. Writer."),
            ("abstract", "Abstract", "We measure the melting temperature of a PET hydrolase."),
            *(("text", "Introduction", f"{FILLER} Part {part}.") for part in range(20)),
            ("text", "Results", "The melting temperature was 81 °C, nine degrees above wild type."),
            ("text", "Discussion", "The higher melting point is due to a disulfide bridge."),
            ("text", "Acknowledgements", "We thank the melting temperature facility."),
            ("reference", "References", "[1] Melting temperature of PET hydrolase. 2019."),
        ),
    )
    add_paper(
        project,
        "分割",
        (
            ("abstract", "摘要", "本文综述深度学习在医学图像分割中的应用。"),
            ("text", "结果", "在肝脏数据集上，该网络的平均骰子系数达到0.93。"),
        ),
    )
    add_paper(project, "Empty", ())
    return project


def document(project: Project, title: str) -> str:
    return project.documents.get(title=title).public_id


def test_results_and_explanations_are_read_first_and_references_never(project: Project) -> None:
    asked = PaperQuestion(document(project, "Enzymes"), "What is the melting temperature?")

    [reading] = read_papers([asked], scope=project_scope(project), budget=40)

    texts = [each.text for each in reading.evidence]
    assert "81 °C" in texts[0]
    assert "disulfide" in texts[1]
    assert not any("2019" in text or "thank" in text for text in texts)


def test_the_budget_holds_and_the_statement_says_that_it_is_not_the_whole(
    project: Project,
) -> None:
    asked = PaperQuestion(document(project, "Enzymes"), "What is the melting temperature?")

    [reading] = read_papers([asked], scope=project_scope(project), budget=500)

    assert 0 < reading.tokens_read <= 500 < reading.tokens
    assert not reading.is_whole
    assert f"{reading.chunks_read} of {reading.chunks} parts" in reading.statement
    assert "不是全文" in reading.statement


def test_a_short_paper_is_read_as_a_whole_and_passages_stand_in_its_order(
    project: Project,
) -> None:
    asked = PaperQuestion(document(project, "分割"), "What Dice coefficient was reached?")

    [reading] = read_papers([asked], scope=project_scope(project))

    assert reading.is_whole
    assert [each.text[:2] for each in reading.evidence] == ["本文", "在肝"]
    assert "whole paper" in reading.statement
    assert [each.number for each in reading.evidence] == [1, 2]


def test_each_paper_has_its_own_question_and_a_share_of_the_budget(project: Project) -> None:
    asked = [
        PaperQuestion(document(project, "分割"), "骰子系数是多少？"),
        PaperQuestion(document(project, "Enzymes"), "Why does it melt later?"),
    ]

    readings = read_papers(asked, scope=project_scope(project), budget=600)

    assert [each.version.title for each in readings] == ["分割", "Enzymes"]
    assert all(each.tokens_read <= 300 for each in readings)
    assert {each.version.title for reading in readings for each in reading.evidence} == {
        "分割",
        "Enzymes",
    }


def test_a_paper_without_text_says_so(project: Project) -> None:
    [reading] = read_papers(
        [PaperQuestion(document(project, "Empty"), "Anything?")], scope=project_scope(project)
    )

    assert reading.evidence == ()
    assert "No text" in reading.statement


def test_a_question_that_no_word_meets_still_reads_the_paper(project: Project) -> None:
    asked = PaperQuestion(document(project, "Enzymes"), "zzz qqq")

    [reading] = read_papers([asked], scope=project_scope(project), budget=200)

    assert reading.evidence


@pytest.mark.parametrize("count", [0, 4])
def test_none_or_too_many_papers_are_refused(project: Project, count: int) -> None:
    asked = [PaperQuestion(document(project, "Enzymes"), "Why?")] * count

    with pytest.raises(TargetedReadingError):
        read_papers(asked, scope=project_scope(project))


@pytest.mark.parametrize("question", ["", "  "])
def test_a_paper_needs_a_question(project: Project, question: str) -> None:
    with pytest.raises(TargetedReadingError):
        read_papers(
            [PaperQuestion(document(project, "Enzymes"), question)], scope=project_scope(project)
        )


def test_papers_outside_the_scope_are_as_unknown_as_those_that_never_were(
    project: Project,
) -> None:
    stranger = new_project("stranger")
    hidden = add_paper(stranger, "Hidden", (("text", "Results", "A secret."),))
    gone = add_paper(project, "Gone", (("text", "Results", "Left."),))
    scope = project_scope(project)
    remove_paper(gone)

    for key in (hidden.document.public_id, "nonsense", gone.document.public_id):
        with pytest.raises(TargetedReadingError, match="no paper"):
            read_papers([PaperQuestion(key, "Why?")], scope=scope)
