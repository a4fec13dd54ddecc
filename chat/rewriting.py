"""Requests about the latest answer, as far as they can be met without a language model. Pure."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from citations.segments import CiteSegment, Segment


@dataclass(frozen=True, slots=True)
class Shorten:
    """Keep the better half, or `sentences` if a number was named."""

    sentences: int | None = None


@dataclass(frozen=True, slots=True)
class DropSources:
    """Take out what cites these sources, by the numbers that the reader sees."""

    numbers: frozenset[int]


@dataclass(frozen=True, slots=True)
class BeyondWords:
    """Something that needs a language model: translating, restructuring, quotes, other words."""

    what: str


Request = Shorten | DropSources | BeyondWords

_ABOUT_ANSWER = (
    r"(?:(?:the|this|that|your|last|previous|above|whole|an?)\s+)*"
    r"(?:answer|text|reply|response|summary|it|this|that|above)"
)
_SHORTEN = re.compile(
    r"\b(?:shorten|condense|compress|trim)\b|\b(?:make|keep|get)\s+(?:it|this|that|the\s+answer)\s+(?:\w+\s+){0,2}(?:short|brief|concise)"
    r"|^(?:please\s+|now\s+|a\s+bit\s+|much\s+|even\s+)*(?:shorter|briefer|more\s+(?:concise|briefly)|less\s+(?:text|words))\b"
    r"|\b(?:cut|reduce|boil)\s+(?:it|this|that|the\s+answer)\b"
    r"|缩短|精简|简短(?:一?点|一?些)|更?短(?:一?点|一?些)|压缩(?:一下)?|简洁(?:一?点|一?些)|删减|再短",
    re.IGNORECASE,
)
_DROP = re.compile(
    r"\b(?:drop|remove|delete|omit|without|leave\s+out|take\s+out|cut)\b|去掉|删除|删掉|不要|移除|去除|拿掉",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    r"[\[【［(（]\s*(\d{1,3})\s*[\]】］)）]|(?:source|citation|reference|number|来源|引用|文献|编号)s?\s*(\d{1,3})",
    re.IGNORECASE,
)
_BEYOND: Mapping[str, re.Pattern[str]] = {
    "quote": re.compile(
        r"\b(?:add|insert|include|with|give|put\s+in)\s+(?:the\s+|some\s+|more\s+)?(?:\w+\s+)?(?:quotes?|quotations?)\b"
        r"|\bquote\s+(?:the\s+)?(?:original|paper|source|passage|decisive|exact)"
        r"|(?:加上|加入|附上|补上|补充|引用)(?:\w{0,4}的)?(?:原文|原句|引文)|逐字引用",
        re.IGNORECASE,
    ),
    "translate": re.compile(
        r"\btranslat|\b(?:in|into|to)\s+(?:english|chinese|german|french|spanish|japanese)\s*[.!?]?$"
        r"|翻译|译成|译为|用?(?:中文|英文|英语)(?:重?写|回答|说)",
        re.IGNORECASE,
    ),
    "restructure": re.compile(
        rf"\b(?:restructure|reorgani[sz]e|reorder|regroup)\b|\b(?:as|into|in)\s+(?:a\s+)?(?:table|bullet|list|outline|timeline)"
        rf"|\b(?:merge|join|combine|split|swap)\s+(?:\w+\s+){{0,4}}(?:paragraph|section|sentence|bullet)s?"
        rf"|\b(?:move|put)\s+(?:\w+\s+){{0,4}}(?:first|last|to\s+the\s+(?:top|start|end|front|beginning))\b"
        rf"|\bin\s+(?:reverse|chronological|alphabetical)\s+order\b|\breverse\s+the\s+order\b|\bturn\s+{_ABOUT_ANSWER}\s+into\b|重组|重新组织|调整结构|改成表格|做成表格|列成|整理成|合并(?:成|为)?\w{{0,6}}段|调换|颠倒|移到|放到|换个顺序|倒过来",
        re.IGNORECASE,
    ),
    "rephrase": re.compile(
        rf"\b(?:rephrase|paraphrase|reword|polish|rewrite|simplify|expand|elaborate|lengthen)\b(?:\s+(?:on\s+)?{_ABOUT_ANSWER})?"
        r"|\bin\s+(?:other|simpler|your\s+own|plain)\s+words|\bmake\s+(?:it|this)\s+(?:longer|simpler|clearer|more\s+formal)"
        r"|改写|润色|换句话说|换个说法|重写|扩写|展开(?:说|讲)|通俗",
        re.IGNORECASE,
    ),
}
_COUNT = re.compile(
    r"\b(?:to|in|into|only)\s+(one|two|three|four|five|six|\d{1,2})\s+sentences?|([一二两三四五六]|\d{1,2})\s*[句]",
    re.IGNORECASE,
)
_WORD_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6} | {
    "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6,
}  # fmt: skip
LONGEST_REQUEST = 160
"""A longer text is a question that happens to hold such words."""


def read_request(text: str) -> Request | None:
    """What `text` asks to be done with the latest answer, or None if it is a question.

    >>> read_request("Shorten it, keep the citations")
    Shorten(sentences=None)
    >>> read_request("去掉[2]")
    DropSources(numbers=frozenset({2}))
    >>> read_request("What do buyers pay for reputation?") is None
    True
    """
    text = text.strip()
    if len(text) > LONGEST_REQUEST:
        return None
    numbers = source_numbers(text)
    if numbers and _DROP.search(text):
        return DropSources(numbers)
    if text.endswith(("?", "？")) and not re.match(
        r"(?i)(?:can|could|would|will)\s+you\b|(?:能|可以|请)", text
    ):
        return None
    for what, pattern in _BEYOND.items():
        if pattern.search(text):
            return BeyondWords(what)
    if _SHORTEN.search(text):
        return Shorten(_count(text))
    return None


def source_numbers(text: str) -> frozenset[int]:
    """The sources that `text` names by a number, as "[2]" or "source 2".

    >>> sorted(source_numbers("Join [2] and source 3"))
    [2, 3]
    """
    return frozenset(int(one or other) for one, other in _NUMBER.findall(text))


def _count(text: str) -> int | None:
    match = _COUNT.search(text)
    if match is None:
        return None
    named = (match[1] or match[2]).lower()
    return int(named) if named.isdigit() else _WORD_NUMBERS.get(named)


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence of an answer with the evidence numbers behind it, under its paper's heading."""

    text: str
    cites: tuple[int, ...]
    heading: str
    order: int


def statements_of(segments: Iterable[Segment]) -> list[Statement]:
    """The cited sentences of an answer made of verbatim sentences; other text is passed over."""
    found: list[Statement] = []
    heading, text, cites = "", "", list[int]()

    def close() -> None:
        nonlocal text, cites, heading
        if text and cites:
            found.append(Statement(text, tuple(cites), heading, len(found)))
        elif text:
            heading = text
        text, cites = "", []

    for segment in segments:
        if isinstance(segment, CiteSegment):
            cites.append(segment.evidence)
        elif segment.verbatim:
            close()
            text = segment.text
    close()
    return found


def shortened(
    statements: Sequence[Statement],
    request: Shorten,
    relevance: Callable[[Sequence[str]], Sequence[float]],
) -> list[Statement]:
    """The better half in the order of the text. While there is room, each paper keeps its best."""
    wanted = request.sentences or math.ceil(len(statements) / 2)
    worth = relevance([statement.text for statement in statements])
    by_worth = sorted(range(len(statements)), key=lambda at: (-worth[at], at))
    first_of_paper: dict[str, int] = {}
    for at in by_worth:
        first_of_paper.setdefault(statements[at].heading, at)
    preferred = [*first_of_paper.values(), *by_worth]
    kept = sorted(list(dict.fromkeys(preferred))[:wanted])
    return [statements[at] for at in kept]


def without_sources(
    statements: Sequence[Statement], dropped: frozenset[int], shown_number: Callable[[int], int]
) -> list[Statement]:
    """The statements that still stand on a source when the named ones are gone."""
    kept = []
    for statement in statements:
        cites = tuple(cite for cite in statement.cites if shown_number(cite) not in dropped)
        if cites:
            kept.append(Statement(statement.text, cites, statement.heading, statement.order))
    return kept
