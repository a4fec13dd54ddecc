"""Page text as its reader sees it: digits raised or lowered behind others stand so, as in 10⁵.

Page text holds plain digits, and the boxes tell their level. A model sees text alone: without this
it would read, and quote, 105. A quotation spelt like this is the one that is found there.
"""

import re
from collections.abc import Sequence
from functools import partial, reduce
from operator import or_

from django.db.models import Q

from citations.searchable_page import level_on
from citations.signs import LevelOf
from documents.models import Page
from documents.pages.geometry import PackedBoxes
from documents.pages.page_text import Span

Passage = tuple[int, Sequence[Span], str]
"""The key of a reading, spans of it, and their text, joined by a line feed."""

_RUN = re.compile("[0-9]{2,}")
_PLAIN = "0123456789"
_SPELT = {
    1: str.maketrans(_PLAIN, "⁰¹²³⁴⁵⁶⁷⁸⁹"),
    -1: str.maketrans(_PLAIN, "₀₁₂₃₄₅₆₇₈₉"),
}


def spelt(text: str, level: LevelOf, *, start: int = 0) -> str:
    """`text`, of the same length, with the digits that stand above or below those before them.

    It begins at the offset `start` of those that `level` takes.

    >>> spelt("about 105 cells", lambda offset, reference: int(offset == 8))
    'about 10⁵ cells'
    """
    return _RUN.sub(lambda run: _run_spelt(run[0], start + run.start(), level), text)


def passages_spelt(passages: Sequence[Passage]) -> list[str]:
    """The texts of passages as their pages show them; all pages are read at once."""
    levels = _levels([passage for passage in passages if _RUN.search(passage[2])])
    return [_passage_spelt(passage, levels) for passage in passages]


def _levels(passages: Sequence[Passage]) -> dict[tuple[int, int], LevelOf]:
    """By reading and page number how characters stand to each other."""
    if not passages:
        return {}
    touched = (
        Q(parsed_id=reading, number__in={span.page for span in spans})
        for reading, spans, _ in passages
    )
    rows = Page.objects.filter(reduce(or_, touched)).values_list(
        "parsed_id", "number", "packed_boxes", "width", "height"
    )
    return {
        (reading, number): partial(
            level_on, PackedBoxes(bytes(boxes)), width / height if height else 1.0
        )
        for reading, number, boxes, width, height in rows
    }


def _passage_spelt(passage: Passage, levels: dict[tuple[int, int], LevelOf]) -> str:
    reading, spans, text = passage
    pieces, at = [], 0
    for span in spans:
        piece = text[at : at + span.end - span.start]
        at += len(piece) + 1
        level = levels.get((reading, span.page))
        pieces.append(spelt(piece, level, start=span.start) if level else piece)
    return "\n".join(pieces)


def _run_spelt(run: str, start: int, level: LevelOf) -> str:
    state, shown = 0, run[0]
    for at, digit in enumerate(run[1:], start + 1):
        state = level(at, at - 1) or state
        shown += digit.translate(_SPELT[state]) if state else digit
    return shown
