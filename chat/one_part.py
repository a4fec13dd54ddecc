"""Requests that are about one part of the latest answer: which part, and putting it back. Pure."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from chat.events import AgentEnded, AgentEvent, TextAdded, TextWithdrawn
from chat.paragraphs import Paragraph, paragraphs_of, section_end, segments_in
from citations.segments import CiteSegment, Segment, TextSegment
from llm.port import ModelError

LONGEST_REQUEST = 400
_REMOVE = re.compile(
    r"\b(?:delete|remove|drop|omit|take\s+out|cut\s+out)\b|删除|删掉|删去|去掉|移除", re.IGNORECASE
)
_EDIT = re.compile(
    r"\b(?:shorten|condense|trim|rewrite|rephrase|reword|paraphrase|polish|edit|change|simplify|expand"
    r"|elaborate|translate|turn|make|split|fix|correct|improve|tighten|cut|revise|summari[sz]e|quote"
    r"|add|put|convert|write)\b|缩短|精简|改写|重写|润色|修改|改成|改为|译|简化|扩写|扩展|展开|压缩|概括|加上|补上|换"
    r"|写得|写成|改一下|改短|改得|整理|引用原文|做成",
    re.IGNORECASE,
)
_MOVES = re.compile(
    r"\b(?:move|swap|merge|join|combine|reorder|reorgani[sz]e|switch|exchange)\b"
    r"|\bput\b.*\b(?:first|last|before|after|behind|top|end|beginning|front)\b"
    r"|调换|颠倒|合并|移到|移至|放到|放在|挪",
    re.IGNORECASE,
)
"""Where a part stands is to be changed, and with it the answer."""
_SPARED = re.compile(
    r"\b(?:except|but\s+not|apart\s+from|leave|keep|without|before|after|below|above|into|with|and)"
    r"\s+(?:the\s+|as\s+the\s+)?\Z|(?:除了?|不要动|保留|不改|别动|和|与|并入)\s*\Z",
    re.IGNORECASE,
)
"""What before a mention says that the part is not what is to be changed, or not alone."""
_SPARED_AFTER = re.compile(
    r"\s*(?:,|，)?\s*(?:\b(?:and|to|into)\s+(?:the\s+)?(?:\w+\s+paragraph|paragraph)|(?:和|与|到|移)|以外|之外|不变|保持)",
    re.IGNORECASE,
)
_ORDINALS = {
    "first": 1, "opening": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "sixth": 6,
    "seventh": 7, "eighth": 8, "last": -1, "final": -1, "closing": -1, "penultimate": -2,
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "一": 1, "二": 2, "两": 2, "三": 3, "四": 4, "五": 5, "六": 6, "七": 7, "八": 8, "九": 9,
    "首": 1, "末": -1, "最后一": -1, "倒数第一": -1, "倒数第二": -2,
}  # fmt: skip
_ORDINAL = "|".join(name for name in _ORDINALS if name.isascii())
_COUNTED = re.compile(
    rf"\b(?P<a>{_ORDINAL}|\d{{1,2}}(?:st|nd|rd|th))\s+(?P<ka>paragraph|section|part|table|list)\b"
    rf"|\b(?P<kb>paragraph|section|part)\s+(?P<b>\d{{1,2}}|{_ORDINAL})\b"
    r"|第\s*(?P<c>[一二三四五六七八九]|\d{1,2})\s*(?:个)?(?P<kc>自然段|段落?|节|部分)"
    r"|(?P<d>最后一|倒数第[一二]|首|末)(?P<kd>自然段|段落?|节|部分)",
    re.IGNORECASE,
)
_NAMED = re.compile(
    r"\b(?:section|part|paragraph)\s+(?:on|about|called|titled|named|under)?\s*[“\"'‘](?P<a>[^”\"'’]{1,120})[”\"'’]"
    r"|[“\"'‘「《](?P<b>[^”\"'’」》]{1,120})[”\"'’」》]\s*(?:section|part|paragraph|这?一?(?:节|段|部分))",
    re.IGNORECASE,
)
_INSIDE = re.compile(
    r"\b(?:from|in|of)\s+(?:the\s+)?(?:\w+\s+)?(?:paragraph|section|part|table|list)\b"
    r"|(?:段|节|部分|表格|列表)(?:中|里|内|的)",
    re.IGNORECASE,
)
"""Something inside the part is meant, not the part."""
_ONLY_ONE = re.compile(r"\b(?:the|that|this)\s+(?P<en>table|list)\b|(?P<zh>表格|列表)")
_SECTIONS = frozenset({"section", "part", "节", "部分"})


@dataclass(frozen=True, slots=True)
class Part:
    """One part of an answer, between what stays as it is. `is_unwanted`: it is to be taken out."""

    before: tuple[Segment, ...]
    segments: tuple[Segment, ...]
    after: tuple[Segment, ...]
    is_unwanted: bool = False


def part_meant(request: str, segments: Sequence[Segment]) -> Part | None:
    """The one part of the answer that `request` wants changed; None if it is about more, or unsure.

    >>> answer = [TextSegment("One.\\n\\nTwo.\\n\\nThree.")]
    >>> part_meant("Shorten the second paragraph", answer).segments
    (TextSegment(text='Two.', verbatim=False),)
    >>> part_meant("Merge the first paragraph and the second paragraph", answer) is None
    True
    """
    is_unwanted = bool(_REMOVE.search(request))
    is_edit = (is_unwanted or _EDIT.search(request)) and not _MOVES.search(request)
    if len(request) > LONGEST_REQUEST or not is_edit:
        return None
    paragraphs = paragraphs_of(segments)
    ranges = {found for mention in _mentions(request) if (found := _range(mention, paragraphs))}
    if len(ranges) != 1 or _is_spared(request):
        return None
    start, end = ranges.pop()
    while end > start and paragraphs[end - 1].is_gap:
        end -= 1
    return Part(
        tuple(segments_in(paragraphs[:start])),
        tuple(segments_in(paragraphs[start:end])),
        tuple(segments_in(paragraphs[end:])),
        is_unwanted and "[" not in request and not _INSIDE.search(request),
    )


def _mentions(request: str) -> Iterator[re.Match[str]]:
    found = [*_COUNTED.finditer(request), *_NAMED.finditer(request)]
    yield from found or _ONLY_ONE.finditer(request)


def _is_spared(request: str) -> bool:
    return any(
        _SPARED.search(request[: mention.start()]) or _SPARED_AFTER.match(request, mention.end())
        for mention in _mentions(request)
    )


def _range(mention: re.Match[str], paragraphs: Sequence[Paragraph]) -> tuple[int, int] | None:
    """The paragraphs that a mention means, as a range of places."""
    if mention.re is _NAMED:
        return _headed(mention["a"] or mention["b"], paragraphs)
    if mention.re is _ONLY_ONE:
        is_table = mention["en"] == "table" or mention["zh"] == "表格"
        places = _tables(paragraphs) if is_table else _lists(paragraphs)
        return (places[0], places[0] + 1) if len(places) == 1 else None
    kind = next(mention[name] for name in ("ka", "kb", "kc", "kd") if mention[name]).lower()
    said = next(mention[name] for name in "abcd" if mention[name]).lower()
    number = _ORDINALS.get(said) or int(re.sub(r"\D", "", said))
    return _counted(number, kind, paragraphs)


def _counted(number: int, kind: str, paragraphs: Sequence[Paragraph]) -> tuple[int, int] | None:
    headings = [at for at, each in enumerate(paragraphs) if each.level]
    if kind in _SECTIONS and headings:
        at = _nth(headings, number)
        return None if at is None else (at, section_end(paragraphs, at))
    of_kind = {"table": _tables, "list": _lists}.get(kind, _running)
    at = _nth(of_kind(paragraphs), number)
    return None if at is None else (at, at + 1)


def _nth(places: Sequence[int], number: int) -> int | None:
    at = number - 1 if number > 0 else len(places) + number
    return places[at] if 0 <= at < len(places) else None


def _headed(title: str, paragraphs: Sequence[Paragraph]) -> tuple[int, int] | None:
    """The section below the one heading that is, or else holds, this title."""
    wanted = " ".join(title.casefold().split())
    names = {at: p.words.casefold() for at, p in enumerate(paragraphs) if p.level}
    same = [at for at, name in names.items() if name == wanted]
    places = same or [at for at, name in names.items() if wanted in name]
    return (places[0], section_end(paragraphs, places[0])) if len(places) == 1 else None


def _running(paragraphs: Sequence[Paragraph]) -> list[int]:
    return [at for at, each in enumerate(paragraphs) if not (each.level or each.is_gap)]


def _tables(paragraphs: Sequence[Paragraph]) -> list[int]:
    return [at for at, each in enumerate(paragraphs) if each.is_table]


def _lists(paragraphs: Sequence[Paragraph]) -> list[int]:
    return [at for at, each in enumerate(paragraphs) if each.is_list]


def taken_out(part: Part) -> Iterator[AgentEvent]:
    """The run that leaves the part away: no model is needed for it."""
    rest = trimmed((*part.before, *part.after))
    if rest:
        yield TextAdded(rest)
    yield AgentEnded("answered")


def put_back(events: Iterator[AgentEvent], part: Part) -> Iterator[AgentEvent]:
    """The run of an agent that wrote one part anew, as the run of one that wrote the whole answer.

    What the model wrote is held until it is whole: paragraphs that it repeated from the rest are
    left out. If nothing comes of it, the part stays as it was: a failure never destroys text.
    """
    written: list[Segment] = []
    begun = False
    try:
        for event in events:
            if isinstance(event, TextWithdrawn):
                written.clear()
            elif isinstance(event, AgentEnded):
                yield TextAdded(_whole(part, written, begun=begun))
                yield event
                return
            elif isinstance(event, TextAdded):
                written += event.segments
                if not begun and part.before:
                    begun = True
                    yield TextAdded(part.before)
            else:
                yield event
    except ModelError:
        yield TextAdded(_whole(part, written, begun=begun))
        raise


def _whole(part: Part, written: Sequence[Segment], *, begun: bool) -> tuple[Segment, ...]:
    """What is still to be told: the new part between the rest, of which `before` may be out."""
    new = trimmed(without_repeats(written, part)) or part.segments
    return (*(() if begun else part.before), *new, *part.after)


def without_repeats(written: Sequence[Segment], part: Part) -> list[Segment]:
    """The text of a model without the paragraphs that it copied from outside the part."""
    outside = {_told(each) for each in (*paragraphs_of(part.before), *paragraphs_of(part.after))}
    inside = {_told(each) for each in paragraphs_of(part.segments)}
    copied = outside - inside
    kept = [each for each in paragraphs_of(written) if each.is_gap or _told(each) not in copied]
    return segments_in(kept)


def _told(paragraph: Paragraph) -> tuple[object, ...]:
    cites = tuple(part.evidence for part in paragraph.segments if isinstance(part, CiteSegment))
    return (" ".join(paragraph.words.split()), cites)


def trimmed(segments: Sequence[Segment]) -> tuple[Segment, ...]:
    """Without white space at either end; nothing if no word is left."""
    parts = list(segments)
    for end, strip in ((0, str.lstrip), (-1, str.rstrip)):
        _strip(parts, end, strip)
    return tuple(parts)


def _strip(parts: list[Segment], end: int, strip: Callable[[str], str]) -> None:
    while parts:
        part = parts[end]
        if not isinstance(part, TextSegment) or part.verbatim:
            return
        if text := strip(part.text):
            parts[end] = TextSegment(text)
            return
        del parts[end]
