"""The part of a text that shows most of the words looked for, with these marked. Pure."""

from collections.abc import Sequence

from citations.excerpts import ELLIPSIS, Piece, excerpt
from documents.chunks.sentences import split_sentences
from retrieval.word_marks import Stretch, best_window, marked_words

LONGEST = 320
"""Letters; half as many Han characters."""


def marked_excerpt(text: str, wanted: frozenset[str]) -> list[Piece]:
    """At most as much of `text` as shows well; `wanted` are tokens (`retrieval.word_marks`)."""
    marks = marked_words(text, wanted)
    starts = [start for start, _ in split_sentences(text)]
    length = _length(text)
    first = best_window(text, marks, starts, length=length)
    inside = [
        (start - first, end - first) for start, end in _side_by_side(marks, text) if start >= first
    ]
    pieces = excerpt(text[first:], inside, limit=length)
    is_cut = first > 0 and bool(pieces) and pieces[0] != Piece(ELLIPSIS)
    return [Piece(ELLIPSIS), *pieces] if is_cut else pieces


def _side_by_side(marks: Sequence[Stretch], text: str) -> list[Stretch]:
    """Neighbouring words as one stretch."""
    joined: list[Stretch] = []
    for start, end in marks:
        if joined and not text[joined[-1][1] : start].strip():
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _length(text: str) -> int:
    """Han characters say about twice as much as letters do."""
    is_han = 2 * sum(sign >= "\u2e80" for sign in text) > len(text)
    return LONGEST // 2 if is_han else LONGEST
