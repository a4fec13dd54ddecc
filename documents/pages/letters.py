"""Raw letters made sound: odd code points gone, ligatures spread out, doubles removed. Pure."""

import unicodedata
from dataclasses import replace
from functools import lru_cache

import numpy as np

from documents.pages.doubled_text import SAME_PLACE, overprinted, under_visible_text
from documents.pages.raw_text import SPACE, Flags, Floats, Integers, RawText

SOFT_HYPHEN = 0xAD
UNKNOWN = 0xFFFD
SPACES = np.array(
    [
        0x09,
        0x0A,
        0x0B,
        0x0C,
        0x0D,
        0x85,
        0xA0,
        *range(0x2000, 0x200B),
        0x2028,
        0x2029,
        0x202F,
        0x205F,
    ],
    np.int32,
)
INVISIBLE = np.array(
    [0x200B, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A), 0xFEFF], np.int32
)


def cleaned(raw: RawText) -> RawText:
    """`raw` without control characters, lone surrogates and what is written twice at one place."""
    codes = raw.codes.copy()
    codes[np.isin(codes, SPACES)] = SPACE
    kept = _join_surrogates(codes)
    codes[_unspoken_signs(codes, raw)] = UNKNOWN
    kept &= ~_senseless(codes)
    raw = replace(raw, codes=codes).keep(kept)
    raw = replace(raw, boxes=_spread_ligatures(raw))
    raw = raw.keep(~under_visible_text(raw))
    return raw.keep(~overprinted(raw))


def quarter_turns(raw: RawText) -> Integers:
    """Per line 0, 1, 2, 3 for text that runs right, down, left, up; -1 for any other angle."""
    x, y = raw.direction[:, 0], raw.direction[:, 1]
    turns = np.full(len(x), -1, np.int32)
    for turn, (along, across) in enumerate(((x, y), (y, x), (-x, y), (-y, x))):
        turns[(along > 0.99) & (np.abs(across) < 0.12)] = turn
    return turns


def seen_upright(boxes: Floats, turns: Integers) -> Floats:
    """Boxes in a frame where the text of each letter runs to the right and lines go down."""
    x0, y0, x1, y1 = boxes.T
    upright = boxes.copy()
    for turn, corners in (
        (1, (y0, -x1, y1, -x0)),
        (2, (-x1, -y1, -x0, -y0)),
        (3, (-y1, x0, -y0, x1)),
    ):
        chosen = turns == turn
        upright[chosen] = np.column_stack(corners)[chosen]
    return upright


def seen_as_displayed(upright: Floats, turns: Integers) -> Floats:
    """The inverse of `seen_upright`."""
    u0, v0, u1, v1 = upright.T
    boxes = upright.copy()
    for turn, corners in (
        (1, (-v1, u0, -v0, u1)),
        (2, (-u1, -v1, -u0, -v0)),
        (3, (v0, -u1, v1, -u0)),
    ):
        chosen = turns == turn
        boxes[chosen] = np.column_stack(corners)[chosen]
    return boxes


def _join_surrogates(codes: Integers) -> Flags:
    """Write each pair of surrogates as one code point, in place; says which characters stay."""
    high = (codes >= 0xD800) & (codes < 0xDC00)
    low = (codes >= 0xDC00) & (codes < 0xE000)
    first = np.flatnonzero(high[:-1] & low[1:]) if len(codes) else np.zeros(0, np.int64)
    codes[first] = 0x10000 + ((codes[first] - 0xD800) << 10) + (codes[first + 1] - 0xDC00)
    kept = ~(high | low)
    kept[first] = True
    return kept


def _senseless(codes: Integers) -> Flags:
    """Control characters, surrogates, non-characters and invisible direction marks."""
    senseless: Flags = (
        (codes < SPACE)
        | ((codes >= 0x7F) & (codes < 0xA0))
        | ((codes >= 0xD800) & (codes < 0xE000))
        | ((codes & 0xFFFE) == 0xFFFE)
        | ((codes >= 0x200E) & (codes <= 0x200F))
        | ((codes >= 0x202A) & (codes <= 0x202E))
        | ((codes >= 0x2066) & (codes <= 0x2069))
        | (codes == 0x200B)
        | (codes == 0xFEFF)
        | ((codes >= 0xFDD0) & (codes < 0xFDF0))
        | (codes > 0x10FFFF)
    )
    return senseless


def _unspoken_signs(codes: Integers, raw: RawText) -> Flags:
    """Glyphs with ink beside a digit whose code claims that there is nothing to see.

    A font may give its minus the code of a zero-width space; dropped, −0.3 would read 0.3.
    """
    invisible = np.isin(codes, INVISIBLE)
    if not invisible.any():
        return invisible
    x0, y0, x1, y1 = raw.boxes.T
    inked = np.minimum(x1 - x0, y1 - y0) > SAME_PLACE * raw.size
    digits = np.concatenate(([False], (codes >= 0x30) & (codes <= 0x39), [False]))
    unspoken: Flags = invisible & inked & (digits[:-2] | digits[2:])
    return unspoken


def _spread_ligatures(raw: RawText) -> Floats:
    """Boxes in which letters that share one glyph have a part of it each.

    The library gives the whole glyph to the first letter and no width to the others.
    """
    turns = quarter_turns(raw)[raw.line]
    upright = seen_upright(raw.boxes, turns)
    thin = (upright[:, 2] - upright[:, 0] <= 1e-4 * raw.size) & (raw.codes != SPACE)
    thin &= turns >= 0
    thin[thin] &= np.fromiter((not _is_mark(code) for code in raw.codes[thin].tolist()), bool)
    followers = np.flatnonzero(thin)
    followers = followers[followers > 0]
    if not len(followers):
        return raw.boxes
    leaders = followers - 1
    while (again := thin[leaders] & (leaders > 0)).any():
        leaders[again] -= 1
    ours = (raw.line[leaders] == raw.line[followers]) & (raw.codes[leaders] != SPACE)
    touching = np.abs(upright[followers, 0] - upright[leaders, 2]) < 0.5 * raw.size[followers]
    _share(upright, leaders[ours & touching], followers[ours & touching])
    return seen_as_displayed(upright, turns)


def _share(upright: Floats, leaders: Integers, followers: Integers) -> None:
    if not len(leaders):
        return
    bases, counts = np.unique(leaders, return_counts=True)
    parts = dict(zip(bases.tolist(), (counts + 1).tolist(), strict=True))
    whole = upright[:, [0, 2]].copy()
    for leader, follower in zip(leaders.tolist(), followers.tolist(), strict=True):
        step = (whole[leader, 1] - whole[leader, 0]) / parts[leader]
        place = follower - leader
        upright[follower] = upright[leader]
        upright[follower, 0] = whole[leader, 0] + step * place
        upright[follower, 2] = whole[leader, 0] + step * (place + 1)
    for leader in bases.tolist():
        upright[leader, 2] = (
            whole[leader, 0] + (whole[leader, 1] - whole[leader, 0]) / parts[leader]
        )


@lru_cache(maxsize=4096)
def _is_mark(code: int) -> bool:
    return unicodedata.category(chr(code)) == "Mn"
