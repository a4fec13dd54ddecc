"""Text that goes on in another column, beyond a float or a footnote, is kept together. Pure."""

from itertools import pairwise

from documents.pages.legibility import is_cjk
from documents.pages.raw_text import Integers
from documents.pages.segments import Run

MOST_SKIPPED = 4
"""Runs that may be drawn between the two parts of a sentence: a footnote, a running head."""
_CLOSING = frozenset(map(ord, ".?!:;。！？；：…”\"'’)）]】"))
_HYPHENS = frozenset((0x2D, 0xAD, 0x2010, 0x2011))


def with_flow_kept(codes: Integers, drawn: list[Run], placed: list[Run]) -> list[Run]:
    """`placed` with each run that goes on in a later one followed by that one at once.

    `drawn` are the same runs in the order of the file, which is the author's own. What stood
    between the two parts (floats, footnotes) comes after the text that is drawn after them.
    """
    followers = _followers(codes, drawn)
    if not followers:
        return placed
    drawn_next = {id(run): after for run, after in pairwise(drawn)}
    place = {id(run): index for index, run in enumerate(placed)}
    order: list[Run] = []
    done: set[int] = set()
    for head in placed:
        run: Run | None = head
        while run is not None and id(run) not in done:
            order.append(run)
            done.add(id(run))
            after = followers.get(id(run))
            if after is None and run is not head:
                # Once a continuation was pulled up, what is drawn after it comes along.
                after = drawn_next.get(id(run))
            further_on = after is not None and place[id(after)] > place[id(run)]
            run = after if further_on else None
    return order


def _followers(codes: Integers, drawn: list[Run]) -> dict[int, Run]:
    """By `id` of a run, the run in which its last sentence goes on."""
    found: dict[int, Run] = {}
    for index, run in enumerate(drawn):
        if not _is_open(codes, run):
            continue
        for after in drawn[index + 1 : index + 2 + MOST_SKIPPED]:
            if abs(after.size - run.size) <= 0.05 * run.size:
                if _goes_on(codes, run, after):
                    found[id(run)] = after
                break
    return found


def _is_open(codes: Integers, run: Run) -> bool:
    """Whether the last row breaks off inside a sentence."""
    last = run.rows[-1]
    code = int(codes[last.segments[-1].last])
    if code in _CLOSING or last.letters < 8:
        return False
    full = last.u1 >= run.u1 - 0.12 * (run.u1 - run.u0)
    return code in _HYPHENS or full


def _goes_on(codes: Integers, run: Run, after: Run) -> bool:
    first = int(codes[after.rows[0].segments[0].first])
    if int(codes[run.rows[-1].segments[-1].last]) in _HYPHENS:
        return chr(first).islower()
    if is_cjk(first):
        return len(run.rows) > 1 and after.rows[0].letters >= 8
    return chr(first).islower()
