"""A short excerpt with the confirmed words marked, for the card that a tag opens. Pure data."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

LONGEST = 220
ELLIPSIS = "…"
_BROKEN_WORD = re.compile(r"(?<=[^\W\d_])-\n(?=[a-zà-ÿ])")
_SPACES = re.compile(r"\s+")
_HAN_BREAK = re.compile(
    r"(?<=[\u3000-\u9fff\uff00-\uffef])\s*\n\s*(?=[\u3000-\u9fff\uff00-\uffef])"
)


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    marked: bool = False


def flowing(text: str) -> str:
    """Page text as one paragraph: line ends become spaces, words broken at line ends are joined."""
    joined = _HAN_BREAK.sub("", _BROKEN_WORD.sub("", text.replace("\xad", "")))
    return _SPACES.sub(" ", joined).strip()


def excerpt(passage: str, matched: Sequence[str] = (), *, limit: int = LONGEST) -> list[Piece]:
    """At most `limit` characters of `passage` around the `matched` texts, which are marked.

    A matched text that does not stand in the passage is shown by itself.
    """
    text = flowing(passage)
    words = [flowing(part) for part in matched if flowing(part)]
    places = _places(text, words)
    if words and not places:
        text = f" {ELLIPSIS} ".join(words)
        places = _places(text, words)
    start, end = _window(text, places[0] if places else (0, 0), limit)
    return _pieces(text, start, end, places)


def _places(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    found = ((text.find(word), len(word)) for word in words)
    return sorted((at, at + length) for at, length in found if at >= 0)


def _window(text: str, wanted: tuple[int, int], limit: int) -> tuple[int, int]:
    """A stretch of at most `limit` characters, ellipses counted, that begins before `wanted`."""
    if len(text) <= limit:
        return 0, len(text)
    room = limit - 2
    before = max(0, room - (wanted[1] - wanted[0])) // 3
    start = max(0, min(wanted[0] - before, len(text) - room))
    end = min(len(text), start + room)
    return _at_word(text, start, later=True), _at_word(text, end, later=False)


def _at_word(text: str, at: int, *, later: bool) -> int:
    """The nearest word border within twelve characters, in one direction."""
    if at in (0, len(text)):
        return at
    near = text[at : at + 12] if later else text[max(0, at - 12) : at]
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
