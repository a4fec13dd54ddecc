"""From tables to chunks: whole rows under their headers. Pure.

A row is all the lines of page text in which cells of it stand. Where the structure of a table is
not known, each line is taken for a row and the first one for the headers.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from documents.chunks.chunk_heads import (
    MOST_HEAD_TOKENS,
    caption_of,
    first_line,
    fitted_head,
    headers_over,
)
from documents.chunks.units import (
    MOST_TOKENS,
    TARGET_TOKENS,
    Unit,
    lines_in,
    merged_spans,
    size_of,
    unit_of,
    within_limit,
    words_of,
)
from documents.pages.page_text import Cell, ChunkSpans, ParsedPage, Span, Table
from documents.pages.paragraphs import Paragraph

MOST_ROW_TOKENS = MOST_TOKENS - MOST_HEAD_TOKENS
"""A longer row is cut: no chunk could hold it below a head."""


@dataclass(frozen=True, slots=True)
class _Row:
    """The lines of a row, or of several that share a line.

    `index` is its place in the table; that of a line outside all cells is the place of the next.
    """

    index: int
    unit: Unit


@dataclass(slots=True)
class _TableText:
    """The lines of text of one table, each with the rows whose cells stand in it."""

    first: Paragraph
    page: ParsedPage
    table: Table | None
    lines: list[tuple[Span, set[int]]] = field(default_factory=list)


def table_chunks(
    paragraphs: Iterable[Paragraph], pages: Mapping[int, ParsedPage]
) -> Iterator[tuple[Span, ChunkSpans]]:
    """Chunks of the tables whose text is in `paragraphs`, each with the place of its table.

    A chunk begins with the caption and the headers that name its columns. Nothing else stands in
    two chunks, and nothing twice in one. `pages` are all pages by number.
    """
    texts = {number: page.text for number, page in pages.items()}
    for whole in _table_texts(paragraphs, pages):
        place = whole.first.spans[0]
        for group, head in _groups(whole, pages, texts):
            body = sorted((s for row in group for s in row.unit.spans), key=lambda s: s.start)
            spans = merged_spans((*_without(head, body), *body), texts)
            tokens = unit_of(spans, texts).tokens
            yield place, ChunkSpans(spans, whole.first.section, "table", tokens)


def _table_texts(
    paragraphs: Iterable[Paragraph], pages: Mapping[int, ParsedPage]
) -> Iterable[_TableText]:
    """The lines of `paragraphs` table by table: one table may stand in several of them."""
    found: dict[tuple[int, ...], _TableText] = {}
    places_on = cache(lambda number: _places(pages[number]))
    for number, paragraph in enumerate(paragraphs):
        block = paragraph.spans[0]
        page = pages[block.page]
        places = places_on(block.page)
        lines = [
            Span(block.page, block.start + start, block.start + end)
            for start, end in lines_in(paragraph.text)
        ]
        homes = [_home(line, places) for line in lines]
        latest = next((home for home, _ in homes if home is not None), None)
        for line, (home, rows) in zip(lines, homes, strict=True):
            latest = latest if home is None else home
            key = (-1, number) if latest is None else (page.number, latest)
            table = None if latest is None else page.tables[latest]
            whole = found.setdefault(key, _TableText(paragraph, page, table))
            whole.lines.append((line, rows))
    return found.values()


_Place = tuple[int, int, bool]
"""Of a code point: its table, its row, and whether its cell covers rows below as well."""


def _places(page: ParsedPage) -> dict[int, _Place]:
    places: dict[int, _Place] = {}
    for index, table in enumerate(page.tables):
        if table.reliable:
            for number, row in enumerate(table.rows):
                for cell in row:
                    at = (index, number, cell.rows > 1)
                    places |= {place: at for span in cell.spans for place in range(*span)}
    return places


def _home(line: Span, places: Mapping[int, _Place]) -> tuple[int | None, set[int]]:
    """The table and the rows of a line. A cell beside several rows counts only if it is alone."""
    found = {places[at] for at in range(line.start, line.end) if at in places}
    if not found:
        return None, set()
    home = min(table for table, _, _ in found)
    rows = {row for table, row, is_tall in found if table == home and not is_tall}
    return home, rows or {row for table, row, _ in found if table == home}


def _groups(
    whole: _TableText, pages: Mapping[int, ParsedPage], texts: Mapping[int, str]
) -> Iterator[tuple[list[_Row], list[Span]]]:
    """Rows of about the target together, each group with its head."""
    table, block = whole.table, whole.first.spans[0]
    caption = caption_of(table, block, pages)
    rows = list(_fitting_rows(_rows(whole, texts), table, texts))

    @cache
    def head_over(index: int) -> list[Span]:
        above = headers_over(index, whole.page, table, pages) if table else first_line(block, texts)
        return fitted_head(caption, above, texts)

    for group in _packed(rows, lambda row: head_over(row.index), texts):
        yield group, head_over(group[0].index)


def _rows(whole: _TableText, texts: Mapping[int, str]) -> list[_Row]:
    """The rows in the order of their first lines; a line outside all cells stands by itself."""
    spans: list[list[Span]] = []
    indices: list[int] = []
    homes: dict[int, int] = {}
    reached = 0
    for line, rows in whole.lines:
        known = sorted({homes[row] for row in rows if row in homes})
        if known:
            at = known[0]
            for other in known[1:]:
                spans[at] += spans[other]
                spans[other] = []
        else:
            at = len(spans)
            spans.append([])
            indices.append(min(rows, default=reached))
        spans[at].append(line)
        homes |= dict.fromkeys(rows, at)
        reached = max([reached, *(row + 1 for row in rows)])
        homes |= {row: at for row, home in homes.items() if home in known}
    order = zip(indices, spans, strict=True)
    return [_Row(index, unit_of(lines, texts)) for index, lines in order if lines]


def _fitting_rows(
    rows: Sequence[_Row], table: Table | None, texts: Mapping[int, str]
) -> Iterator[_Row]:
    """The rows, those that only lead others bound to the next one, too long ones cut."""
    leading: list[_Row] = []
    for row in rows:
        bound = [*leading, row]
        if size_of([each.unit for each in bound]) > MOST_ROW_TOKENS:
            yield from leading
            bound = [row]
        leading = []
        if (
            table
            and any(map(_leads, table.rows[row.index : row.index + 1]))
            and row.unit.tokens <= MOST_ROW_TOKENS
        ):
            leading = bound
        elif row.unit.tokens > MOST_ROW_TOKENS:
            yield from _cut(row, texts)
        else:
            spans = [span for each in bound for span in each.unit.spans]
            yield _Row(bound[0].index, unit_of(spans, texts))
    yield from leading


def _leads(row: Sequence[Cell]) -> bool:
    """Whether a row only names what follows: headers, or a label without values."""
    return all(cell.is_header for cell in row) or len(row) == 1


def _cut(row: _Row, texts: Mapping[int, str]) -> Iterator[_Row]:
    for span in row.unit.spans:
        words = words_of(span, texts)
        most = MOST_ROW_TOKENS
        for start, end in within_limit(words, 0, len(words), most=most, target=most):
            piece = Span(span.page, span.start + start, span.start + end)
            yield _Row(row.index, unit_of((piece,), texts))


def _packed(
    rows: Sequence[_Row], head_of: Callable[[_Row], list[Span]], texts: Mapping[int, str]
) -> Iterator[list[_Row]]:
    """Consecutive rows in groups of about equal size that have room for their heads."""
    total = size_of([row.unit for row in rows])
    head = unit_of(head_of(rows[-1]), texts).tokens
    first = unit_of(head_of(rows[0]), texts).tokens
    parts = 1 if total + first <= MOST_TOKENS else math.ceil(total / (TARGET_TOKENS - head))
    group: list[_Row] = []
    part, done, size, room = 0, 0, 0, MOST_TOKENS - first
    for row in rows:
        due = int((done + row.unit.tokens / 2) * parts / max(total, 1))
        if group and (due > part or size + row.unit.tokens > room):
            yield group
            group, size, part = [], 0, due
            room = MOST_TOKENS - unit_of(head_of(row), texts).tokens
        group.append(row)
        size += row.unit.tokens
        done += row.unit.tokens
    yield group


def _without(head: Iterable[Span], body: Sequence[Span]) -> Iterator[Span]:
    """What of the spans of a head neither the body has nor a span of the head before."""
    taken = list(body)
    for span in head:
        pieces = [span]
        for other in taken:
            pieces = [left for piece in pieces for left in _outside(piece, other)]
        taken += pieces
        yield from pieces


def _outside(span: Span, other: Span) -> Iterator[Span]:
    if span.page != other.page or other.end <= span.start or span.end <= other.start:
        yield span
        return
    if span.start < other.start:
        yield Span(span.page, span.start, other.start)
    if other.end < span.end:
        yield Span(span.page, other.end, span.end)
