"""The tables of a page: where they are, their rows and columns, and whether those are sure. Pure.

Three ways, chosen region by region: rules around every cell (`grid`); columns by free strips, with
what rules there are (`columns`); a layout model, elsewhere, with the same result (`Table`).
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from documents.drawn_rules import Rule, Rules
from documents.page_reading import ReadPage
from documents.page_text import BlockKind, PageState, Table
from documents.table_draft import Draft, Region, ToPage, finished_rows
from documents.table_grid import grid_table
from documents.table_notes import notes_of
from documents.table_open import open_table
from documents.table_regions import find_regions, is_table_caption
from documents.table_sheet import Sheet
from documents.table_words import Word, rows_of, words_of

MOST_WORDS = 8000
MOST_SIGNS = 0.5
HEAD = 0.25
"""A table that begins further up may go on with one of the page before."""
ABOUT_HEADERS = frozenset(
    ("no header found", "headers are numbers", "a column has no header", "no rule below headers")
)
"""Doubts that the headers of the page before may settle: such rows are kept until then."""
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
    words = words_of(page.text, page.boxes, width, height)
    if not words or len(words) > MOST_WORDS:
        return ()
    turns = {line.turn for line in page.lines}
    tables: list[Table] = []
    for turn in sorted(turns & {0, 1, 2, 3}):
        size = (height, width) if turn in (1, 3) else (width, height)
        sheet = _sheet(page, words, rules, turn, size)
        tables += _tables_of(sheet, ToPage(turn, width, height))
    return tuple(sorted(tables, key=lambda table: (table.start, table.end)))


def _within(words: Sequence[Word], spans: Sequence[tuple[int, int]]) -> list[Word]:
    found: list[Word] = []
    order = sorted(spans)
    position = 0
    for word in words:
        while position < len(order) and order[position][1] <= word.start:
            position += 1
        if position < len(order) and order[position][0] <= word.start:
            found.append(word)
    return found


def _seen(words: list[Word], turn: int) -> list[Word]:
    """Words in the frame in which text of this turn runs to the right."""
    if turn == 0:
        return words
    seen: list[Word] = []
    for word in words:
        x0, y0, x1, y1 = _turned(word, turn)
        seen.append(replace(word, x0=x0, y0=y0, x1=x1, y1=y1))
    return seen


def _turned(word: Word, turn: int) -> tuple[float, float, float, float]:
    x0, y0, x1, y1 = word.x0, word.y0, word.x1, word.y1
    return {1: (y0, -x1, y1, -x0), 2: (-x1, -y1, -x0, -y0), 3: (-y1, x0, -y0, x1)}[turn]


def _seen_rules(rules: Rules, turn: int) -> Rules:
    if turn == 0:
        return rules
    if turn == 2:
        return Rules(_mirrored(rules.level), _mirrored(rules.upright))
    if turn == 1:
        level = tuple(Rule(-r.at, r.start, r.end) for r in rules.upright)
        upright = tuple(Rule(r.at, -r.end, -r.start) for r in rules.level)
    else:
        level = tuple(Rule(r.at, -r.end, -r.start) for r in rules.upright)
        upright = tuple(Rule(-r.at, r.start, r.end) for r in rules.level)
    return Rules(_in_order(level), _in_order(upright))


def _mirrored(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    return _in_order([Rule(-r.at, -r.end, -r.start) for r in rules])


def _in_order(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    return tuple(sorted(rules, key=lambda rule: (rule.at, rule.start)))


def _sheet(
    page: ReadPage, words: Sequence[Word], rules: Rules, turn: int, size: tuple[float, float]
) -> Sheet:
    """What of the page runs in the direction `turn`, without running heads."""
    spans = [(line.start, line.end) for line in page.lines if line.turn == turn]
    margins = [(b.start, b.end) for b in page.blocks if b.kind is BlockKind.MARGIN]
    edge = EDGE * size[1]
    # Further in, what passes for a line number may be the first column of a table.
    kept = [
        word
        for word in _seen(_within(words, spans), turn)
        if edge < word.level - _top(turn, size) < size[1] - edge
        or not any(start <= word.start < end for start, end in margins)
    ]
    starts = {word.start for word in kept}
    captions = tuple(
        (block.start, block.end)
        for block in page.blocks
        if block.kind is BlockKind.CAPTION
        and block.start in starts
        and is_table_caption(page.text, block)
    )
    return Sheet(page.text, tuple(kept), _seen_rules(rules, turn), captions, *size)


def _top(turn: int, size: tuple[float, float]) -> float:
    """Where the frame of turned text begins: it lies above or left of the page's corner."""
    return 0.0 if turn in (0, 3) else -size[1]


def _tables_of(sheet: Sheet, to_page: ToPage) -> list[Table]:
    tables: list[Table] = []
    for region in find_regions(sheet):
        draft = (grid_table(region) if region.upright else None) or open_table(region)
        if draft is None or not _is_table(region, draft, sheet.height):
            continue
        tables.append(_finished(sheet, region, draft, to_page))
    return tables


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


def _is_gibberish(region: Region) -> bool:
    """Whether so few letters and digits are among the signs that the text is not what is seen."""
    signs = "".join(word.text for word in region.words)
    return sum(sign.isalnum() for sign in signs) < MOST_SIGNS * len(signs)


def _caption(sheet: Sheet, region: Region) -> tuple[int, int] | None:
    """The caption without what of its block stands inside the table."""
    if region.title is None:
        return None
    inside = {word.start for word in region.words}
    start, end = region.title
    ends = [w.end for w in sheet.words if start <= w.start < end and w.start not in inside]
    first = min((place for place in inside if start < place < end), default=end)
    return start, max((place for place in ends if place <= first), default=end)


def _first_words(region: Region) -> str:
    return " ".join(word.text for word in rows_of(region.words)[0].words)


def _finished(sheet: Sheet, region: Region, draft: Draft, to_page: ToPage) -> Table:
    starts = [word.start for word in region.words]
    ends = [word.end for word in region.words]
    reliable = not draft.doubts and not _is_gibberish(region)
    kept = reliable or set(draft.doubts) <= ABOUT_HEADERS
    rows = finished_rows(sheet.text, draft, to_page)
    return Table(
        start=min(starts),
        end=max(ends),
        rect=to_page((draft.xs[0], draft.ys[0], draft.xs[-1], draft.ys[-1])),
        rows=rows if kept else (),
        reliable=reliable,
        caption=_caption(sheet, region),
        notes=notes_of(sheet, region, draft.notes),
        method=draft.method,
    )
