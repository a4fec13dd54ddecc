"""`evaluate carryover`: rewrites through the whole recipe, and a judge that sees a loss."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from chat.carryover_cases import Case, CaseFile, CaseFileError, read_cases
from chat.carryover_evaluation import judged
from chat.carryover_library import CarryoverLibrary, carryover_library
from llm.configured import main_model

CASES = Path(__file__).parent.parent / "data" / "carryover.jsonl"


@pytest.fixture(scope="module")
def file() -> CaseFile:
    return read_cases(CASES)


@pytest.fixture
def papers(transactional_db: None, redis: object, file: CaseFile) -> Iterator[CarryoverLibrary]:
    with carryover_library(file.papers) as library:
        yield library


def first_of(file: CaseFile, kind: str) -> Case:
    return next(case for case in file.cases if case.kind == kind)


def test_the_data_set_has_every_kind_in_both_languages(file: CaseFile) -> None:
    kinds = {case.kind for case in file.cases}
    assert len(file.cases) >= 60
    assert kinds >= {
        *("shorten", "reorder", "merge", "translate", "table", "quotes", "paragraph", "number"),
        *("removed", "access", "scope", "pages", "three"),
    }
    chinese = [case for case in file.cases if not case.first.ask.isascii()]
    assert len(chinese) * 4 >= len(file.cases)


@pytest.mark.parametrize("kind", ["paragraph", "number", "removed", "access", "pages", "three"])
def test_every_citation_is_accounted_for(
    papers: CarryoverLibrary, file: CaseFile, kind: str
) -> None:
    tally = judged(first_of(file, kind), papers, chunk=3)
    assert tally.problems == []
    assert tally.citations
    assert tally.accounted == tally.as_expected == tally.citations
    assert (tally.wrong_source, tally.views_differ) == (0, 0)
    assert tally.tags
    assert main_model() is None


def test_the_judge_sees_a_loss_that_a_case_forbids_and_a_tag_that_leads_elsewhere(
    papers: CarryoverLibrary, file: CaseFile
) -> None:
    case = first_of(file, "shorten")
    (step,) = case.steps
    forbidden = replace(step, answer=step.answer.replace("{lem.check}", ""))
    tally = judged(replace(case, steps=(forbidden,)), papers)
    assert tally.accounted == tally.citations - 1
    swapped = replace(
        step,
        whole=step.answer,
        answer=step.answer.replace("{lem.check}", "{rep.premium}"),
    )
    tally = judged(replace(case, steps=(swapped,)), papers)
    assert tally.wrong_source == 3  # once in each view


@pytest.mark.parametrize(
    "line", ["no json", "[]", '{"case": "a", "kind": "b", "first": "none", "steps": []}', ""]
)
def test_a_file_that_is_none_is_refused_with_the_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(line)
    with pytest.raises(CaseFileError, match="cases"):
        read_cases(path)
