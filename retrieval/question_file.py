"""A file of questions with the papers that answer them, one JSON object a line. Pure."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any


class QuestionFileError(Exception):
    """The file can't be used; the text says which line and why."""


@dataclass(frozen=True, slots=True)
class Question:
    """`papers` are names of files that answer it, best first; none if the library can't."""

    id: str
    text: str
    language: str
    papers: tuple[str, ...]

    @property
    def answerable(self) -> bool:
        return bool(self.papers)


def read_questions(path: Path) -> list[Question]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise QuestionFileError(f"{path} can't be read: {error}") from error
    questions = [
        _question(line, f"{path.name}, line {number}")
        for number, line in enumerate(lines, 1)
        if line.strip()
    ]
    if len({question.id for question in questions}) < len(questions):
        raise QuestionFileError(f"{path.name} uses an id twice.")
    if not questions:
        raise QuestionFileError(f"{path.name} has no questions.")
    return questions


def _question(line: str, place: str) -> Question:
    try:
        value: Any = json.loads(line)
        question = Question(
            id=str(value["id"]),
            text=str(value["question"]),
            language=str(value.get("language", "")),
            papers=tuple(map(str, value.get("papers", ()))),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise QuestionFileError(
            f"{place}: expected an object with id, question and papers."
        ) from error
    if bool(value.get("answerable", question.answerable)) != question.answerable:
        raise QuestionFileError(f"{place}: an answerable question names its papers, others none.")
    return question
