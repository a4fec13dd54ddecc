"""A short excerpt with the confirmed words marked, for the card that a tag opens. Pure data."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from documents.chunks.sentences import split_sentences
from documents.pages.line_ends import flowing

LONGEST = 220
LONGEST_WORD = 40
ELLIPSIS = "…"
_IN_WORD = re.compile(r"[^\s\u3000-\u9fff\uff00-\uffef][^\s\u3000-\u9fff\uff00-\uffef]")
_BEGINS, _ENDS = "\ufdd0", "\ufdd1"
"""Noncharacters, which no page text holds: they keep the marks in place while lines are joined."""
_MARKS = str.maketrans("", "", _BEGINS + _ENDS)
Stretch = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Piece:
    """`marked` was confirmed on the page; `quoted` is only what the answer quoted of it."""

    text: str
    marked: bool = False
    quoted: bool = False


def excerpt(
    passage: str,
    confirmed: Sequence[Stretch] = (),
    *,
    instead: Sequence[str] = (),
    quoted: Stretch | None = None,
    limit: int = LONGEST,
) -> list[Piece]:
    """At most `limit` characters of `passage` around its `confirmed` stretches, which are marked.

    Without a confirmed stretch in the passage, the confirmed texts `instead` are shown and marked.
    With `quoted` it goes around that stretch, which is told apart, but not marked.
    """
    if quoted is not None:
        text, places = _flowing_with_marks(passage.translate(_MARKS), [quoted])
        start, end = _window(text, places[0] if places else (0, 0), limit)
        pieces = _pieces(text, start, end, places)
        return [Piece(piece.text, quoted=piece.marked) for piece in pieces]
    if confirmed or not instead:
        text, places = _flowing_with_marks(passage.translate(_MARKS), confirmed)
    else:
        parts = [part for part in map(flowing, instead) if part]
        text = f" {ELLIPSIS} ".join(parts)
        starts = accumulate((len(part) + len(ELLIPSIS) + 2 for part in parts), initial=0)
        places = [(at, at + len(part)) for at, part in zip(starts, parts, strict=False)]
    start, end = _window(text, places[0] if places else (0, 0), limit)
    return _pieces(text, start, end, places)


def _flowing_with_marks(passage: str, marked: Sequence[Stretch]) -> tuple[str, list[Stretch]]:
    """The passage as one paragraph, and where its marked stretches are in it now."""
    pieces, at = [], 0
    for start, end in sorted(marked):
        if at <= start < end:
            pieces += [passage[at:start], _BEGINS, passage[start:end], _ENDS]
            at = end
    pieces.append(passage[at:])
    text, places = "", []
    for piece in re.split(f"([{_BEGINS}{_ENDS}])", flowing("".join(pieces))):
        if piece == _BEGINS:
            places.append((len(text), len(text)))
        elif piece == _ENDS:
            places[-1] = (places[-1][0], len(text))
        else:
            text += piece
    return text, places


def _window(text: str, wanted: tuple[int, int], limit: int) -> tuple[int, int]:
    """A stretch of at most `limit` characters, ellipses counted, that holds the start of `wanted`.

    It begins with the sentence of `wanted` where that leaves room for `wanted`.
    """
    if len(text) <= limit:
        return 0, len(text)
    room = limit - 2
    start = max((at for at, _ in split_sentences(text) if at <= wanted[0]), default=0)
    if wanted[1] - start > room:
        before = max(0, room - (wanted[1] - wanted[0])) // 3
        start = min(_at_word(text, max(0, wanted[0] - before), later=True), wanted[0])
    return start, _at_word(text, min(len(text), start + room), later=False)


def _at_word(text: str, at: int, *, later: bool) -> int:
    """The nearest border of a word in one direction; `at` if there is none near."""
    if at in (0, len(text)) or not _IN_WORD.match(text, at - 1):
        return at
    near = text[at : at + LONGEST_WORD] if later else text[max(0, at - LONGEST_WORD) : at]
    space = near.find(" ") if later else near.rfind(" ")
    if space < 0:
        return at
    return at + space + 1 if later else at - len(near) + space


def _pieces(text: str, start: int, end: int, places: Sequence[tuple[int, int]]) -> list[Piece]:
    pieces = [Piece(ELLIPSIS)] if start else []
    at = start
    for place_start, place_end in places:
        a, b = max(at, place_start), min(end, place_end)
        if a >= b:
            continue
        pieces += [Piece(text[at:a]), Piece(text[a:b], marked=True)]
        at = b
    pieces.append(Piece(text[at:end]))
    if end < len(text):
        pieces.append(Piece(ELLIPSIS))
    return [piece for piece in pieces if piece.text]
