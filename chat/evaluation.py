"""How well the answerer without a language model answers, and refuses, a file of questions.

Bars: at least 32 of 40 answerable questions answered and 24 with the right paper first, at least 28
of 40 others refused, and every sentence that is shown stands exactly once where it says.
"""

import json
import sys
from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from chat.answering import answer_run
from chat.asking import begin_run, start_conversation
from chat.models import Run
from citations.claim_locating import cited_pages
from citations.models import Answer
from citations.placing import locate_on_pages
from citations.segments import CiteSegment, TextSegment, segments_from_json
from llm.configured import set_endpoints
from retrieval.library_of_files import MeasuredLibrary, library_of_files
from retrieval.own_embedder import load_embedder_if_no_service
from retrieval.question_file import Question, QuestionFileError, read_questions


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one question. `papers` are the files cited, in the order of their numbers."""

    id: str
    answerable: bool
    outcome: str
    papers: tuple[str, ...]
    right_paper_first: bool
    shown: int
    unmatched: tuple[str, ...]

    @property
    def answered(self) -> bool:
        return self.outcome == "answered"


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("questions", type=Path)
    parser.add_argument("--files", type=Path, required=True, metavar="DIR", help="The papers.")
    parser.add_argument(
        "--unanswerable",
        type=Path,
        metavar="JSON",
        help="More questions that no paper answers, as QASA has them: an object of objects.",
    )


def run(options: dict[str, Any]) -> dict[str, Any]:
    """Figures over all questions; one line for each question on standard error."""
    try:
        questions = read_questions(options["questions"])
        if more := options.get("unanswerable"):
            questions = [*questions, *read_unanswerable(more)]
    except QuestionFileError as error:
        raise CommandError(str(error)) from error
    paths = sorted(options["files"].glob("*.pdf"))
    named = {paper for question in questions for paper in question.papers}
    if missing := sorted(named - {path.name for path in paths}):
        raise CommandError(f"{options['files']} lacks {', '.join(missing)}.")
    if not paths:
        raise CommandError(f"{options['files']} has no PDF files.")
    set_endpoints(main=None)
    load_embedder_if_no_service()
    with library_of_files(paths, _say) as library:
        return figures(list(_asked(questions, library)))


def read_unanswerable(path: Path) -> list[Question]:
    """The questions of a set like QASA's. Raises `QuestionFileError`."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
        return [
            Question(id=f"{path.stem}-{key}", text=each["question"], language="en", papers=())
            for key, each in value.items()
            if not each.get("evidential_info")
        ]
    except (OSError, ValueError, AttributeError, KeyError, TypeError) as error:
        raise QuestionFileError(f"{path} can't be used: {error}") from error


def _rate(count: int, asked: int) -> float | None:
    return round(count / asked, 4) if asked else None


def figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The documented object. `failures` are the questions that missed their bar, and why."""
    answerable = [each for each in outcomes if each.answerable]
    others = [each for each in outcomes if not each.answerable]
    return {
        "answerable": {
            "asked": len(answerable),
            "answered": sum(each.answered for each in answerable),
            "right_paper_first": sum(each.right_paper_first for each in answerable),
        },
        "unanswerable": {
            "asked": len(others),
            "refused": sum(each.outcome == "not_found" for each in others),
        },
        "refusal_rate": _rate(sum(each.outcome == "not_found" for each in others), len(others)),
        "false_refusal_rate": _rate(
            sum(each.outcome == "not_found" for each in answerable), len(answerable)
        ),
        "sentences": {
            "shown": sum(each.shown for each in outcomes),
            "matched": sum(each.shown - len(each.unmatched) for each in outcomes),
        },
        "failures": [asdict(each) for each in outcomes if _failed(each)],
    }


def _failed(outcome: Outcome) -> bool:
    right = outcome.right_paper_first if outcome.answerable else outcome.outcome == "not_found"
    return not right or bool(outcome.unmatched)


def _asked(questions: Sequence[Question], library: MeasuredLibrary) -> Iterator[Outcome]:
    for question in questions:
        outcome = ask(question, library)
        mark = "-" if _failed(outcome) else "+"
        first = outcome.papers[0] if outcome.papers else ""
        _say(f"{mark} {question.id}  {outcome.outcome}  {outcome.shown} sentences  {first}")
        yield outcome


def ask(question: Question, library: MeasuredLibrary) -> Outcome:
    """Ask in a conversation of its own, by the recipe of the chat worker."""
    conversation = start_conversation(library.project, library.user, question.text)
    asked = begin_run(conversation, question.text)
    answer_run(asked.pk)
    done = Run.objects.select_related("turn__answer").get(pk=asked.pk)
    answer = done.turn.answer
    papers = _cited_papers(answer, library) if answer else ()
    sentences = list(_sentences(answer)) if answer else []
    outcome = done.outcome if done.state == Run.State.DONE else done.error_code or done.state
    return Outcome(
        id=question.id,
        answerable=question.answerable,
        outcome=outcome,
        papers=papers,
        right_paper_first=outcome == "answered"
        and papers[:1] != ()
        and papers[0] in question.papers,
        shown=len(sentences),
        unmatched=tuple(text for text, matched in sentences if not matched),
    )


def _cited_papers(answer: Answer, library: MeasuredLibrary) -> tuple[str, ...]:
    sources = answer.sources.order_by("number")
    return tuple(dict.fromkeys(library.file_names[source.file_id] for source in sources))


def _sentences(answer: Answer) -> Iterator[tuple[str, bool]]:
    """Each sentence taken from a paper, and whether it stands once on the pages that it cites."""
    segments = segments_from_json(answer.segments)
    citations = answer.citations.select_related("source__version").order_by("ordinal")
    cited = iter(citations)
    for before, segment in pairwise((TextSegment(""), *segments)):
        if not isinstance(segment, CiteSegment):
            continue
        citation = next(cited)
        version = citation.source.version
        if isinstance(before, TextSegment) and before.verbatim and version is not None:
            located = locate_on_pages(before.text, version, cited_pages(citation))
            yield before.text, located.status == "matched"


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
