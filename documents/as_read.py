"""What Lito read on one page: blocks in reading order, tables, and the passages cut from them."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from documents.models import Chunk, Page, Version
from documents.pages.geometry import line_rects
from documents.pages.page_text import Block, BlockKind, Boxes, Rect, Span
from documents.reader import Sheet, sheet_of
from documents.tables.shown_tables import ShownTable, shown_tables
from documents.tables.table_json import tables_from_json

HIGHEST_GAP = 0.05
"""A larger step down between two lines, as a fraction of the page, parts two areas."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk as it stands on this page. `number` counts the file's passages from 1."""

    number: int
    kind: str
    tokens: int
    section: tuple[str, ...]
    pages: tuple[int, ...]
    spans: tuple[Span, ...]
    areas: tuple[Rect, ...]

    @property
    def begins_at(self) -> int | None:
        """Where on this page it begins, if it does."""
        return self.spans[0].start if self.spans[0].page == self.pages[0] else None


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of a block's text, and the passage that it went into.

    `is_border` where another passage stood before it, `opens` where its own begins.
    """

    text: str
    passage: int | None
    is_border: bool
    opens: bool


@dataclass(frozen=True, slots=True)
class ReadBlock:
    """A block in its place in the reading order, from 1. `kind` is empty where no block is."""

    number: int
    kind: BlockKind | None
    level: int
    areas: tuple[Rect, ...]
    pieces: tuple[Piece, ...]

    @property
    def is_searched(self) -> bool:
        """Whether a search can find it. Headings are found with the passages below them."""
        return self.kind == BlockKind.HEADING or any(piece.passage for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class PageAsRead:
    """All that is stored of one page, ready to be drawn over its image."""

    sheet: Sheet
    parser: str
    blocks: tuple[ReadBlock, ...]
    tables: tuple[ShownTable, ...]
    passages: tuple[Passage, ...]


def page_as_read(version: Version, number: int) -> PageAsRead | None:
    """What was read on page `number`; nothing if that page is not stored (yet)."""
    if version.parsed is None:
        return None
    page = version.parsed.pages.filter(number=number).first()
    if page is None:
        return None
    boxes = page.boxes()
    passages = tuple(_passages(_chunks_on(page), number, boxes))
    blocks = _with_loose_text(page.text, _blocks_of(page))
    return PageAsRead(
        sheet=sheet_of(page),
        parser=version.parsed.parser,
        blocks=tuple(_read_blocks(page.text, boxes, blocks, passages)),
        tables=shown_tables(page.text, tables_from_json(page.text, page.tables)),
        passages=passages,
    )


def areas_of(rects: Iterable[Rect]) -> tuple[Rect, ...]:
    """Lines of one block joined to one area for each column that the block runs through.

    >>> areas_of([(0.1, 0.80, 0.4, 0.82), (0.1, 0.83, 0.4, 0.85), (0.5, 0.1, 0.9, 0.12)])
    ((0.1, 0.8, 0.4, 0.85), (0.5, 0.1, 0.9, 0.12))
    """
    areas: list[Rect] = []
    for rect in rects:
        if areas and _goes_on(areas[-1], rect):
            areas[-1] = _around(areas[-1], rect)
        else:
            areas.append(rect)
    return tuple(areas)


def _goes_on(area: Rect, rect: Rect) -> bool:
    height = rect[3] - rect[1]
    is_beside = min(area[3], rect[3]) - max(area[1], rect[1]) > height / 2
    is_below = rect[1] >= area[3] - height / 2 and rect[1] - area[3] <= HIGHEST_GAP
    return is_beside or (is_below and min(area[2], rect[2]) > max(area[0], rect[0]))


def _around(a: Rect, b: Rect) -> Rect:
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])


def _chunks_on(page: Page) -> Sequence[Chunk]:
    """The chunks with a span on this page; the containment test of JSON only narrows them down."""
    near = Chunk.objects.filter(parsed_id=page.parsed_id, spans__contains=[[page.number]])
    rows = near.defer("terms").order_by("ordinal")
    return [row for row in rows if any(span.page == page.number for span in row.span_list())]


def _passages(chunks: Iterable[Chunk], page: int, boxes: Boxes) -> Iterator[Passage]:
    for chunk in chunks:
        spans = chunk.span_list()
        here = tuple(span for span in spans if span.page == page)
        rects = line_rects(boxes, [(span.start, span.end) for span in here]) if len(boxes) else []
        yield Passage(
            number=chunk.ordinal + 1,
            kind=chunk.kind,
            tokens=chunk.tokens,
            section=tuple(chunk.section),
            pages=tuple(sorted({span.page for span in spans})),
            spans=here,
            areas=areas_of(rects),
        )


def _blocks_of(page: Page) -> list[Block]:
    blocks = (Block(BlockKind(kind), *place) for kind, *place in page.blocks)
    return sorted(blocks, key=lambda block: (block.start, block.end))


def _with_loose_text(text: str, blocks: Sequence[Block]) -> Iterator[tuple[Block, bool]]:
    """Each block, and the text between them that no block holds (marked as such)."""
    end = 0
    for block in (*blocks, None):
        start = block.start if block else len(text)
        if text[end:start].strip():
            yield Block(BlockKind.PARAGRAPH, end, start), False
        if block:
            yield block, True
            end = max(end, block.end)


def _read_blocks(
    text: str,
    boxes: Boxes,
    blocks: Iterable[tuple[Block, bool]],
    passages: Sequence[Passage],
) -> Iterator[ReadBlock]:
    last: int | None = None
    for number, (block, is_block) in enumerate(blocks, 1):
        rects = line_rects(boxes, [(block.start, block.end)]) if len(boxes) else []
        pieces = tuple(_pieces(text, block, passages, last))
        last = next((piece.passage for piece in reversed(pieces) if piece.passage), last)
        yield ReadBlock(
            number=number,
            kind=block.kind if is_block else None,
            level=block.level,
            areas=areas_of(rects),
            pieces=pieces,
        )


def _pieces(
    text: str, block: Block, passages: Sequence[Passage], last: int | None
) -> Iterator[Piece]:
    """The block's text cut where a passage begins or ends. `last` is the passage before it."""
    within = [
        (max(span.start, block.start), min(span.end, block.end), passage)
        for passage in passages
        for span in passage.spans
        if span.start < block.end and span.end > block.start
    ]
    cuts = sorted({block.start, block.end, *(cut for each in within for cut in each[:2])})
    for start, end in pairwise(cuts):
        passage = next((p for first, stop, p in within if first <= start and end <= stop), None)
        number = passage.number if passage else None
        opens = passage is not None and passage.begins_at == start
        yield Piece(text[start:end], number, number not in (None, last), opens)
        last = number or last
