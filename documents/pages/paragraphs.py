"""From blocks to paragraphs in their sections, and to groups of them that share chunks. Pure."""

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from documents.chunks.sentences import is_continuation, runs_on
from documents.chunks.token_estimate import estimate_tokens
from documents.pages.page_text import Block, BlockKind, PageState, ParsedPage, Span

LONGEST_HEADING = 200
"""Code points. A longer "heading" is a paragraph in bold type."""
STATEMENT_TOKENS = 8
"""A heading over nothing that is at least so long says something by itself."""
LOOK_BACK = 3
"""So many paragraphs back a broken-off sentence is looked for: a note may stand in between."""
PROSE_LENGTH = 80
"""Code points. Shorter unfinished paragraphs are labels, rows of a table, parts of a figure."""

_KINDS = {
    BlockKind.TITLE: "front_matter",
    BlockKind.AUTHORS: "front_matter",
    BlockKind.ABSTRACT: "abstract",
    BlockKind.CAPTION: "caption",
    BlockKind.TABLE: "table",
    BlockKind.FOOTNOTE: "footnote",
    BlockKind.REFERENCE: "reference",
}
_UNJOINABLE = frozenset({BlockKind.LIST, BlockKind.REFERENCE, BlockKind.HEADING})
_UNREADABLE = frozenset({PageState.GARBLED, PageState.FAILED, PageState.NO_TEXT, PageState.PENDING})
_ABSTRACT = re.compile(r"^\W*(?:abstract|summary|摘\s*要)\W*$", re.IGNORECASE)
_REFERENCES = re.compile(
    r"^[\d.\s]*(?:references|bibliography|literature cited|works cited"
    r"|参\s*考\s*文\s*献|引用文献)\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Paragraph:
    """One paragraph with its text; several spans if it runs over a column or a page.

    `place` counts the headings above it: two sections of one name are not one section.
    """

    kind: str
    place: int
    section: tuple[str, ...]
    spans: tuple[Span, ...]
    text: str
    joinable: bool


@dataclass(slots=True)
class _Outline:
    """The headings above the present place, with their levels."""

    path: list[tuple[int, str]] = field(default_factory=list)
    place: int = 0

    @property
    def section(self) -> tuple[str, ...]:
        return tuple(title for _level, title in self.path)

    @property
    def level(self) -> int:
        return self.path[-1][0] if self.path else 0

    def enter(self, level: int, title: str) -> None:
        self.path = [entry for entry in self.path if entry[0] < level]
        self.path.append((level, title))
        self.place += 1


def paragraphs(pages: Sequence[ParsedPage]) -> Iterator[Paragraph]:
    """Every readable block but margins, with its section; a heading over nothing becomes text.

    Where the file has nothing but "margins", these are its text.
    """
    outline = _Outline()
    bare: Paragraph | None = None
    for page, blocks in _blocks_of(pages):
        is_slide = all(block.kind is BlockKind.HEADING for block in blocks)
        for block in blocks:
            text = page.text[block.start : block.end]
            span = (Span(page.number, block.start, block.end),)
            if block.kind is BlockKind.HEADING and len(text) <= LONGEST_HEADING:
                level = max(1, block.level)
                if bare and outline.level >= level and _says_something(bare, is_slide=is_slide):
                    yield bare
                outline.enter(level, " ".join(text.split()))
                bare = Paragraph("text", outline.place, outline.section, span, text, joinable=False)
                continue
            kind = _kind(block.kind, outline.section)
            if kind in {"text", "abstract", "reference"}:
                bare = None
            yield Paragraph(
                kind, outline.place, outline.section, span, text, block.kind not in _UNJOINABLE
            )
    if bare and _says_something(bare, is_slide=True):
        yield bare


def _blocks_of(pages: Sequence[ParsedPage]) -> list[tuple[ParsedPage, list[Block]]]:
    """The pages that can be read, each with its blocks but margins."""
    readable = [page for page in pages if page.state not in _UNREADABLE]
    found = [(page, list(_blocks(page))) for page in readable]
    if any(blocks for _page, blocks in found):
        return found
    return [(page, list(_loose(page.text, 0, len(page.text)))) for page in readable]


def _says_something(heading: Paragraph, *, is_slide: bool) -> bool:
    """Whether a heading over nothing is worth finding: "Methods" is not, a slide's line is."""
    return is_slide or estimate_tokens(heading.text) >= STATEMENT_TOKENS


def _blocks(page: ParsedPage) -> Iterator[Block]:
    """The page's blocks but margins, trimmed, in order; text outside every block is a paragraph."""
    reached = 0
    for block in sorted(page.blocks, key=lambda block: (block.start, block.end)):
        yield from _loose(page.text, reached, block.start)
        start = max(reached, block.start)
        reached = max(reached, block.end)
        if block.kind is not BlockKind.MARGIN and (trimmed := _trim(page.text, start, block.end)):
            yield replace(block, start=trimmed[0], end=trimmed[1])
    yield from _loose(page.text, reached, len(page.text))


def _loose(text: str, start: int, end: int) -> Iterator[Block]:
    """Text that belongs to no block, as paragraphs between blank lines."""
    for part in re.finditer(r"(?:[^\n]|\n(?![^\S\n]*\n))+", text[start:end]):
        if trimmed := _trim(text, start + part.start(), start + part.end()):
            yield Block(BlockKind.PARAGRAPH, *trimmed)


def _trim(text: str, start: int, end: int) -> tuple[int, int] | None:
    """`[start, end)` without white space at its ends; None if nothing is left."""
    part = text[start:end]
    start += len(part) - len(part.lstrip())
    end = start + len(part.strip())
    return (start, end) if start < end else None


def _kind(block: BlockKind, section: tuple[str, ...]) -> str:
    kind = _KINDS.get(block, "text")
    if kind == "text" and section:
        if _REFERENCES.match(section[-1]):
            return "reference"
        if _ABSTRACT.match(section[-1]):
            return "abstract"
    return kind


def stretches(
    flow_of_text: Iterable[Paragraph], *, alone: Container[Span] = ()
) -> Iterator[list[Paragraph]]:
    """Groups of paragraphs of one kind and section, sentences over a break put back together.

    Captions and tables stand alone, and what begins at a span in `alone`; footnotes share a chunk
    only on one page. A figure between two paragraphs does not part them.
    """
    flows: dict[tuple[str, int, int], list[Paragraph]] = {}
    for number, paragraph in enumerate(flow_of_text):
        own = {"caption": number, "table": number, "footnote": -paragraph.spans[0].page}
        single = number if paragraph.spans[0] in alone else own.get(paragraph.kind, 0)
        key = (paragraph.kind, paragraph.place, single)
        flow = flows.setdefault(key, [])
        broken = _broken_off(flow, paragraph)
        if broken is None:
            flow.append(paragraph)
        else:
            flow[broken] = _joined(flow[broken], paragraph)
    yield from flows.values()


def _broken_off(flow: list[Paragraph], after: Paragraph) -> int | None:
    """The place in the flow of the paragraph that `after` goes on with, else None.

    Beyond the last one only prose is looked at, and only for a beginning that can't be a
    sentence's: a copyright note at the foot of a column is often taken for a paragraph.
    """
    if flow and _runs_on(flow[-1], after):
        return len(flow) - 1
    if is_continuation(after.text):
        for place in range(len(flow) - 2, max(-1, len(flow) - 1 - LOOK_BACK), -1):
            if len(flow[place].text) >= PROSE_LENGTH and _runs_on(flow[place], after):
                return place
    return None


def _runs_on(before: Paragraph, after: Paragraph) -> bool:
    return before.joinable and after.joinable and runs_on(before.text, after.text)


def _joined(before: Paragraph, after: Paragraph) -> Paragraph:
    return replace(before, spans=before.spans + after.spans, text=f"{before.text}\n{after.text}")
