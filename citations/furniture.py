"""Lines at a page's edge that are no text of the paper, where the parser did not mark them. Pure.

Only what proves itself: a line that stands at the same edge of another page too, or a page number
that counts along with the pages. Anything else is text, and text is never skipped.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from citations.normalizing import normalize
from citations.searchable_page import LINES_OF_MARGIN, SearchablePage
from documents.pages.page_text import Span

NUMBER_ALONE = re.compile(r"\W*(\d{1,4})\W*")


def body_without_furniture(
    page: SearchablePage, pages: Sequence[SearchablePage], *, at_foot: bool
) -> tuple[Span, ...]:
    """The runs of a page's body without the furniture at one edge."""
    runs = list(page.body)
    others = [other for other in pages if other.number != page.number and other.folded]
    for _ in range(LINES_OF_MARGIN):
        if not runs:
            break
        run = runs[-1 if at_foot else 0]
        line = next(_edge_lines(page.detail.text, run.start, run.end, at_foot=at_foot), None)
        if line is None or not _is_furniture(page, line, others, at_foot=at_foot):
            break
        rest = (
            Span(run.page, run.start, line.start) if at_foot else Span(run.page, line.end, run.end)
        )
        runs[-1 if at_foot else 0] = rest
        if not page.detail.text[rest.start : rest.end].strip():
            runs.remove(rest)
    return tuple(runs)


def _edge_lines(text: str, start: int, end: int, *, at_foot: bool) -> Iterator[Span]:
    """The lines with letters or digits in `[start, end)`, from the edge inwards."""
    at = end if at_foot else start
    while start < at if at_foot else at < end:
        border = text.rfind("\n", start, at) + 1 if at_foot else text.find("\n", at, end) + 1
        first, last = (max(start, border), at) if at_foot else (at, border or end)
        if any(map(str.isalnum, text[first:last])):
            yield Span(0, first, last)
        at = first - 1 if at_foot else last


def _is_furniture(
    page: SearchablePage, line: Span, others: Sequence[SearchablePage], *, at_foot: bool
) -> bool:
    """Whether the line counts with the pages, or stands as far from the edge on another one."""
    text = page.detail.text[line.start : line.end]
    number = NUMBER_ALONE.fullmatch(text)
    if number and int(number[1]) == page.number:
        return True
    ours = _edge_texts(page, at_foot=at_foot)
    depth = ours.index(text.strip()) if text.strip() in ours else len(ours)
    for other in others:
        texts = _edge_texts(other, at_foot=at_foot)
        if depth >= len(texts):
            continue
        theirs = NUMBER_ALONE.fullmatch(texts[depth])
        if number and theirs:
            if int(theirs[1]) - int(number[1]) == other.number - page.number:
                return True
        elif not number and _likeness(text) == _likeness(texts[depth]):
            return True
    return False


def _edge_texts(page: SearchablePage, *, at_foot: bool) -> list[str]:
    text = page.detail.text
    lines = _edge_lines(text, 0, len(text), at_foot=at_foot)
    return [text[line.start : line.end].strip() for line in islice(lines, LINES_OF_MARGIN)]


def _likeness(line: str) -> str:
    """A line without its digits: running heads differ in nothing but a page number."""
    return "".join(c for c in normalize(line).text if not c.isdigit())
