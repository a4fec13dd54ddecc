"""Whether every paper that a question names gets evidence from its body. The bar is all of them.

Also counted: names that were resolved to the wrong paper, and those that were asked back.
"""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError

from llm.configured import set_endpoints
from retrieval.evidence import Evidence, SearchResult
from retrieval.library_of_files import MeasuredLibrary, library_of_files
from retrieval.own_embedder import load_embedder_if_no_service
from retrieval.question_file import Question, QuestionFileError, read_questions
from retrieval.scope import project_scope
from retrieval.search import search
from retrieval.sections import is_back_matter

BODY_KINDS = frozenset({"text", "table", "caption"})


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one question, by names of files."""

    id: str
    language: str
    named: tuple[str, ...]
    resolved: tuple[str, ...]
    with_body: tuple[str, ...]
    asked_back: int

    @property
    def covered(self) -> tuple[str, ...]:
        return tuple(paper for paper in self.named if paper in self.with_body)

    @property
    def wrongly_resolved(self) -> tuple[str, ...]:
        return tuple(paper for paper in self.resolved if paper not in self.named)


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("questions", type=Path)
    parser.add_argument("--files", type=Path, required=True, metavar="DIR", help="The papers.")


def run(options: dict[str, Any]) -> dict[str, Any]:
    """Figures over all questions; one line for each question on standard error."""
    try:
        questions = read_questions(options["questions"])
    except QuestionFileError as error:
        raise CommandError(str(error)) from error
    paths = sorted(options["files"].glob("*.pdf"))
    named = {paper for question in questions for paper in question.papers}
    if missing := sorted(named - {path.name for path in paths}):
        raise CommandError(f"{options['files']} lacks {', '.join(missing)}.")
    set_endpoints(main=None)
    load_embedder_if_no_service()
    with library_of_files(paths, _say) as library:
        return figures([_asked(question, library) for question in questions])


def figures(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The documented object. `failures` are the questions with a paper that is not covered."""
    languages = sorted({each.language for each in outcomes})
    return {
        **_counts(outcomes),
        "by_language": {
            language: _counts([each for each in outcomes if each.language == language])
            for language in languages
        },
        "failures": [
            asdict(each)
            for each in outcomes
            if len(each.covered) < len(each.named) or each.wrongly_resolved
        ],
    }


def _counts(outcomes: Sequence[Outcome]) -> dict[str, int]:
    return {
        "questions": len(outcomes),
        "named": sum(len(each.named) for each in outcomes),
        "resolved": sum(len(set(each.named) & set(each.resolved)) for each in outcomes),
        "wrongly_resolved": sum(len(each.wrongly_resolved) for each in outcomes),
        "asked_back": sum(each.asked_back for each in outcomes),
        "with_body": sum(len(each.covered) for each in outcomes),
    }


def _asked(question: Question, library: MeasuredLibrary) -> Outcome:
    found = search(question.text, scope=project_scope(library.project))
    outcome = outcome_of(question, found, library.file_names)
    mark = "+" if len(outcome.covered) == len(outcome.named) else "-"
    _say(f"{mark} {question.id}  {len(outcome.covered)} of {len(outcome.named)} papers")
    return outcome


def outcome_of(question: Question, found: SearchResult, file_names: dict[str, str]) -> Outcome:
    by_document = {paper.document: file_names[paper.file_id] for paper in found.trace.papers}
    bodies = [each for each in found.evidence if _is_of_a_body(each)]
    return Outcome(
        id=question.id,
        language=question.language,
        named=question.papers,
        resolved=tuple(by_document[key] for key in found.names.found),
        with_body=tuple(dict.fromkeys(file_names[each.version.file_id] for each in bodies)),
        asked_back=len(found.names.unclear),
    )


def _is_of_a_body(evidence: Evidence) -> bool:
    return evidence.kind in BODY_KINDS and not is_back_matter(evidence.section)


def _say(line: str) -> None:
    sys.stderr.write(line + "\n")
