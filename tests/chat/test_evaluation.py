"""The measurement itself, on two small papers made for it."""

import io
import json
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from chat.evaluation import Outcome, figures, read_unanswerable
from projects.models import Project, User
from retrieval.question_file import QuestionFileError

PAPERS = {
    "otters.pdf": [
        "Sea otters keep kelp forests alive because they eat the urchins that graze on kelp.",
        "Where the otters had disappeared, the density of urchins rose eightfold within six years.",
    ],
    "glass.pdf": [
        "Window glass does not flow at room temperature over the lifetime of a cathedral.",
        "The relaxation time of medieval glass exceeds the age of the universe by far.",
    ],
}
QUESTIONS: list[dict[str, Any]] = [
    {"id": "otters", "question": "How do sea otters keep kelp forests alive?"},
    {
        "id": "glass",
        "question": "Does window glass flow at room temperature over the lifetime of a cathedral?",
    },
    {
        "id": "wrong-paper",
        "question": "How did the density of urchins change where the otters had disappeared?",
    },
    {"id": "bank", "question": "Which interest rate did the central bank of Norway set in 1998?"},
]
RIGHT = {"otters": ["otters.pdf"], "glass": ["glass.pdf"], "wrong-paper": ["glass.pdf"], "bank": []}


@pytest.fixture
def files(tmp_path: Path) -> Path:
    folder = tmp_path / "papers"
    folder.mkdir()
    for name, sentences in PAPERS.items():
        with pymupdf.open() as document:  # type: ignore[no-untyped-call]
            page = document.new_page()
            page.insert_textbox((72, 72, 500, 400), " ".join(sentences), fontsize=11)
            document.save(folder / name)
    return folder


def question_file(folder: Path, questions: list[dict[str, Any]]) -> Path:
    path = folder / "questions.jsonl"
    lines = [json.dumps({**each, "papers": RIGHT[each["id"]]}) for each in questions]
    path.write_text("\n".join(lines))
    return path


def evaluate(questions: Path, files: Path) -> dict[str, Any]:
    output = io.StringIO()
    call_command(
        "evaluate", "answers", str(questions), "--files", str(files), "--json", stdout=output
    )
    result: dict[str, Any] = json.loads(output.getvalue())
    return result


@pytest.mark.usefixtures("redis")
@pytest.mark.django_db(transaction=True)
def test_it_counts_answers_right_papers_and_refusals(files: Path, tmp_path: Path) -> None:
    (files / "torn.pdf").write_bytes(b"%PDF-1.7 and nothing more")
    result = evaluate(question_file(tmp_path, QUESTIONS), files)
    assert result["answerable"] == {"asked": 3, "answered": 3, "right_paper_first": 2}
    assert result["unanswerable"] == {"asked": 1, "refused": 1}
    assert (result["refusal_rate"], result["false_refusal_rate"]) == (1.0, 0.0)
    assert result["sentences"]["shown"] == result["sentences"]["matched"] >= 3
    assert [failure["id"] for failure in result["failures"]] == ["wrong-paper"]
    assert result["failures"][0]["papers"][0] == "otters.pdf"
    assert not Project.objects.exists()
    assert not User.objects.exists()


@pytest.mark.django_db
def test_a_paper_that_is_not_there_is_named(files: Path, tmp_path: Path) -> None:
    (files / "glass.pdf").unlink()
    with pytest.raises(CommandError, match=r"lacks glass\.pdf"):
        evaluate(question_file(tmp_path, QUESTIONS), files)


@pytest.mark.django_db
def test_a_folder_without_papers_is_said(tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="no PDF files"):
        evaluate(question_file(tmp_path, QUESTIONS[3:]), tmp_path)


def outcome(**changed: Any) -> Outcome:
    usual: dict[str, Any] = {
        "id": "q",
        "answerable": True,
        "outcome": "answered",
        "papers": ("a.pdf",),
        "right_paper_first": True,
        "shown": 3,
        "unmatched": (),
    }
    return Outcome(**{**usual, **changed})


@pytest.mark.parametrize(
    ("one", "fails"),
    [
        ({}, False),
        ({"right_paper_first": False}, True),
        ({"outcome": "not_found", "right_paper_first": False, "shown": 0}, True),
        ({"unmatched": ("A sentence that stands nowhere.",)}, True),
        ({"answerable": False, "right_paper_first": False}, True),
        ({"answerable": False, "right_paper_first": False, "outcome": "not_found"}, False),
        ({"answerable": False, "right_paper_first": False, "outcome": "internal"}, True),
    ],
)
def test_what_missed_its_bar_is_listed(one: dict[str, Any], fails: bool) -> None:
    assert bool(figures([outcome(**one)])["failures"]) is fails


def test_a_sentence_that_stands_nowhere_is_no_match() -> None:
    result = figures([outcome(shown=4, unmatched=("x",)), outcome(shown=2)])
    assert result["sentences"] == {"shown": 6, "matched": 5}


def test_a_run_that_broke_is_neither_answered_nor_refused() -> None:
    result = figures([outcome(outcome="internal"), outcome(answerable=False, outcome="internal")])
    assert result["answerable"]["answered"] == 0
    assert result["unanswerable"]["refused"] == 0


def test_a_set_of_questions_that_no_paper_answers_is_read_and_a_broken_one_refused(
    tmp_path: Path,
) -> None:
    path = tmp_path / "more.json"
    kept = {"question": "Who built it?", "evidential_info": []}
    path.write_text(json.dumps({"0": kept, "1": {**kept, "evidential_info": [{"context": "x"}]}}))
    (question,) = read_unanswerable(path)
    assert (question.id, question.text, question.answerable) == ("more-0", "Who built it?", False)
    for broken in ("[]", "{}x", '{"0": {}}', '{"0": 3}'):
        path.write_text(broken)
        with pytest.raises(QuestionFileError):
            read_unanswerable(path)
