"""Reading order: the rows of a page as a person reads them. Pure.

The order in which the file draws its text is nearly always the author's own, so it is trusted
inside *runs*, stretches that go on to the right or to the next line below. The runs are then put in
order by where they stand (Breuel 2003, "High performance document layout analysis": above comes
first where two overlap sideways, left comes first where nothing spans both), drawing order breaking
ties.
"""

import heapq
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from documents.pages.line_numbers import set_line_numbers_apart
from documents.pages.raw_text import RawText
from documents.pages.segments import Row, Run, Segment, find_segments
from documents.pages.text_flow import with_flow_kept

WORD_GAP = 1.0
LINE_GAP = 1.8
"""Gaps up to which a run goes on, in font sizes."""
SHORT_CELL = 0.2
"""Text narrower than this share of the page may be a table cell beside a wide gap."""
MARGIN_ZONE = 0.085
"""Share of the page height, at the top and at the foot, where running heads stand."""
MARGIN_ZONE_SET_OFF = 0.12
SET_OFF = 0.8
"""Further in, they must be set off from the text by this gap in font sizes."""
MAX_SORTED_RUNS = 500
COLUMN_ROWS = 3
COLUMN_LETTERS = 150
"""From this much text on a run is taken for part of a column, not for a cell of a table."""

Strips = list[tuple[float, float]]
"""Vertical strips `(left, right)` in points."""


def in_reading_order(raw: RawText) -> list[Run]:
    """The page's runs in reading order: upright text, text turned other ways, line numbers."""
    segments, numbers = set_line_numbers_apart(raw, find_segments(raw))
    turns = sorted({s.turn for s in segments}, key=lambda turn: -_amount(segments, turn))
    ordered: list[Run] = []
    for turn in turns:
        mine = [segment for segment in segments if segment.turn == turn]
        if turn == -1:
            ordered += [Run.of([Row.of([segment])]) for segment in mine]
            continue
        lying = turn in (1, 3)
        across, down = (raw.height, raw.width) if lying else (raw.width, raw.height)
        gutters = _gutters(mine, across)
        top = 0.0 if turn in (0, 3) else -down
        drawn = _runs(mine, across, gutters)
        placed = _ordered(drawn, gutters, top, down)
        ordered += _rejoined(with_flow_kept(raw.codes, drawn, placed))
    if numbers:
        ordered.append(Run.of([Row.of([number]) for number in numbers], margin=True))
    return ordered


def _amount(segments: list[Segment], turn: int) -> int:
    return sum(segment.letters for segment in segments if segment.turn == turn)


def _runs(segments: list[Segment], page_width: float, gutters: Strips) -> list[Run]:
    """Stretches of segments that go on to the right or to the next line, in drawing order."""
    runs: list[Run] = []
    rows: list[Row] = []
    row: list[Segment] = []
    for segment in segments:
        if row and _beside(row[-1], segment, page_width, gutters):
            row.append(segment)
            continue
        if row:
            rows.append(Row.of(row))
        if rows and not _below(rows, segment):
            runs.append(Run.of(rows))
            rows = []
        row = [segment]
    if row:
        runs.append(Run.of([*rows, Row.of(row)]))
    return runs


def _same_height(left: Segment, right: Segment) -> bool:
    overlap = min(left.v1, right.v1) - max(left.v0, right.v0)
    return overlap >= 0.5 * min(left.v1 - left.v0, right.v1 - right.v0)


def _beside(left: Segment, right: Segment, page_width: float, gutters: Strips) -> bool:
    """Whether `right` goes on in the row of `left`."""
    gap = right.u0 - left.u1
    size = max(left.size, right.size)
    if not _same_height(left, right):
        return False
    # Full-width signs may reach under the next letter, but each one starts and ends further on.
    if gap < -1.1 * size or right.u0 < left.u0 + 0.2 * size or right.u1 <= left.u1:
        return False
    if any(left.u1 <= g1 and right.u0 >= g0 for g0, g1 in gutters):
        return False
    narrow = SHORT_CELL * page_width
    return gap <= WORD_GAP * size or left.width < narrow or right.width < narrow


def _below(rows: list[Row], segment: Segment | Row) -> bool:
    """Whether `segment` is the next line under `rows`."""
    last = rows[-1]
    gap = segment.v0 - last.v1
    size = max(last.size, segment.size)
    if segment.v0 <= last.v0 or gap > LINE_GAP * size:
        return False
    left = min(row.u0 for row in rows[-3:])
    right = max(row.u1 for row in rows[-3:])
    return min(right, segment.u1) - max(left, segment.u0) > 0


def _gutters(segments: list[Segment], page_width: float) -> Strips:
    """Empty strips between columns whose lines the file draws straight across."""
    strips: list[tuple[float, float]] = []
    rows = 0
    for left, right in pairwise(segments):
        if not _same_height(left, right) or right.u0 - left.u1 < 0.6 * right.size:
            continue
        rows += 1
        if min(left.width, right.width) >= SHORT_CELL * page_width:
            strips.append((left.u1, right.u0))
    if len(strips) < 2 or len(strips) < 0.5 * rows:
        return []
    # The right edge of a strip is where the right column starts: lines share it.
    edge = float(np.median([g1 for _, g1 in strips]))
    agreeing = [strip for strip in strips if strip[0] < edge and abs(strip[1] - edge) < 12]
    if len(agreeing) < max(2, 0.6 * len(strips)):
        return []
    return [(max(g0 for g0, _ in agreeing), edge)]


def _ordered(runs: list[Run], gutters: Strips, top: float, height: float) -> list[Run]:
    """Running heads, the page's own text, running feet."""
    heads, feet = _running_heads(runs, top, height), _running_feet(runs, top, height)
    outside = {id(run) for run in (*heads, *feet)}
    body = _sorted([run for run in runs if id(run) not in outside], gutters)
    return [*_sorted(heads, []), *body, *_sorted(feet, [])]


def _running_heads(runs: list[Run], top: float, height: float) -> list[Run]:
    """What stands in the upper margin, set off from the text below it where it reaches far down."""
    for zone in (MARGIN_ZONE_SET_OFF, MARGIN_ZONE):
        heads = [run for run in runs if len(run.rows) <= 2 and run.v1 < top + zone * height]
        rest = [run.v0 for run in runs if run.v1 >= top + zone * height or len(run.rows) > 2]
        if not heads or not rest or zone == MARGIN_ZONE:
            return heads
        lowest = max(heads, key=lambda run: run.v1)
        if min(rest) - lowest.v1 >= SET_OFF * lowest.size:
            return heads
    return []


def _running_feet(runs: list[Run], top: float, height: float) -> list[Run]:
    """What stands in the lower margin, as `_running_heads` upside down."""
    for zone in (MARGIN_ZONE_SET_OFF, MARGIN_ZONE):
        line = top + (1 - zone) * height
        feet = [run for run in runs if len(run.rows) <= 2 and run.v0 > line]
        rest = [run.v1 for run in runs if run.v0 <= line or len(run.rows) > 2]
        if not feet or not rest or zone == MARGIN_ZONE:
            return feet
        highest = min(feet, key=lambda run: run.v0)
        if highest.v0 - max(rest) >= SET_OFF * highest.size:
            return feet
    return []


def _rejoined(runs: list[Run]) -> list[Run]:
    """Runs that turn out to go on in the next one, joined."""
    joined: list[list[Row]] = []
    for run in runs:
        first = run.rows[0]
        if joined and _below(joined[-1], first):
            joined[-1].extend(run.rows)
        else:
            joined.append(list(run.rows))
    return [Run.of(rows) for rows in joined]


def _sorted(runs: list[Run], gutters: Strips) -> list[Run]:
    """Topological order of `runs`, which come in drawing order."""
    n = len(runs)
    if n < 2 or n > MAX_SORTED_RUNS:
        return runs
    before = _precedence(runs, gutters)
    waiting = before.sum(axis=0)
    ready = [index for index in range(n) if waiting[index] == 0]
    left = set(range(n))
    order: list[int] = []
    while left:
        # Where the rules contradict each other, drawing order decides.
        index = heapq.heappop(ready) if ready else min(left)
        if index not in left:
            continue
        left.remove(index)
        order.append(index)
        for follower in np.flatnonzero(before[index]).tolist():
            waiting[follower] -= 1
            if waiting[follower] == 0 and follower in left:
                heapq.heappush(ready, follower)
    return [runs[index] for index in order]


def _precedence(runs: list[Run], gutters: Strips) -> NDArray[np.bool_]:
    """`[a, b]`: run a must be read before run b."""
    u0, v0, u1, v1 = np.array([(run.u0, run.v0, run.u1, run.v1) for run in runs]).T
    size = np.array([run.size for run in runs])
    slack = 0.3 * np.minimum(size[:, None], size[None, :])
    sideways = np.minimum(u1[:, None], u1[None, :]) - np.maximum(u0[:, None], u0[None, :]) > slack
    above = v1[:, None] <= v0[None, :] + slack
    left = ~sideways & (u1[:, None] <= u0[None, :] + slack) & _in_columns(runs, gutters)
    between = np.zeros_like(left)
    for c in np.flatnonzero(sideways.sum(axis=0) >= 3).tolist():
        under = above[:, c] & sideways[c]
        over = above[c] & sideways[c]
        between |= (under[:, None] & over[None, :]) | (over[:, None] & under[None, :])
    before: NDArray[np.bool_] = (sideways & above) | (left & ~between)
    np.fill_diagonal(before, val=False)
    return before


def _in_columns(runs: list[Run], gutters: Strips) -> NDArray[np.bool_]:
    """Pairs of runs that are columns side by side rather than cells of one table."""
    large = np.array(
        [
            len(run.rows) >= COLUMN_ROWS or sum(row.letters for row in run.rows) >= COLUMN_LETTERS
            for run in runs
        ]
    )
    pairs: NDArray[np.bool_] = large[:, None] & large[None, :]
    for g0, g1 in gutters:
        ends = np.array([run.u1 <= g1 for run in runs])
        starts = np.array([run.u0 >= g0 for run in runs])
        pairs |= ends[:, None] & starts[None, :]
    return pairs
