"""An answer in paragraphs, so that one of them can be changed and the rest stays as it is. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from citations.markers import merged
from citations.segments import CiteSegment, Segment, TextSegment

_BREAK = re.compile(
    r"^[ \t]*#{1,6}[ \t][^\n]*(?P<line_end>\n)(?=[ \t]*\S)|(?P<blank>\n[ \t]*(?:\n[ \t]*)+)",
    re.MULTILINE,
)
"""Blank lines, and the end of a heading's line."""
_FENCE = re.compile(r"^[ \t]*(?:```|~~~)", re.MULTILINE)
_HEADING = re.compile(r"[ \t]*(#{1,6})[ \t]+([^\n]*?)[ \t#]*\Z")
_BOLD_LINE = re.compile(r"[ \t]*(?:\*\*|__)([^\n*_]{1,120})(?:\*\*|__)[ \t]*[:：]?\Z")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Segments between two blank lines. `level` is a heading's, from 1; 0 is running text.

    A paragraph of nothing but white space is a gap between two others.
    """

    segments: tuple[Segment, ...]
    level: int = 0
    is_gap: bool = False

    @property
    def words(self) -> str:
        """Its text without citations; a heading's without its signs."""
        text = "".join(part.text for part in self.segments if isinstance(part, TextSegment))
        heading = _HEADING.match(text) or _BOLD_LINE.match(text)
        return (heading[heading.lastindex or 0] if heading else text).strip()

    @property
    def is_table(self) -> bool:
        return self.words.startswith("|")

    @property
    def is_list(self) -> bool:
        return bool(re.match(r"(?:[-*+]|\d{1,3}[.)])[ \t]", self.words))


def paragraphs_of(segments: Sequence[Segment]) -> list[Paragraph]:
    """The answer cut at its blank lines, gaps included: joined again it is the same answer.

    Blank lines inside a fenced block do not cut.
    """
    found: list[Paragraph] = []
    current: list[Segment] = []
    for piece, is_gap in _pieces(segments):
        if is_gap:
            found += [_paragraph(current)] * bool(current)
            found.append(Paragraph((piece,), is_gap=True))
            current = []
        else:
            current.append(piece)
    return [*found, _paragraph(current)] if current else found


def _pieces(segments: Sequence[Segment]) -> Iterator[tuple[Segment, bool]]:
    """The segments with each gap a piece of its own."""
    is_fenced = False
    for segment in merged(segments):
        if isinstance(segment, CiteSegment) or segment.verbatim:
            yield segment, False
            continue
        start = at = 0
        for gap in _BREAK.finditer(segment.text):
            begin, end = gap.span(gap.lastgroup or 0)
            is_fenced ^= len(_FENCE.findall(segment.text[at:begin])) % 2 == 1
            at = end
            if is_fenced:
                continue
            if text := segment.text[start:begin]:
                yield TextSegment(text), False
            yield TextSegment(segment.text[begin:end]), True
            start = at
        is_fenced ^= len(_FENCE.findall(segment.text[at:])) % 2 == 1
        if text := segment.text[start:]:
            yield TextSegment(text), False


def _paragraph(segments: Sequence[Segment]) -> Paragraph:
    text = "".join(part.text for part in segments if isinstance(part, TextSegment))
    if heading := _HEADING.match(text):
        return Paragraph(tuple(segments), len(heading[1]))
    return Paragraph(tuple(segments), 6 if _BOLD_LINE.match(text) else 0)


def segments_in(paragraphs: Sequence[Paragraph]) -> list[Segment]:
    return [segment for paragraph in paragraphs for segment in paragraph.segments]


def section_end(paragraphs: Sequence[Paragraph], heading: int) -> int:
    """Where the section ends whose heading is at `heading`: before the next one of its level."""
    level = paragraphs[heading].level
    following = range(heading + 1, len(paragraphs))
    return next((at for at in following if 0 < paragraphs[at].level <= level), len(paragraphs))
