"""What a finished answer is looked at for, by rules alone. A check changes nothing. Pure."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citations.segments import CiteSegment, Segment, TextSegment

PARAGRAPHS = "paragraphs-cited"
PAPERS = "papers-cited"
LENGTH = "at-most-words"
_FEWEST_LETTERS = 40
"""Of a paragraph that is looked at: a shorter one leads to what follows. Chinese counts double."""
_SHOWN = 80
_CHINESE = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_WORD = re.compile(
    r"[\u3400-\u4dbf\u4e00-\u9fff]|[^\W_\u3400-\u4dbf\u4e00-\u9fff]+(?:['’-][^\W_]+)*"
)
_NOT_STATED = re.compile(r"\A\s*(?:#|\$\$|\|?[\s:|-]*\Z)")
"""Headings, mathematics and rules of tables state nothing that could be cited."""


class UnknownCheckError(Exception):
    """There is no check of this name."""


@dataclass(frozen=True, slots=True)
class Check:
    """A check by name; `bound` where it takes a number."""

    name: str
    bound: int = 0


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check found. `found` are paragraphs or titles that fail it, or a count of words."""

    name: str
    passed: bool
    found: tuple[str | int, ...] = ()
    bound: int = 0

    def as_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "passed": self.passed,
            "found": list(self.found),
            "bound": self.bound,
        }


def read_check(written: str) -> Check:
    """
    >>> read_check("at-most-words:600")
    Check(name='at-most-words', bound=600)
    """
    name, _, bound = written.partition(":")
    if name in (PARAGRAPHS, PAPERS) and not bound:
        return Check(name)
    if name == LENGTH and re.fullmatch(r"[1-9]\d{0,4}", bound, re.ASCII):
        return Check(name, int(bound))
    raise UnknownCheckError(written)


def look(
    checks: Collection[Check],
    segments: Sequence[Segment],
    *,
    named: Mapping[str, str],
    cited: Collection[str],
) -> list[Checked]:
    """What the checks find. `named` are titles by key of papers that the answer must not pass over;
    `cited` are keys of those that it cites.
    """
    return [_look(check, segments, named, cited) for check in checks]


def _look(
    check: Check, segments: Sequence[Segment], named: Mapping[str, str], cited: Collection[str]
) -> Checked:
    if check.name == PARAGRAPHS:
        bare = tuple(_shortened(text) for text, is_cited in _paragraphs(segments) if not is_cited)
        return Checked(check.name, not bare, bare)
    if check.name == PAPERS:
        missing = tuple(title for key, title in named.items() if key not in cited)
        return Checked(check.name, not missing, missing)
    words = count_words("".join(each.text for each in segments if isinstance(each, TextSegment)))
    return Checked(check.name, words <= check.bound, (words,), check.bound)


def count_words(text: str) -> int:
    """
    >>> count_words("It isn't 3.5 %."), count_words("结果很好。")
    (4, 4)
    """
    return len(_WORD.findall(text))


def _paragraphs(segments: Sequence[Segment]) -> list[tuple[str, bool]]:
    """Each paragraph that states something, and whether anything in it is cited."""
    found: list[tuple[str, bool]] = []
    text, is_cited = "", False
    for segment in (*segments, TextSegment("\n\n")):
        if isinstance(segment, CiteSegment):
            is_cited = True
            continue
        first, *others = re.split(r"\n\s*\n", segment.text)
        text += first
        for other in others:
            found.append((text, is_cited))
            text, is_cited = other, False
    return _outside_code(found)


def _outside_code(found: Sequence[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Those that state something beside code, which may have blank lines in it."""
    kept: list[tuple[str, bool]] = []
    is_code = False
    for text, is_cited in found:
        pieces = text.split("```")
        words = "".join(pieces[int(is_code) :: 2])
        is_code = is_code != (len(pieces) % 2 == 0)
        if _states(words):
            kept.append((words, is_cited))
    return kept


def _states(text: str) -> bool:
    lines = [line for line in text.strip().splitlines() if not _NOT_STATED.match(line)]
    letters = "".join(lines)
    return len(letters) + len(_CHINESE.findall(letters)) >= _FEWEST_LETTERS


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHOWN else line[: _SHOWN - 1] + "…"
