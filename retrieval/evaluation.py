"""How well keywords, vectors and both together rank the right documents of a question set."""

from argparse import ArgumentParser
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from django.core.management.base import CommandError

from retrieval import metrics
from retrieval.own_embedder import load_embedder_if_no_service
from retrieval.planning import languages_of, plan_by_rules
from retrieval.question_set import AnswerSpan, QuestionSet, QuestionSetError, read_question_set
from retrieval.recall import Recalled, recall
from retrieval.temporary_library import TemporaryLibrary, temporary_library

ANSWER_DEPTH = 20

Leg = Callable[[Recalled], list[int]]
"""The chunk ids that a way of searching gives, best first."""

LEGS: dict[str, Leg] = {
    "bm25": lambda found: [hit.chunk for hit in found.queries[0].keywords],
    "vectors": lambda found: [hit.chunk for hit in found.queries[0].vectors],
    "hybrid": lambda found: [chunk for chunk, _ in found.ranking],
}


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("folder", type=Path)
    parser.add_argument("--corpus", type=Path, metavar="FILE")
    parser.add_argument("--queries", type=Path, metavar="FILE")
    parser.add_argument("--qrels", type=Path, metavar="FILE")
    parser.add_argument("--answers", type=Path, metavar="FILE")


def run(options: dict[str, Any]) -> dict[str, Any]:
    folder: Path = options["folder"]
    try:
        questions = read_question_set(
            options["corpus"] or folder / "corpus.jsonl",
            options["queries"] or folder / "queries.jsonl",
            options["qrels"] or folder / "qrels.tsv",
            options["answers"],
        )
    except QuestionSetError as error:
        raise CommandError(str(error)) from error
    if not questions.questions:
        raise CommandError("No question of this set has a relevant document.")
    load_embedder_if_no_service()
    with temporary_library(questions.documents) as library:
        return measured(questions, library)


def measured(questions: QuestionSet, library: TemporaryLibrary) -> dict[str, Any]:
    """The figures of all legs, each question searched once."""
    languages = languages_of([version.language for version in library.scope.versions])
    found = {
        question: recall(plan_by_rules(text, languages), library.scope)
        for question, text in questions.questions.items()
    }
    result: dict[str, Any] = {
        name: _figures(leg, found, questions, library) for name, leg in LEGS.items()
    }
    result["queries"] = len(questions.questions)
    result["documents"] = len(questions.documents)
    if questions.answers:
        result["recall20_answer_chunk"] = result["hybrid"]["recall20_answer_chunk"]
    return result


def _figures(
    leg: Leg, found: dict[str, Recalled], questions: QuestionSet, library: TemporaryLibrary
) -> dict[str, float]:
    rankings = {question: leg(recalled) for question, recalled in found.items()}
    judged = [
        (
            list(dict.fromkeys(library.owner[chunk] for chunk in chunks)),
            questions.relevant[question],
        )
        for question, chunks in rankings.items()
    ]
    figures = {
        "ndcg10": fmean(metrics.ndcg(ranking, relevant, 10) for ranking, relevant in judged),
        "recall10": fmean(metrics.recall(ranking, relevant, 10) for ranking, relevant in judged),
        "recall50": fmean(metrics.recall(ranking, relevant, 50) for ranking, relevant in judged),
        "mrr": fmean(metrics.reciprocal_rank(ranking, relevant) for ranking, relevant in judged),
    }
    if questions.answers:
        figures["recall20_answer_chunk"] = fmean(
            any(_holds(chunk, questions.answers[question], library) for chunk in chunks)
            for question, chunks in _first(rankings, questions)
        )
    return figures


def _first(
    rankings: dict[str, list[int]], questions: QuestionSet
) -> Iterable[tuple[str, list[int]]]:
    for question, chunks in rankings.items():
        if question in questions.answers:
            yield question, chunks[:ANSWER_DEPTH]


def _holds(chunk: int, answers: Sequence[AnswerSpan], library: TemporaryLibrary) -> bool:
    """Whether the whole of one answer stands in the chunk."""
    return any(
        library.owner[chunk] == answer.document
        and any(start <= answer.start and answer.end <= end for start, end in library.spans[chunk])
        for answer in answers
    )
