"""A file of scripted rewrites, one JSON object a line: papers, first answers, cases. Pure.

In an answer `{paper.passage}` cites a passage, `{paper#2}` a whole page as a source of its own, and
`{!7}` writes a number that was never handed out.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CITE = re.compile(r"\{(!\d+|[a-z0-9]+[.#][a-z0-9]+)\}")


class CaseFileError(Exception):
    """The file can't be used; the text says which line and why."""


@dataclass(frozen=True, slots=True)
class Paper:
    """`pages` hold passages by name; each stands in a section of its own."""

    key: str
    title: str
    language: str
    pages: tuple[Mapping[str, str], ...]

    def passages(self) -> Iterator[tuple[str, int, str]]:
        """Each passage's key, page and text."""
        for number, page in enumerate(self.pages, 1):
            for name, text in page.items():
                yield f"{self.key}.{name}", number, text


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that happens: a question with the model's reply, or a change to the library.

    `whole` is the answer that must result, where the reply is only one part of it. `expect` has one
    fate for each citation of the answer before; None where the question is no rewrite.
    """

    ask: str = ""
    answer: str = ""
    whole: str = ""
    search: bool = False
    expect: tuple[str, ...] | None = None
    fails: str = ""
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    do: str = ""
    papers: tuple[str, ...] = ()

    @property
    def result(self) -> str:
        return self.whole or self.answer

    @property
    def keys(self) -> tuple[str, ...]:
        """What the resulting answer cites, in order."""
        return keys_in(self.result)


@dataclass(frozen=True, slots=True)
class Case:
    """`first` is asked with a search, unless its answer cites whole pages: these are given."""

    id: str
    kind: str
    first: Step
    steps: tuple[Step, ...]


@dataclass(frozen=True, slots=True)
class CaseFile:
    papers: tuple[Paper, ...]
    cases: tuple[Case, ...]


def keys_in(answer: str) -> tuple[str, ...]:
    return tuple(key for key in CITE.findall(answer) if not key.startswith("!"))


def read_cases(path: Path) -> CaseFile:
    """Raises `CaseFileError`."""
    papers: list[Paper] = []
    firsts: dict[str, Step] = {}
    cases: list[Case] = []
    for where, value in _lines(path):
        try:
            if "paper" in value:
                papers.append(_paper(value))
            elif "first" in value and "case" not in value:
                of_pages = any("#" in key for key in keys_in(value["answer"]))
                firsts[value["first"]] = _step({**value, "search": not of_pages})
            else:
                steps = tuple(_step(each) for each in value["steps"])
                cases.append(Case(value["case"], value["kind"], firsts[value["first"]], steps))
        except (KeyError, TypeError, AttributeError) as error:
            raise CaseFileError(f"{where}: {type(error).__name__} {error}") from error
    if len({case.id for case in cases}) < len(cases) or not cases:
        raise CaseFileError(f"{path.name} has no cases, or two with one id.")
    return CaseFile(tuple(papers), tuple(cases))


def _lines(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise CaseFileError(f"{path} can't be read: {error}") from error
    for number, line in enumerate(lines, 1):
        where = f"{path.name}, line {number}"
        if not line.strip():
            continue
        try:
            value = json.loads(line)
        except ValueError as error:
            raise CaseFileError(f"{where}: {error}") from error
        if not isinstance(value, dict):
            raise CaseFileError(f"{where} is no object.")
        yield where, value


def _paper(value: Mapping[str, Any]) -> Paper:
    return Paper(value["paper"], value["title"], value["language"], tuple(value["pages"]))


def _step(value: Mapping[str, Any]) -> Step:
    expect = value.get("expect")
    return Step(
        ask=value.get("ask", ""),
        answer=value.get("answer", ""),
        whole=value.get("whole", ""),
        search=bool(value.get("search")),
        expect=None if expect is None else tuple(expect),
        fails=value.get("fails", ""),
        names={number: tuple(keys) for number, keys in value.get("names", {}).items()},
        do=value.get("do", ""),
        papers=tuple(value.get("papers", ())),
    )
