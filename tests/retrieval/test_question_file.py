import json
from collections import Counter
from pathlib import Path

import pytest

from retrieval.question_file import Question, QuestionFileError, read_questions

DATA = Path(__file__).resolve().parent.parent / "data"


def test_each_line_is_a_question(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(
        '{"id": "a", "question": "谁？", "language": "zh", "papers": ["x.pdf"]}\n'
        "\n"
        '{"id": "b", "question": "Who?", "papers": []}\n'
    )
    assert read_questions(path) == [
        Question("a", "谁？", "zh", ("x.pdf",)),
        Question("b", "Who?", "", ()),
    ]
    assert [question.answerable for question in read_questions(path)] == [True, False]


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ("", "no questions"),
        ("not json\n", "line 1"),
        ('{"id": "a", "question": "x"}\n[]\n', "line 2"),
        ('{"id": "a"}\n', "line 1"),
        ('{"id": "a", "question": "x", "papers": 5}\n', "line 1"),
        ('{"id": "a", "question": "x"}\n{"id": "a", "question": "y"}\n', "twice"),
        ('{"id": "a", "question": "x", "answerable": true, "papers": []}\n', "names its papers"),
        (
            '{"id": "a", "question": "x", "answerable": false, "papers": ["y"]}\n',
            "names its papers",
        ),
    ],
)
def test_a_file_that_is_not_right_says_where(tmp_path: Path, content: str, says: str) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(content)
    with pytest.raises(QuestionFileError, match=says):
        read_questions(path)


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(QuestionFileError, match="can't be read"):
        read_questions(tmp_path / "none.jsonl")


def test_the_set_has_forty_questions_of_each_kind() -> None:
    questions = read_questions(DATA / "questions.jsonl")
    assert Counter(question.answerable for question in questions) == {True: 40, False: 40}
    languages = Counter(question.language for question in questions if question.answerable)
    assert languages == {"en": 20, "zh": 20}
    assert not any(
        question.answerable for question in read_questions(DATA / "questions_near.jsonl")
    )


def test_the_unanswerable_questions_are_those_of_qasa(corpus: Path) -> None:
    published = json.loads((corpus / "qa/qasa/unanswerable.json").read_text())
    asked = [q for q in read_questions(DATA / "questions.jsonl") if not q.answerable]
    for question in asked:
        original = published[question.id.removeprefix("qasa-")]["question"]
        assert " ".join(original.split()) == question.text


def test_the_papers_of_the_answerable_questions_are_there(corpus: Path) -> None:
    named = {paper for q in read_questions(DATA / "questions.jsonl") for paper in q.papers}
    assert len(named) >= 25
    assert named <= {path.name for path in (corpus / "papers").iterdir()}
