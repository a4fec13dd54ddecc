"""What stands at the head of each chunk of a table: its caption and its header lines. Pure."""

import re

from documents.pages.page_text import Block, BlockKind, ParsedPage, Span, Table
from documents.pages.paragraphs import Paragraph

MOST_LINES = 4
"""So many header lines are repeated at most."""

_TABLE_CAPTION = re.compile(
    r"^\W*(?:supplementary |extended data )?(?:tab(?:le|\.)|表|tabelle|tableau|tabla|cuadro)",
    re.IGNORECASE,
)


def table_head(table: Paragraph, page: ParsedPage) -> list[Span]:
    """The caption of a table and its header lines, in this order.

    Headers are known where the table's structure was read; else its first line is taken for one.
    """
    span = table.spans[0]
    known = next((t for t in page.tables if t.start < span.end and span.start < t.end), None)
    caption = known.caption if known else _caption_beside(span, page)
    head = [Span(span.page, *caption)] if caption else []
    return head + _header_lines(table, known)


def _header_lines(table: Paragraph, known: Table | None) -> list[Span]:
    span = table.spans[0]
    headers = [cell for row in known.rows for cell in row if cell.is_header] if known else []
    ends = [end for cell in headers for _, end in cell.spans]
    reached = max(ends, default=span.start + 1)
    lines = [
        Span(span.page, span.start + line.start(), span.start + line.end())
        for line in re.finditer(r"[^\n]+", table.text)
    ]
    return [line for line in lines if line.start < reached][:MOST_LINES]


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
