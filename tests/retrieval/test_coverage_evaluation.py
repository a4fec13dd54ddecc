"""`evaluate coverage`: the question file fits the corpus, the figures count what was covered."""

import json
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from retrieval.coverage_evaluation import Outcome, figures
from retrieval.question_file import read_questions
from tests.conftest import CORPUS

QUESTIONS = Path(__file__).parent.parent / "data" / "comparisons.jsonl"
PAPERS = CORPUS / "papers"


def outcome(*, resolved: tuple[str, ...], with_body: tuple[str, ...]) -> Outcome:
    return Outcome("q", "en", ("a.pdf", "b.pdf"), resolved, with_body, asked_back=0)


def test_a_paper_without_body_evidence_is_a_failure() -> None:
    whole = outcome(resolved=("a.pdf", "b.pdf"), with_body=("b.pdf", "a.pdf", "c.pdf"))
    half = outcome(resolved=("a.pdf",), with_body=("a.pdf",))

    found = figures([whole, half])

    assert (found["named"], found["resolved"], found["with_body"]) == (4, 3, 3)
    assert [each["with_body"] for each in found["failures"]] == [("a.pdf",)]


def test_a_name_taken_for_another_paper_is_a_failure() -> None:
    wrong = outcome(resolved=("a.pdf", "b.pdf", "z.pdf"), with_body=("a.pdf", "b.pdf"))

    found = figures([wrong])

    assert found["wrongly_resolved"] == 1
    assert found["failures"]


@pytest.mark.skipif(not PAPERS.is_dir(), reason="the corpus of papers is not here")
def test_the_questions_name_two_to_four_papers_of_the_corpus() -> None:
    questions = read_questions(QUESTIONS)

    assert len(questions) == 30
    assert {each.language for each in questions} == {"en", "zh", "mixed"}
    for each in questions:
        assert 2 <= len(set(each.papers)) <= 4
        assert all((PAPERS / paper).is_file() for paper in each.papers)


@pytest.mark.django_db(transaction=True)
@pytest.mark.skipif(not PAPERS.is_dir(), reason="the corpus of papers is not here")
def test_the_command_covers_an_english_and_a_chinese_paper(tmp_path: Path) -> None:
    papers = ("en_joss_aorsf.pdf", "zh_paper_poems.pdf")
    for paper in papers:
        (tmp_path / paper).symlink_to(PAPERS / paper)
    question = "aorsf 与《基于预训练模型的中国古典诗歌生成》各用什么模型？"
    line = {"id": "1", "question": question, "language": "mixed", "papers": papers}
    (tmp_path / "q.jsonl").write_text(json.dumps(line, ensure_ascii=False), encoding="utf-8")
    output = StringIO()

    call_command(
        "evaluate", "coverage", tmp_path / "q.jsonl", files=tmp_path, json=True, stdout=output
    )

    found = json.loads(output.getvalue())
    assert (found["named"], found["resolved"], found["with_body"]) == (2, 2, 2)
    assert found["failures"] == []


def test_a_folder_without_the_papers_is_said(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="lacks"):
        call_command("evaluate", "coverage", QUESTIONS, files=tmp_path)
