"""What stands at the head of each chunk of a table: its caption and its header rows. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from documents.chunks.units import fitting, lines_in, merged_spans, unit_of, words_of
from documents.pages.page_text import Block, BlockKind, Cell, ParsedPage, Span, Table

MOST_HEAD_TOKENS = 110
LEAST_CAPTION_TOKENS = 24
"""So many tokens of a longer caption are kept at least."""

_TABLE_CAPTION = re.compile(
    r"^\W*(?:supplementary |extended data )?(?:tab(?:le|\.)|表|tabelle|tableau|tabla|cuadro)",
    re.IGNORECASE,
)


def caption_of(
    table: Table | None, block: Span, pages: Mapping[int, ParsedPage]
) -> tuple[Span, ...]:
    """The caption of a table; where its structure is not known, the one beside its text `block`."""
    page = pages[block.page]
    if table is None:
        beside = _caption_beside(block, page)
        return (Span(page.number, *beside),) if beside else ()
    parts = _with_parts_before(page, table, pages)
    return next(((Span(n, *each.caption),) for n, each in parts if each.caption), ())


def headers_over(
    row: int, page: ParsedPage, table: Table, pages: Mapping[int, ParsedPage]
) -> list[Span]:
    """The header rows that name the columns of a row, and the groups that it stands in, as printed.

    The headers of a table that goes on may stand on a page before. A row behind the last one may be
    asked for: that is text below the cells.
    """
    if any(map(_is_header, table.rows[row : row + 1])):
        return []
    above: list[Span] = []
    for number, part in _with_parts_before(page, table, pages):
        end = row if part is table else len(part.rows)
        if band := _band_above(part.rows, end):
            text = {number: pages[number].text}
            above = [s for cells in band for s in merged_spans(_spans(number, cells), text)]
            break
    above += _groups_of(row, page.number, table)
    return sorted(above, key=lambda span: (span.page, span.start))


def fitted_head(
    caption: Sequence[Span], headers: Sequence[Span], texts: Mapping[int, str]
) -> list[Span]:
    """Both within `MOST_HEAD_TOKENS`, in order: what is too long is cut behind a word.

    The caption gives way first, down to its first words; then the headers from the first row on.
    """
    least = min(unit_of(caption, texts).tokens, LEAST_CAPTION_TOKENS)
    kept, left = _fitted(reversed(headers), MOST_HEAD_TOKENS - least, texts)
    first, _ = _fitted(caption, left + least, texts)
    return [*first, *reversed(kept)]


def _fitted(spans: Iterable[Span], room: int, texts: Mapping[int, str]) -> tuple[list[Span], int]:
    kept: list[Span] = []
    for span in spans:
        cut = Span(span.page, span.start, fitting(texts[span.page], span.start, span.end, room))
        tokens = unit_of((cut,), texts).tokens
        if tokens <= room and words_of(cut, texts).strip():
            kept.append(cut)
            room -= tokens
    return kept, room


def first_line(block: Span, texts: Mapping[int, str]) -> list[Span]:
    """What stands for headers where the structure of a table is not known."""
    return [
        Span(block.page, block.start + start, block.start + end)
        for start, end in lines_in(words_of(block, texts))
    ][:1]


def _with_parts_before(
    page: ParsedPage, table: Table, pages: Mapping[int, ParsedPage]
) -> Iterator[tuple[int, Table]]:
    """A table and the parts of it on the pages before, from the last to the first."""
    number = page.number
    yield number, table
    while table.continues and (before := pages.get(number - 1)) and before.tables:
        number, table = before.number, max(before.tables, key=lambda each: each.rect[3])
        yield number, table


def _is_header(row: Sequence[Cell]) -> bool:
    return bool(row) and all(cell.is_header for cell in row)


def _band_above(rows: Sequence[Sequence[Cell]], end: int) -> Sequence[Sequence[Cell]]:
    """The nearest header rows above row `end` that follow one another."""
    while end and not _is_header(rows[end - 1]):
        end -= 1
    start = end
    while start and _is_header(rows[start - 1]):
        start -= 1
    return rows[start:end]


def _groups_of(row: int, page: int, table: Table) -> Iterator[Span]:
    """Where the panels and labels are printed that a row stands under, outermost first."""
    paths = [cell.row_path for cells in table.rows[row : row + 1] for cell in cells]
    names = max(paths, key=len, default=())[:-1]
    for name in names:
        for cells in reversed(table.rows[: row + 1]):
            named = [cell for cell in cells if cell.text == name and not cell.is_header]
            if named:
                yield from _spans(page, named[:1])
                break


def _spans(page: int, cells: Sequence[Cell]) -> list[Span]:
    spans = sorted(span for cell in cells for span in cell.spans)
    return [Span(page, start, end) for start, end in spans]


def _caption_beside(span: Span, page: ParsedPage) -> tuple[int, int] | None:
    """The caption right before or right behind a table whose own structure is not known."""
    blocks = [block for block in page.blocks if block.kind is not BlockKind.MARGIN]
    places = [k for k, b in enumerate(blocks) if b.start < span.end and span.start < b.end]
    if not places:
        return None
    beside = [blocks[k] for k in (places[0] - 1, places[-1] + 1) if 0 <= k < len(blocks)]
    captions = [block for block in beside if _is_table_caption(page.text, block)]
    return (captions[0].start, captions[0].end) if captions else None


def _is_table_caption(text: str, block: Block) -> bool:
    words = text[block.start : block.end]
    return block.kind is BlockKind.CAPTION and bool(_TABLE_CAPTION.match(words))
