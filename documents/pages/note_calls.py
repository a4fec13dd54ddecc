"""Which place of the text calls which footnote: both carry the same mark on one page. Pure."""

import re
from collections.abc import Sequence

from documents.pages.page_text import Block, BlockKind, ParsedPage

_NOTE = re.compile(r"^\s*(?:\[?(\d{1,3})\]?|([*∗†‡§¶]{1,3})|([①-⑳]))")
_TEXT = frozenset(
    {
        BlockKind.PARAGRAPH,
        BlockKind.ABSTRACT,
        BlockKind.LIST,
        BlockKind.HEADING,
        BlockKind.TITLE,
        BlockKind.AUTHORS,
        BlockKind.CAPTION,
    }
)


def calls(page: ParsedPage) -> dict[int, int]:
    """By start of a footnote block, where on the page its call stands. Doubtful ones are left out.

    A number is a call where it stands right behind a word or a stop, as raised figures come out.
    Calls come in the order of their notes, each once.
    """
    notes = [block for block in page.blocks if block.kind is BlockKind.FOOTNOTE]
    found: dict[int, int] = {}
    reached = 0
    for note in notes:
        places = [at for at in _places(page, note) if at >= reached]
        if len(places) == 1:
            found[note.start] = places[0]
            reached = places[0]
    return found


def _places(page: ParsedPage, note: Block) -> Sequence[int]:
    mark = _NOTE.match(page.text[note.start : note.end])
    if mark is None:
        return ()
    number, sign, circled = mark.groups()
    if number:
        # Not "F1", "P2" or "10": a word of two letters at least, or a stop, stands before it.
        form = rf"(?:(?<=[^\W\d_]{{2}})|(?<=[^\W\d_][.,;:)\]”\"’])){number}(?![\d\w%]|[.,]\d)"
    else:
        form = re.escape(sign or circled)
    pattern = re.compile(form)
    return [
        found.start()
        for block in page.blocks
        if block.kind in _TEXT
        for found in pattern.finditer(page.text, block.start, block.end)
        if found.start() > block.start
    ]
