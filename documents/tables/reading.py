"""The tables of a page: where they are, their rows and columns, and whether those are sure. Pure.

Three ways, chosen region by region: rules around every cell (`grid`); columns by free strips, with
what rules there are (`columns`); a layout model, elsewhere, with the same result (`Table`).
"""

import re
from dataclasses import replace

import numpy as np

from documents.pages.page_reading import ReadPage
from documents.pages.page_text import BlockKind, PageState, Table
from documents.tables.drawn_rules import Rules
from documents.tables.table_draft import Draft, Region, finished_rows
from documents.tables.table_frame import Frame, Points
from documents.tables.table_grid import grid_table
from documents.tables.table_legibility import is_gibberish
from documents.tables.table_notes import notes_of
from documents.tables.table_open import open_table
from documents.tables.table_regions import find_regions, is_table_caption
from documents.tables.table_row_paths import find_row_paths
from documents.tables.table_sheet import Sheet
from documents.tables.table_subheaders import with_subheaders
from documents.tables.table_words import rows_of, usual_height, words_of

MOST_LETTERS = 40_000
HEAD = 0.25
"""A table that begins further up may go on with one of the page before."""
ABOUT_HEADERS = frozenset(
    ("no header found", "headers are numbers", "a column has no header", "no rule below headers")
)
"""Doubts that the headers of the page before may settle: such rows are kept until then."""
MOST_LINES = 4
EDGE = 0.1
"""Share of the page's height, above and below, where running heads stand."""


def may_have_tables(page: ReadPage) -> bool:
    """Whether it is worth asking for the lines that the page draws."""
    if page.state is not PageState.OK:
        return False
    if sum(line.cells >= 2 for line in page.lines) >= 3:
        return True
    return any(
        block.kind is BlockKind.TABLE
        or (block.kind is BlockKind.CAPTION and is_table_caption(page.text, block))
        for block in page.blocks
    )


def tables_on(page: ReadPage, rules: Rules, *, width: float, height: float) -> tuple[Table, ...]:
    """The tables of a page of `width` and `height` points, in the order of their text."""
    if not page.text or len(page.text) > MOST_LETTERS:
        return ()
    points = page.boxes.astype(np.float64) * (width, height, width, height)
    turns = {line.turn for line in page.lines} & {0, 1, 2, 3}
    frames = (Frame(turn, width, height) for turn in sorted(turns))
    tables = [table for frame in frames for table in _tables_of(_sheet(page, points, rules, frame))]
    return tuple(sorted(tables, key=lambda table: (table.start, table.end)))


def _sheet(page: ReadPage, points: Points, rules: Rules, frame: Frame) -> Sheet:
    """What of the page runs in the direction of the frame, without running heads."""
    chosen = np.zeros(len(page.text), bool)
    for line in page.lines:
        chosen[line.start : line.end] |= line.turn == frame.turn
    seen = frame.seen(points)
    middles = (seen[:, 1] + seen[:, 3]) / 2
    edge = EDGE * frame.size[1]
    # Further in, what passes for a line number may be the first column of a table.
    at_edge = (middles < edge) | (middles > frame.size[1] - edge)
    for block in page.blocks:
        if block.kind is BlockKind.MARGIN:
            chosen[block.start : block.end] &= ~at_edge[block.start : block.end]
    captions = tuple(
        (block.start, block.end)
        for block in page.blocks
        if block.kind is BlockKind.CAPTION
        and chosen[block.start]
        and is_table_caption(page.text, block)
    )
    words = tuple(words_of(page.text, seen, chosen))
    return Sheet(page.text, words, frame.seen_rules(rules), captions, frame)


def _tables_of(sheet: Sheet) -> list[Table]:
    tables: list[Table] = []
    for region in find_regions(sheet):
        draft = (grid_table(region) if region.upright else None) or open_table(region)
        if draft is None or not _is_table(region, draft, sheet.height):
            continue
        tables.append(finished(sheet, region, draft))
    return tables


def _with_paths(region: Region, draft: Draft) -> Draft:
    found = find_row_paths(draft, usual_height(region.words))
    # In a grid an empty cell is drawn, so a label without values is no riddle.
    doubts = () if draft.method == "grid" else tuple(found.doubts)
    return replace(draft, row_paths=found.paths, doubts=draft.doubts + doubts)


def _is_table(region: Region, draft: Draft, height: float) -> bool:
    """Without a caption only what has clear rows and columns passes for a table."""
    body = {cell.row for cell in draft.cells if not cell.is_header}
    if region.title is not None:
        return len(body) >= 1
    if re.match(r"(?:algorithm|算法|listing)\b", _first_words(region), re.IGNORECASE):
        return False
    if region.box[1] < HEAD * height and set(draft.doubts) <= ABOUT_HEADERS:
        return True
    return len(body) >= 2 and not draft.doubts


def _caption(sheet: Sheet, region: Region) -> tuple[int, int] | None:
    """The caption without what of its block stands inside the table."""
    if region.title is None:
        return None
    inside = {word.start for word in region.words}
    start, end = region.title
    ends = [w.end for w in sheet.words if start <= w.start < end and w.start not in inside]
    first = min((place for place in inside if start < place < end), default=end)
    end = max((place for place in ends if place <= first), default=end)
    return start, _with_last_lines(sheet, region, end)


def _with_last_lines(sheet: Sheet, region: Region, end: int) -> int:
    """Where a caption ends whose last lines, between it and the table, are a block of their own."""
    table = min((w.start for w in region.words if w.start >= end), default=end)
    between = [w for w in sheet.words if end <= w.start < table]
    above = all(w.level < region.box[1] and w.x0 < region.box[2] for w in between)
    lines = rows_of(between)
    near = bool(lines) and region.box[1] - lines[0].y0 < MOST_LINES * usual_height(between)
    return max(w.end for w in between) if above and near else end


def _first_words(region: Region) -> str:
    return " ".join(word.text for word in rows_of(region.words)[0].words)


def finished(sheet: Sheet, region: Region, draft: Draft) -> Table:
    """The table of a region as a value: reliable only if nothing speaks against the draft."""
    draft = _with_paths(region, with_subheaders(draft))
    starts = [word.start for word in region.words]
    ends = [word.end for word in region.words]
    reliable = not draft.doubts and not is_gibberish(region.words)
    kept = reliable or (draft.doubts and set(draft.doubts) <= ABOUT_HEADERS)
    rows = finished_rows(sheet.text, draft, sheet.frame)
    return Table(
        start=min(starts),
        end=max(ends),
        rect=sheet.frame.on_page((draft.xs[0], draft.ys[0], draft.xs[-1], draft.ys[-1])),
        rows=rows if kept else (),
        reliable=reliable,
        caption=_caption(sheet, region),
        notes=notes_of(sheet, region, draft.notes),
        method=draft.method,
    )
