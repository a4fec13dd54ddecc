"""Question sets on disk: `corpus.jsonl`, `queries.jsonl` and `qrels.tsv` as BEIR has them."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class SetDocument:
    key: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class AnswerSpan:
    """Where an answer stands: code points `[start, end)` of the document's text."""

    document: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class QuestionSet:
    """`relevant` maps the questions that count to the keys of the documents that answer them."""

    documents: Sequence[SetDocument]
    questions: Mapping[str, str]
    relevant: Mapping[str, frozenset[str]]
    answers: Mapping[str, tuple[AnswerSpan, ...]] = field(default_factory=dict)


class QuestionSetError(Exception):
    """A file of the set is missing or no such file. The text names it."""


def read_question_set(
    corpus: Path, queries: Path, qrels: Path, answers: Path | None = None
) -> QuestionSet:
    """Raises QuestionSetError. Questions without a relevant document of the corpus don't count."""
    documents = [
        SetDocument(str(row["_id"]), row.get("title") or "", row["text"]) for row in _rows(corpus)
    ]
    texts = {str(row["_id"]): row["text"] for row in _rows(queries)}
    keys = {document.key for document in documents}
    relevant: dict[str, set[str]] = defaultdict(set)
    for question, document, score in _judgements(qrels):
        if score >= 1 and document in keys and question in texts:
            relevant[question].add(document)
    return QuestionSet(
        documents,
        {question: texts[question] for question in relevant},
        {question: frozenset(found) for question, found in relevant.items()},
        _answers(answers) if answers else {},
    )


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    try:
        with path.open(encoding="utf-8") as lines:
            yield from (json.loads(line) for line in lines if line.strip())
    except (OSError, ValueError) as error:
        raise QuestionSetError(f"{path}: {error}") from error


def _judgements(path: Path) -> Iterator[tuple[str, str, float]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise QuestionSetError(f"{path}: {error}") from error
    for number, line in enumerate(lines):
        fields = line.split("\t") if "\t" in line else line.split()
        if len(fields) == 4:  # TREC's form has a column between
            del fields[1]
        if len(fields) < 3:
            continue
        try:
            yield fields[0], fields[1], float(fields[2])
        except ValueError as error:
            if number:
                raise QuestionSetError(f"{path}, line {number + 1}: {error}") from error


def _answers(path: Path) -> dict[str, tuple[AnswerSpan, ...]]:
    return {
        str(row["_id"]): tuple(
            AnswerSpan(
                str(row["corpus_id"]), answer["start"], answer["start"] + len(answer["text"])
            )
            for answer in row["answers"]
        )
        for row in _rows(path)
    }
