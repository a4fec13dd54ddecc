"""Where tables may stand: between level rules, inside grids, below or above captions. Pure."""

import re
from collections.abc import Sequence
from dataclasses import replace

from documents.pages.page_text import Block
from documents.tables.drawn_rules import Box, Rule
from documents.tables.grid_boxes import LOWEST, SAME_END, SHORTEST, grid_boxes
from documents.tables.table_columns import is_number
from documents.tables.table_draft import Region
from documents.tables.table_sheet import Sheet
from documents.tables.table_words import CELL_GAP, TextRow, letters_in, rows_of, usual_height

MOST_RULES = 1500
HEADER_ROWS = 4
PROSE = 42
"""Letters per stretch from which on rows are prose."""
NEAR = 3.0
"""Row heights between a caption and its table."""

_TABLE_CAPTION = re.compile(
    r"^\W{0,2}(?:supplementary |extended data |appendix )?"
    r"(?:table|tab\.|tabelle|tableau|tabla|cuadro|표|表|附表|续表)"
    r"\s*[A-Z]{0,2}[.\-]?\s*(?:[\d一二三四五六七八九十]|[IVX]+\b)",
    re.IGNORECASE,
)

_LEADERS = re.compile(r"(?:[.·]\s?){6}|…{3}")


def is_table_caption(text: str, block: Block) -> bool:
    """Whether a caption is that of a table, and no entry of a list of tables."""
    caption = text[block.start : block.end]
    return _TABLE_CAPTION.match(caption) is not None and not _LEADERS.search(caption)


def find_regions(sheet: Sheet) -> list[Region]:
    """Regions that do not overlap, those with rules first, each with its caption if it has one."""
    regions: list[Region] = []
    if len(sheet.rules.level) + len(sheet.rules.upright) <= MOST_RULES:
        for box in [*grid_boxes(sheet), *_banded(sheet)]:
            if not any(_overlap(box, region.box) for region in regions):
                regions.append(_region(sheet, box, is_ruled=True))
    regions = _with_captions(sheet, [r for r in regions if len(r.words) >= 4])
    used = {region.title for region in regions}
    for caption in sheet.captions:
        if caption not in used:
            beside = _beside_caption(sheet, caption)
            if beside and not any(_overlap(beside, region.box) for region in regions):
                regions.append(replace(_region(sheet, beside, is_ruled=False), title=caption))
    return regions


def _region(sheet: Sheet, box: Box, *, is_ruled: bool) -> Region:
    x0, y0, x1, y1 = box
    level = [r for r in sheet.rules.level if y0 - 2 <= r.at <= y1 + 2]
    upright = [r for r in sheet.rules.upright if x0 - 2 <= r.at <= x1 + 2]
    return Region(
        box,
        sheet.inside(box),
        tuple(r for r in level if r.start >= x0 - 6 and r.end <= x1 + 6),
        tuple(r for r in upright if r.start >= y0 - 6 and r.end <= y1 + 6),
        is_ruled,
    )


def _overlap(one: Box, other: Box) -> bool:
    return (
        min(one[2], other[2]) - max(one[0], other[0]) > 2
        and min(one[3], other[3]) - max(one[1], other[1]) > 2
    )


def _banded(sheet: Sheet) -> list[Box]:
    """Boxes between level rules of one width that stand above each other, text in rows between."""
    open_groups: list[list[Rule]] = []
    done: list[list[Rule]] = []
    for rule in sheet.rules.level:
        if rule.length < SHORTEST:
            continue
        group = next((g for g in open_groups if _same_ends(g[0], rule)), None)
        if group is None:
            open_groups.append([rule])
        elif _is_tabular(sheet, group[-1], rule):
            group.append(rule)
        else:
            open_groups.remove(group)
            done.append(group)
            open_groups.append([rule])
    boxes = [
        (group[0].start, group[0].at, group[0].end, group[-1].at)
        for group in [*done, *open_groups]
        if len(group) >= 2 and group[-1].at - group[0].at > LOWEST
    ]
    return [_extended(sheet, box) for box in boxes]


def _extended(sheet: Sheet, box: Box) -> Box:
    """A box that holds headers alone, with the rows of cells below it: no rule ends the table."""
    x0, y0, x1, y1 = box
    words = sheet.inside(box)
    height = usual_height(words) or 10.0
    inner = [r for r in sheet.rules.level if y0 + 3 < r.at < y1 - 3 and r.length > 0.9 * (x1 - x0)]
    if inner or len(rows_of(words)) > HEADER_ROWS:
        return box
    below = [w for w in sheet.inside((x0, y1, x1, sheet.height)) if w.level > y1]
    taken = _tabular_rows(sheet, rows_of(below), y1, x1 - x0, height)
    if len(taken) < 2 or not all(_is_row(row, height) for row in taken[:2]):
        return box
    return x0, y0, x1, max(row.y1 for row in taken) + 1


def _same_ends(one: Rule, other: Rule) -> bool:
    return abs(one.start - other.start) <= SAME_END and abs(one.end - other.end) <= SAME_END


def _is_tabular(sheet: Sheet, upper: Rule, lower: Rule) -> bool:
    """Whether what stands between two rules may be rows of one table."""
    words = sheet.inside((upper.start, upper.at, upper.end, lower.at))
    if not words:
        return lower.at - upper.at < 30
    starts = {word.start for word in words}
    if any(caption[0] in starts for caption in sheet.captions):
        return False
    height = usual_height(words)
    rows = rows_of(words)
    if rows[0].y0 - upper.at > 6 * height or lower.at - rows[-1].y1 > 6 * height:
        return False
    return not is_prose(rows, height)


def is_prose(rows: Sequence[TextRow], height: float) -> bool:
    """Whether rows are running text, in one column or more."""
    if len(rows) < 4:
        return False
    long = sum(
        all(letters_in(s.text) > PROSE for s in row.stretches(CELL_GAP * height)) for row in rows
    )
    return long >= 0.5 * len(rows)


def _with_captions(sheet: Sheet, regions: list[Region]) -> list[Region]:
    """Each caption goes to the nearest region below or above it, one to one."""
    pairs: list[tuple[float, int, tuple[int, int]]] = []
    for index, region in enumerate(regions):
        for caption in sheet.captions:
            box = sheet.box_of(caption)
            if box is None or min(box[2], region.box[2]) <= max(box[0], region.box[0]):
                continue
            gap = max(region.box[1] - box[3], box[1] - region.box[3])
            height = (box[3] - box[1]) or 10.0
            if -3 * height < gap < 60:
                pairs.append((gap + (4 if box[1] > region.box[1] else 0), index, caption))
    chosen: dict[int, tuple[int, int]] = {}
    for _, index, caption in sorted(pairs):
        if index not in chosen and caption not in chosen.values():
            chosen[index] = caption
    return [replace(region, title=chosen.get(index)) for index, region in enumerate(regions)]


def _beside_caption(sheet: Sheet, caption: tuple[int, int]) -> Box | None:
    """The box of rows of cells that follow a caption, or else come before it."""
    title = sheet.box_of(caption)
    if title is None:
        return None
    left, right = _column_of(sheet, title)
    words = [w for w in sheet.words if left <= w.middle <= right]
    words = [w for w in words if not caption[0] <= w.start < caption[1]]
    below = rows_of([w for w in words if w.level > title[3]])
    above = rows_of([w for w in words if w.level < title[1]])[::-1]
    height = usual_height(words) or 10.0
    for rows, reached in ((below, title[3]), (above, title[1])):
        taken = _tabular_rows(sheet, rows, reached, right - left, height)
        while rows is below and taken and _ends_caption(taken[0], title, height):
            taken = taken[1:]
        if len(taken) >= 3 and sum(_is_row(row, height) for row in taken) >= 2:
            return (
                min(row.x0 for row in taken) - 1,
                min(row.y0 for row in taken) - 0.5,
                max(row.x1 for row in taken) + 1,
                max(row.y1 for row in taken) + 0.5,
            )
    return None


def _ends_caption(row: TextRow, title: Box, height: float) -> bool:
    """Whether a row of one stretch below a caption is its last line rather than a header."""
    return len(row.stretches(CELL_GAP * height)) == 1 and abs(row.x0 - title[0]) <= SAME_END


def _column_of(sheet: Sheet, title: Box) -> tuple[float, float]:
    half = sheet.width / 2
    if title[2] < half * 1.02:
        return 0.0, half
    if title[0] > half * 0.98:
        return half, sheet.width
    return 0.0, sheet.width


def _tabular_rows(
    sheet: Sheet, rows: Sequence[TextRow], reached: float, width: float, height: float
) -> list[TextRow]:
    captions = {caption[0] for caption in sheet.captions}
    taken: list[TextRow] = []
    for row in rows:
        gap = max(row.y0 - reached, reached - row.y1)
        limit = NEAR * height if taken else 2 * NEAR * height
        if gap > limit or any(word.start in captions for word in row.words):
            break
        if not _is_row(row, height) and row.width > 0.6 * width and len(row.text) > PROSE:
            break
        taken.append(row)
        reached = row.y1 if row.y0 >= reached else row.y0
    while taken and not _is_row(taken[-1], height):
        taken.pop()
    return taken


def _is_row(row: TextRow, height: float) -> bool:
    stretches = row.stretches(CELL_GAP * height)
    if len(stretches) < 2:
        return False
    return (
        len(stretches) > 2
        or any(is_number(s.words[0].text) for s in stretches[1:])
        or all(letters_in(s.text) < PROSE for s in stretches)
    )
