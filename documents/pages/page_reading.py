"""From raw letters to a page's text, boxes and blocks. Pure; runs in the reader process."""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from documents.pages.blocks import TextLine, find_blocks
from documents.pages.legibility import is_cjk, page_state
from documents.pages.letters import cleaned, quarter_turns, seen_as_displayed, seen_upright
from documents.pages.openings import block_openings
from documents.pages.page_text import Block, Boxes, PageState, Reason, Table
from documents.pages.raw_text import LINE_END, SPACE, Floats, Integers, RawText
from documents.pages.reading_order import in_reading_order
from documents.pages.segments import Row, Segment
from documents.tables.table_json import tables_as_json

NO_SPACE_GAP = 0.15
NO_SPACE_GAP_CJK = 0.6
"""Gaps below which two segments of a row are joined without a space, in font sizes."""
CELL_GAP = 1.2
"""Gap from which on they are cells of a table, in font sizes."""


@dataclass(frozen=True, slots=True)
class ReadPage:
    """What one page says: `boxes` are fractions of the displayed page, one per character."""

    text: str
    boxes: Boxes
    blocks: tuple[Block, ...]
    lines: tuple[TextLine, ...]
    state: PageState
    tables: tuple[Table, ...] = ()
    reason: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "text": self.text,
            "state": str(self.state),
            "reason": str(self.reason),
            "blocks": [[str(b.kind), b.start, b.end, b.level] for b in self.blocks],
            "tables": tables_as_json(self.tables),
        }


def read_page(raw: RawText, *, number: int = 1, usual: float = 0.0) -> ReadPage:
    """Page `number` as text in reading order, a box for each character, and blocks.

    `usual` is the type size, in points, of most of the document's text; 0 if it is not known.
    """
    raw = cleaned(raw)
    rows, openings, margins = _rows(raw)
    indexes, spans = _assembled(raw, rows, openings)
    text, boxes = _written(raw, indexes)
    extent = np.array([raw.width, raw.height] * 2, np.float32)
    fractions = np.clip(boxes / np.where(extent > 0, extent, 1), 0, 1).astype(np.float32)
    lines = tuple(
        _text_line(fractions, row, span, opens_block=opening, margin=margin)
        for row, span, opening, margin in zip(rows, spans, openings, margins, strict=True)
    )
    state = page_state(text, raw)
    if state is PageState.NO_TEXT:
        return ReadPage("", np.zeros((0, 4), np.float32), (), (), state)
    reason = Reason.ANGLE if state is PageState.UNSUPPORTED_ROTATION else ""
    blocks = find_blocks(text, lines, number, usual)
    return ReadPage(text, fractions, blocks, lines, state, reason=reason)


def _rows(raw: RawText) -> tuple[list[Row], list[bool], list[bool]]:
    """All rows in reading order, which of them open a block, which are no text of the page."""
    rows: list[Row] = []
    openings: list[bool] = []
    margins: list[bool] = []
    for run in in_reading_order(raw):
        openings += block_openings(run.rows, raw)
        rows += run.rows
        margins += [run.margin] * len(run.rows)
    return rows, openings, margins


def _assembled(
    raw: RawText, rows: list[Row], openings: list[bool]
) -> tuple[Integers, list[tuple[int, int]]]:
    """Indexes of the letters in reading order (-1 an added space, -2 a line end), and row spans."""
    pieces: list[Integers] = []
    spans: list[tuple[int, int]] = []
    at = 0

    def put(piece: Integers) -> None:
        nonlocal at
        pieces.append(piece)
        at += len(piece)

    line_end, space = np.array([-2], np.int32), np.array([-1], np.int32)
    for row, opens in zip(rows, openings, strict=True):
        if at:
            put(line_end)
            if opens:
                put(line_end)
        start = at
        for position, segment in enumerate(row.segments):
            if position and _parted(raw, row.segments[position - 1], segment):
                put(space)
            put(_without_doubled_spaces(raw, segment.first, segment.last))
        spans.append((start, at))
    return (np.concatenate(pieces) if pieces else np.zeros(0, np.int32)), spans


def _without_doubled_spaces(raw: RawText, first: int, last: int) -> Integers:
    indexes = np.arange(first, last + 1, dtype=np.int32)
    spaces = raw.codes[first : last + 1] == SPACE
    doubled = np.concatenate(([False], spaces[1:] & spaces[:-1]))
    return indexes[~doubled]


def _parted(raw: RawText, left: Segment, right: Segment) -> bool:
    """Whether a space belongs between two segments of a row."""
    first = int(raw.codes[right.first])
    both_cjk = is_cjk(int(raw.codes[left.last])) and is_cjk(first)
    gap = abs(right.u0 - left.u1)
    return gap > (NO_SPACE_GAP_CJK if both_cjk else NO_SPACE_GAP) * float(raw.size[right.first])


def _written(raw: RawText, indexes: Integers) -> tuple[str, Floats]:
    """The text of `indexes`, and a box for each: added characters stand at the end of the last."""
    added = indexes < 0
    source = np.maximum.accumulate(np.where(added, 0, np.arange(len(indexes))))
    before = indexes[source] if len(indexes) else indexes
    codes = np.where(indexes == -1, SPACE, np.where(indexes == -2, LINE_END, raw.codes[before]))
    boxes = raw.boxes[before].copy()
    upright = seen_upright(boxes, turns := quarter_turns(raw)[raw.line[before]])
    upright[added, 0] = upright[added, 2]
    upright[indexes == -2, 1] = upright[indexes == -2, 3]
    text = codes.astype("<u4").tobytes().decode("utf-32-le")
    return text, seen_as_displayed(upright, turns)


def _text_line(
    boxes: Boxes, row: Row, span: tuple[int, int], *, opens_block: bool, margin: bool
) -> TextLine:
    start, end = span
    x0, y0 = boxes[start:end, :2].min(axis=0).tolist()
    x1, y1 = boxes[start:end, 2:].max(axis=0).tolist()
    turn = row.segments[0].turn
    cells = 1 + sum(
        right.u0 - left.u1 > CELL_GAP * row.size for left, right in pairwise(row.segments)
    )
    return TextLine(
        start, end, x0, y0, x1, y1, row.size, row.bold, turn, opens_block, margin, cells, row.italic
    )
