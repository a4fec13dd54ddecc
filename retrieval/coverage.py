"""Comparisons and paper-by-paper tasks: each paper that is asked about gets evidence. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from documents.chunks.tokens import keyword_tokens
from retrieval.passages import Candidate, Passage
from retrieval.sections import is_back_matter

MOST_BY_PAPER = 12
"""Papers that are given in turn where a question asks for each without naming any."""

Task = Literal["", "named", "each"]
"""What coverage is for: the papers that were named, or each that was found."""

_WORK = r"(?:papers?|articles?|stud(?:y|ies)|documents?|sources?)"
_EACH = re.compile(
    rf"\b(?:each|every|per|individual)\s+(?:of\s+(?:the|these|those)\s+)?{_WORK}"
    rf"|\b{_WORK}[- ]by[- ]{_WORK}\b"
    rf"|\b(?:across|between|among|compare|contrast)\s+(?:all\s+)?(?:the\s+|these\s+|those\s+)?"
    r"(?:papers|articles|studies|documents|sources)\b"
    r"|[每各]一?篇|逐篇|每个?(?:文献|研究)|各(?:文献|研究|论文)|这些(?:论文|文献|研究)|这[两三四几]篇"
    r"|不同(?:论文|文献|研究)(?:之间|间)?",
    re.IGNORECASE,
)
_ONLY_COMPARES = re.compile(
    r"\b(?:compar(?:e[ds]?|ing|isons?)|contrast(?:s|ed|ing)?|differ(?:s|ed|ences?|ent|ently)?"
    r"|similar(?:ity|ities|ly)?|agree(?:s|ment)?|versus|vs|both|respectively|each|other|another"
    r"|two|three|four|terms|regards?)\b"
    r"|比较|对比|相比|区别|差异|差别|不同|异同|相同|分别|各自|之间|之处|两者|二者|三者|两篇|三篇|四篇"
    r"|[和与跟同及在对上的有]",
    re.IGNORECASE,
)
ASPECTS = "main findings, results and conclusions of the study"
ASPECTS_CHINESE = "主要研究结果、发现与结论"
_BODY = frozenset({"text", "table", "caption"})


@dataclass(frozen=True, slots=True)
class Coverage:
    """The papers, by reading, that are to be covered, in order."""

    task: Task = ""
    readings: tuple[int, ...] = ()


def asks_for_each(question: str) -> bool:
    """
    >>> asks_for_each("What sample size did each of the studies use?")
    True
    >>> asks_for_each("逐篇说明研究方法"), asks_for_each("What is a sample size?")
    (True, False)
    """
    return bool(_EACH.search(question))


def subject_of(rest: str, *, language: str) -> str:
    """What is asked of each paper, once its name and words of comparison are gone.

    Where nothing is left, it is what the paper found, in the paper's `language`.

    >>> subject_of("Compare and on sample size", language="en")
    'Compare and on sample size'
    >>> subject_of("比较 和 的异同", language="zh")
    '主要研究结果、发现与结论'
    """
    if keyword_tokens(_ONLY_COMPARES.sub(" ", rest)):
        return rest
    return ASPECTS_CHINESE if language.startswith("zh") else ASPECTS


def is_body(candidate: Candidate) -> bool:
    """Whether a chunk is evidence of what a paper did and found, by its kind and place."""
    return candidate.kind in _BODY and not is_back_matter(candidate.section)


def interleaved(
    by_paper: Sequence[Sequence[Candidate]], others: Sequence[Candidate]
) -> list[Candidate]:
    """The best of each paper, then the second best of each, and so on; then `others`.

    Each chunk once, with the score that it has in `others` if it is there.
    """
    scores = {each.chunk: each for each in others}
    turns = zip_longest(*by_paper)
    in_turn = [each for turn in turns for each in turn if each is not None]
    unique = {each.chunk: scores.get(each.chunk, each) for each in (*in_turn, *others)}
    return list(unique.values())


def covering(passages: Sequence[Passage], readings: Sequence[int], limit: int) -> list[Passage]:
    """`passages` in an order of which the first `limit` cover each paper of `readings`.

    Each has its share of the places, bodies first; what is left goes by rank.
    """
    share = share_of(readings, limit)
    own: Mapping[int, list[Passage]] = {
        reading: sorted(
            (each for each in passages if each.best.reading == reading),
            key=lambda each: not has_body(each),
        )[:share]
        for reading in readings
    }
    turns = zip_longest(*own.values())
    first = [each for turn in turns for each in turn if each is not None]
    chosen = {each.best.chunk for each in first}
    return first + [each for each in passages if each.best.chunk not in chosen]


def share_of(readings: Sequence[int], limit: int) -> int:
    """Passages for each paper to be covered: together two thirds, since others may have a say.

    One paper that is named is no comparison: it is sure of a few, the rest goes by rank.

    >>> share_of([1], 12), share_of([1, 2], 12), share_of(range(20), 12)
    (3, 4, 1)
    """
    if len(readings) == 1:
        return max(1, limit // 4)
    return max(1, 2 * limit // (3 * max(1, len(readings))))


def has_body(passage: Passage) -> bool:
    return any(map(is_body, passage.members))
