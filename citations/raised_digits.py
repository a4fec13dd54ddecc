"""Page text as its reader sees it: digits raised or lowered behind others stand so, as in 10⁵.

Page text holds plain digits, and the boxes tell their level. A model sees text alone: without this
it would read, and quote, 105. A quotation spelt like this is the one that is found there.
"""

import re
from collections.abc import Callable, Sequence

from citations.searchable_page import relative_level
from documents.models import Page
from documents.pages.geometry import PackedBoxes
from documents.pages.page_text import Span

Level = Callable[[int, int], int]
"""`(offset, reference)`: 1 if the first stands above the second, -1 below, else 0."""

_RUN = re.compile("[0-9]{2,}")
_PLAIN = "0123456789"
_SPELT = {
    1: str.maketrans(_PLAIN, "⁰¹²³⁴⁵⁶⁷⁸⁹"),
    -1: str.maketrans(_PLAIN, "₀₁₂₃₄₅₆₇₈₉"),
}


def spelt(text: str, level: Level) -> str:
    """`text`, of the same length, with the digits that stand above or below those before them.

    >>> spelt("about 105 cells", lambda offset, reference: int(offset == 8))
    'about 10⁵ cells'
    """
    return _RUN.sub(lambda run: _run_spelt(run[0], run.start(), level), text)


def passage_spelt(parsed_id: int, spans: Sequence[Span], text: str) -> str:
    """The `text` of a passage, which is its spans joined by a line feed, as its pages show it."""
    if not _RUN.search(text):
        return text
    wanted = {span.page for span in spans}
    rows = Page.objects.filter(parsed_id=parsed_id, number__in=wanted)
    levels = {
        number: page_level(PackedBoxes(bytes(boxes)), width / height if height else 1.0)
        for number, boxes, width, height in rows.values_list(
            "number", "packed_boxes", "width", "height"
        )
    }
    pieces, at = [], 0
    for span in spans:
        piece = text[at : at + span.end - span.start]
        at += len(piece) + 1
        level = levels.get(span.page)
        pieces.append(spelt(piece, _moved(level, span.start)) if level else piece)
    return "\n".join(pieces)


def page_level(boxes: PackedBoxes, aspect: float) -> Level:
    """How characters of a page stand to each other; `aspect` is its width divided by its height."""

    def level(offset: int, reference: int) -> int:
        if max(offset, reference) >= len(boxes):
            return 0
        return relative_level(boxes.row(offset), boxes.row(reference), aspect)

    return level


def _moved(level: Level, by: int) -> Level:
    return lambda offset, reference: level(offset + by, reference + by)


def _run_spelt(run: str, start: int, level: Level) -> str:
    state, shown = 0, run[0]
    for at, digit in enumerate(run[1:], start + 1):
        state = level(at, at - 1) or state
        shown += digit.translate(_SPELT[state]) if state else digit
    return shown
