"""Rendering an answer while it grows, without rendering again what can't change any more.

A block of Markdown is finished once another one has begun behind a blank line. Finished blocks are
kept; what comes behind them is rendered anew with each event. The blocks are those that rendering
the whole answer gives, byte for byte.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from citations.citing import CitedSource, citable, citation_id
from citations.markers import merged
from citations.rendering import (
    ShownSource,
    TagUrls,
    render_segments,
    shown_sources,
    tag_urls,
)
from citations.segments import CiteSegment, Segment, TextSegment

_NEW_BLOCK = re.compile(r"\n[ \t]*\n(?=[A-Za-z\u4e00-\u9fff#])")
"""A blank line before what can only begin a block: no list, quote or table goes on like this."""
_FENCE = re.compile(r"^[ \t>]*(?:```|~~~)", re.MULTILINE)
_TABLE_RULE = re.compile(r"[ \t>]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
_OPAQUE = "\ufffc"
"""Stands for what is no Markdown: a citation, or text of a document."""


@dataclass(slots=True)
class GrowingAnswer:
    """Renders one run's segments, again and again. `key` is the run's public id."""

    slug: str
    key: str
    _finished: list[Segment] = field(default_factory=list)
    _blocks: list[str] = field(default_factory=list)
    _shown: Mapping[int, ShownSource] = field(default_factory=dict)
    _shown_for: tuple[int, ...] = ()

    def render(self, segments: Sequence[Segment], evidence: Mapping[int, CitedSource]) -> list[str]:
        """The blocks so far. Text that was withdrawn meanwhile is forgotten."""
        known = citable(segments, evidence)
        rest = _behind(self._finished, known)
        if rest is None:
            self._finished, self._blocks, rest = [], [], known
        self._learn_sources(known, evidence)
        finished, rest = _cut(rest)
        if finished:
            self._blocks += self._rendered(finished)
            self._finished = merged([*self._finished, *finished])
        return [*self._blocks, *self._rendered(rest)]

    def _rendered(self, segments: Sequence[Segment]) -> list[str]:
        before = len(_cites(self._finished))

        def urls(ordinal: int) -> TagUrls:
            return tag_urls(self.slug, citation_id(self.key, before + ordinal))

        return render_segments(segments, self._shown, urls=urls)

    def _learn_sources(self, known: Sequence[Segment], evidence: Mapping[int, CitedSource]) -> None:
        """Numbers go by first appearance: they change with a cited number that is new."""
        appeared = tuple(dict.fromkeys(_cites(known)))
        if appeared != self._shown_for:
            cited = {number: evidence[number] for number in appeared}
            self._shown, self._shown_for = shown_sources(known, cited), appeared


def _cites(segments: Sequence[Segment]) -> list[int]:
    return [part.evidence for part in segments if isinstance(part, CiteSegment)]


def _behind(finished: Sequence[Segment], known: Sequence[Segment]) -> list[Segment] | None:
    """What `known` has behind `finished`; None if it does not begin so."""
    if not finished:
        return list(known)
    at = len(finished) - 1
    last, now = finished[at], known[at] if at < len(known) else None
    if list(known[:at]) != finished[:at] or not isinstance(last, TextSegment):
        return None
    if not isinstance(now, TextSegment) or now.verbatim or not now.text.startswith(last.text):
        return None
    left = now.text[len(last.text) :]
    return [*([TextSegment(left)] if left else []), *known[at + 1 :]]


def _cut(segments: Sequence[Segment]) -> tuple[list[Segment], list[Segment]]:
    """The finished blocks, and what may still change."""
    for at in range(len(segments) - 1, -1, -1):
        part = segments[at]
        if not isinstance(part, TextSegment) or part.verbatim:
            continue
        for gap in reversed(list(_NEW_BLOCK.finditer(part.text))):
            before = [*segments[:at], TextSegment(part.text[: gap.end()])]
            if _is_closed(before):
                return before, [TextSegment(part.text[gap.end() :]), *segments[at + 1 :]]
    return [], list(segments)


def _is_closed(segments: Sequence[Segment]) -> bool:
    """Whether nothing that began here may go on: no fence, no formula.

    Nor may a table have rows wider than its head: what Markdown drops of them comes at the very
    end of an answer.
    """
    text = "".join(
        part.text if isinstance(part, TextSegment) and not part.verbatim else _OPAQUE
        for part in segments
    )
    is_open = len(_FENCE.findall(text)) % 2 or text.count("$$") % 2
    return not (is_open or _is_ragged(text))


def _is_ragged(text: str) -> bool:
    width = 0
    for line in text.splitlines():
        cells = line.strip().strip("|").count("|") + 1
        if _TABLE_RULE.fullmatch(line):
            width = cells
        elif not line.strip():
            width = 0
        elif width and cells > width:
            return True
    return False
