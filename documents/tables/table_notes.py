"""Notes at the foot of a table. Pure."""

import re
from collections.abc import Sequence

from documents.tables.table_draft import Region
from documents.tables.table_sheet import Sheet
from documents.tables.table_words import Word, rows_of, usual_height

REACH = 20
"""Heights of a row below a table within which its notes begin and end."""

_NOTE = re.compile(
    r"^(?:notes?\b|sources?\b|abbreviations?\b|standard errors|values are|[*†‡§¶#∗⁎]|\d?[a-z]\s"
    r"|\(?[a-z]\)\s|注|说明|资料来源|数据来源|备注|[①-⑳])",
    re.IGNORECASE,
)


def is_note(line: str) -> bool:
    """Whether a line of text begins as notes of tables do."""
    return _NOTE.match(line) is not None


def notes_of(sheet: Sheet, region: Region, inside: Sequence[Word]) -> tuple[tuple[int, int], ...]:
    """Ranges of page text: the notes `inside` the region, and those close below it."""
    x0, _, x1, y1 = region.box
    height = usual_height(region.words)
    title = region.title or (-1, -1)
    below = [
        word
        for word in sheet.words
        if y1 - 2 < word.y0 < y1 + REACH * height
        and x0 - 6 <= word.middle <= x1 + 6
        and not title[0] <= word.start < title[1]
    ]
    notes = list(inside)
    reached, begun = y1, bool(inside)
    for row in rows_of(below):
        gap = row.y0 - reached
        is_small = usual_height(row.words) <= 1.02 * height
        begins = is_note(row.text)
        if gap > 1.6 * height or not is_small or not (begins or (begun and gap <= 0.9 * height)):
            break
        notes += row.words
        reached, begun = row.y1, True
    return _ranges(sheet.text, notes)


def _ranges(text: str, words: Sequence[Word]) -> tuple[tuple[int, int], ...]:
    ranges: list[tuple[int, int]] = []
    for word in sorted(words, key=lambda word: word.start):
        if ranges and not text[ranges[-1][1] : word.start].strip():
            ranges[-1] = (ranges[-1][0], word.end)
        else:
            ranges.append((word.start, word.end))
    return tuple(ranges)
