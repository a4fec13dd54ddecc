"""An answer cut into what Markdown shows apart: paragraphs, list items, headings, cells. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from citations.quotations import CITE, Quotation, quotations
from citations.segments import CiteSegment, Segment

BREAK = re.compile(
    r"\n[ \t]*\n|\n(?=[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t])|\n(?=[ \t]*(?:#|\||>))"
    r"|(?<=\n)(?=[ \t]*#)"
)
UNDER_HEADING = re.compile(r"^[ \t]*#{1,6}[ \t][^\n]*(\n)", re.MULTILINE)
CELL = re.compile(r"(?<!\\)\|")
SPACED_CELL = re.compile(r"(?<=[ \t])\|(?=[ \t])")
CALLOUT = re.compile(
    r"[\s>*_]*(?:\[!\w+\]|(?:note|tip|warning|注意?|提示|说明)[*_]*[:：])", re.IGNORECASE
)


@dataclass(frozen=True)
class Block:
    """What is read as one piece. `cites` are the offsets of `CITE` in `text`.

    `verbatim` ranges come from a document. `above` is the block before it, `left` the other cells
    of its row before it; both only where an empty block may speak of them.
    """

    text: str
    verbatim: tuple[tuple[int, int], ...] = ()
    above: "Block | None" = None
    left: tuple["Block", ...] = ()
    is_cell: bool = False

    @cached_property
    def cites(self) -> tuple[int, ...]:
        return tuple(found.start() for found in re.finditer(CITE, self.text))

    @cached_property
    def quotations(self) -> list[Quotation]:
        return quotations(self.text)

    @property
    def is_block_quote(self) -> bool:
        return self.text.lstrip().startswith(">") and not CALLOUT.match(self.text)

    @property
    def is_heading(self) -> bool:
        return self.text.lstrip().startswith("#")

    @property
    def has_words(self) -> bool:
        return any(map(str.isalnum, self.text)) or bool(self.quotations)


@dataclass
class _Joined:
    """All segments as one text, with the ranges that stand there verbatim."""

    text: str = ""
    verbatim: list[tuple[int, int]] = field(default_factory=list)

    def add(self, segment: Segment) -> None:
        if isinstance(segment, CiteSegment):
            self.text += CITE
            return
        start = len(self.text)
        self.text += segment.text.replace(CITE, " ")
        if segment.verbatim:
            self.verbatim.append((start, len(self.text)))

    def is_free(self, start: int, end: int) -> bool:
        return not any(first < end and start < last for first, last in self.verbatim)

    def block(
        self, start: int, end: int, *, above: Block | None, left: tuple[Block, ...], is_cell: bool
    ) -> Block:
        inside = tuple(
            (first - start, last - start)
            for first, last in self.verbatim
            if start <= first and last <= end
        )
        return Block(self.text[start:end], inside, above, left, is_cell)


def blocks_of(segments: Sequence[Segment]) -> Iterator[Block]:
    """The blocks of an answer in order; every cite segment is in exactly one of them."""
    joined = _Joined()
    for segment in segments:
        joined.add(segment)
    above: Block | None = None
    for start, end in _ranges(joined):
        cells = _cells(joined, start, end)
        left: tuple[Block, ...] = ()
        for first, last in cells:
            is_cell = len(cells) > 1
            block = joined.block(first, last, above=above, left=left, is_cell=is_cell)
            yield block
            left = (*left, block)
        above = left[0] if len(left) == 1 and not left[0].is_heading else None


def _ranges(joined: _Joined) -> list[tuple[int, int]]:
    """Where the text is cut at paragraph ends, list items and headings; quotes stay together."""
    breaks = [found.span() for found in BREAK.finditer(joined.text)]
    breaks += [found.span(1) for found in UNDER_HEADING.finditer(joined.text)]
    ranges: list[tuple[int, int]] = []
    at = 0
    for start, end in sorted(breaks):
        if start < at or not joined.is_free(start, end):
            continue
        line = joined.text[at:start].rpartition("\n")[2]
        in_quote = line.lstrip().startswith(">")
        if in_quote and joined.text[end:].lstrip(" \t").startswith(">"):
            continue
        ranges.append((at, start))
        at = end
    return [*ranges, (at, len(joined.text))]


def _cells(joined: _Joined, start: int, end: int) -> list[tuple[int, int]]:
    """The cells of a table row; the whole of anything else."""
    text = joined.text[start:end]
    is_row = text.lstrip().startswith("|")
    if not is_row and (len(SPACED_CELL.findall(text)) < 2 or "\n" in text.strip()):
        return [(start, end)]
    pattern = CELL if is_row else SPACED_CELL
    bars = [start + found.start() for found in pattern.finditer(text)]
    edges = [bar for bar in bars if joined.is_free(bar, bar + 1)]
    cells = zip([start, *(bar + 1 for bar in edges)], [*edges, end], strict=True)
    found = [cell for cell in cells if joined.text[slice(*cell)].strip()]
    return found or [(start, end)]
