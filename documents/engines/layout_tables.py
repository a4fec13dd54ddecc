"""Tables by a layout model: its boxes and columns, our words. Pure.

The model says where a table stands and where its columns part. What the cells say is page text, and
whether rows, headers and columns are sure is judged as for every other table.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from documents.pages.page_text import BlockKind, PageState, ParsedPage, Rect, Table
from documents.tables.drawn_rules import Box, Rule, Rules
from documents.tables.reading import finished
from documents.tables.table_draft import Draft, Region
from documents.tables.table_frame import Frame
from documents.tables.table_open import open_table
from documents.tables.table_regions import is_table_caption
from documents.tables.table_sheet import Sheet
from documents.tables.table_words import words_of

METHOD = "layout"
LOOSE = 3.0
"""The model's boxes are tight: words reach over them by so many points."""
SAME_TABLE = 0.3
"""Share of intersection to union from which on two regions are the same table."""
FEWEST_COLUMNS = 2
CUT = 2.0
"""An edge so many points inside a word cuts it."""
ABOUT_ROWS = frozenset(
    {"values stand above each other in one cell", "a line may go on with the row above"}
)
"""Doubts about rows, which a model that parts them in the same way removes."""


@dataclass(frozen=True, slots=True)
class SeenTable:
    """A table as the model sees it, in points: its box and the edges of columns and rows."""

    box: Box
    xs: tuple[float, ...]
    ys: tuple[float, ...]


def wants_layout(page: ParsedPage) -> bool:
    """Whether the cheap ways left something open: a table that is not sure, or a mere caption."""
    if page.state is not PageState.OK or page.rotation:
        return False
    if any(not table.reliable for table in page.tables):
        return True
    captions = {table.caption for table in page.tables if table.caption}
    return len(captions) < len(_captions(page))


def with_layout(page: ParsedPage, seen: Sequence[SeenTable], rules: Rules) -> ParsedPage:
    """The page with each unsure table read by the model's columns, where that makes it sure.

    Tables that were sure stay as they are, and nothing is added that is not sure.
    """
    sheet = _sheet(page, rules)
    tables = list(page.tables)
    for each in seen:
        table = _table(sheet, each)
        if table is None or not table.reliable:
            continue
        same = [old for old in tables if _alike(old.rect, table.rect) or _share_text(old, table)]
        if not any(old.reliable for old in same):
            tables = [old for old in tables if old not in same]
            tables.append(_with_notes_of(table, same))
    return replace(page, tables=tuple(sorted(tables, key=lambda table: (table.start, table.end))))


def _table(sheet: Sheet, seen: SeenTable) -> Table | None:
    x0, y0, x1, y1 = seen.box
    box = (x0 - LOOSE, y0 - LOOSE, x1 + LOOSE, y1 + LOOSE)
    words = sheet.inside(box)
    if not words or len(seen.xs) <= FEWEST_COLUMNS:
        return None
    edges = tuple(Rule(edge, box[1], box[3]) for edge in seen.xs[1:-1])
    level = tuple(rule for rule in sheet.rules.level if box[1] <= rule.at <= box[3])
    is_ruled = sum(rule.length >= 0.9 * (x1 - x0) for rule in level) >= 2
    region = Region(box, words, level, edges, is_ruled, _title(sheet, box))
    draft = open_table(region)
    if draft is None or region.title is None or _crossed(region):
        return None
    doubts = draft.doubts
    if set(doubts) <= ABOUT_ROWS and _same_rows(draft, seen.ys):
        doubts = ()
    return finished(sheet, region, replace(draft, doubts=doubts, method=METHOD))


def _same_rows(draft: Draft, ys: Sequence[float]) -> bool:
    """Whether the model parts the rows as we do, and nowhere through a word."""
    rows: dict[int, set[int]] = {}
    for cell in draft.cells:
        for word in cell.words:
            if any(word.y0 + CUT < edge < word.y1 - CUT for edge in ys):
                return False
            if not cell.is_header:
                rows.setdefault(cell.row, set()).add(sum(edge <= word.level for edge in ys))
    bands = [band for band in rows.values() if len(band) == 1]
    return len(bands) == len(rows) == len(set.union(set(), *bands))


def _crossed(region: Region) -> bool:
    """Whether a word of a row with several cells stands on an edge: then the model is wrong."""
    return any(
        word.x0 + 1 < edge.at < word.x1 - 1 and word.text.strip("-–—.")[:1].isdigit()
        for word in region.words
        for edge in region.upright
    )


def _title(sheet: Sheet, box: Box) -> tuple[int, int] | None:
    """The caption next above the table, else next below it."""
    near: list[tuple[float, tuple[int, int]]] = []
    for caption in sheet.captions:
        place = sheet.box_of(caption)
        if place is None or min(place[2], box[2]) <= max(place[0], box[0]):
            continue
        above, below = box[1] - place[3], place[1] - box[3]
        distance = above if above > -MOST_OVERLAP else below + LESS_USUAL
        if -MOST_OVERLAP < distance < FARTHEST:
            near.append((distance, caption))
    return min(near)[1] if near else None


MOST_OVERLAP = 20.0
FARTHEST = 60.0
LESS_USUAL = 10.0
"""A caption may reach into the model's box, or stand so many points away; below, it is rarer."""


def _sheet(page: ParsedPage, rules: Rules) -> Sheet:
    chosen = np.ones(len(page.text), bool)
    for block in page.blocks:
        if block.kind is BlockKind.MARGIN:
            chosen[block.start : block.end] = False
    points = page.boxes.astype(np.float64) * (page.width, page.height, page.width, page.height)
    words = tuple(words_of(page.text, points, chosen))
    return Sheet(page.text, words, rules, _captions(page), Frame(0, page.width, page.height))


def _captions(page: ParsedPage) -> tuple[tuple[int, int], ...]:
    return tuple(
        (block.start, block.end)
        for block in page.blocks
        if block.kind is BlockKind.CAPTION and is_table_caption(page.text, block)
    )


def _with_notes_of(table: Table, old: Sequence[Table]) -> Table:
    """Caption and notes as the text tier bound them, where it did."""
    caption = next((each.caption for each in old if each.caption), table.caption)
    notes = table.notes or next((each.notes for each in old if each.notes), ())
    return replace(table, caption=caption, notes=notes)


def _share_text(one: Table, other: Table) -> bool:
    return min(one.end, other.end) > max(one.start, other.start)


def _alike(one: Rect, other: Rect) -> bool:
    width = min(one[2], other[2]) - max(one[0], other[0])
    height = min(one[3], other[3]) - max(one[1], other[1])
    if width <= 0 or height <= 0:
        return False
    both = width * height
    union = sum((r[2] - r[0]) * (r[3] - r[1]) for r in (one, other)) - both
    return both > SAME_TABLE * union
