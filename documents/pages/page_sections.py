"""Sections over pages: what is a reference, what is the abstract, how deep a heading is. Pure."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise

from documents.pages.headings import ABSTRACT, CONTENTS, REFERENCES, is_known, is_numbered
from documents.pages.page_text import Block, BlockKind, ParsedPage

_REFERENCE_LIKE = (BlockKind.PARAGRAPH, BlockKind.LIST, BlockKind.FOOTNOTE, BlockKind.FORMULA)
_DIGIT = re.compile(r"\d|in press|forthcoming|待刊")
"""What every reference has; an advertisement behind them has not."""
_BRACKETED = re.compile(r"[\[［](\d{1,3})[\]］]")
_NAMES = re.compile(r",.*,|，.*，|\bet al\b|(?:19|20)\d\d[a-z]?\W|\bdoi\b|https?:|\w\. [A-Z]")
"""What a bold reference has and the heading of an appendix has not."""
CHAPTER, SECTION, PLAIN, ROMAN, CHINESE = 8, 9, 10, 11, 12
_SINGLE = re.compile(r"^\d{1,2}[.．]\s?(?!\d)")
_LETTERED = re.compile(r"^[A-H]\.\s")
_NUMBER = re.compile(r"^[\[(]?(?:\d{1,3}|[A-H])[\])]?[.\s]\s*")
_RANKS = (
    (re.compile(r"^第.{1,4}[章编部篇]"), CHAPTER),
    (re.compile(r"^第.{1,4}节"), SECTION),
    (re.compile(r"^[一二三四五六七八九十]{1,3}\s*[、．.]"), CHINESE),
    (re.compile(r"^[(（][一二三四五六七八九十]{1,3}[)）]"), 22),
    (re.compile(r"^\d{1,2}、"), 24),
    (re.compile(r"^[(（]\d{1,2}[)）]"), 44),
    (re.compile(r"^[IVX]{1,5}\.\s"), ROMAN),
)
"""How deep each way of numbering stands below the others. Decimal numbers say it themselves."""


@dataclass(slots=True)
class Sections:
    """Where in the document one is: in its references, its abstract, below which headings."""

    section: str = ""
    ranks: list[int] = field(default_factory=list)
    is_below_known: bool = False

    def placed(self, page: ParsedPage) -> ParsedPage:
        """The next page, its blocks with kinds and levels as the sections have them."""
        if self.section == "abstract":
            self.section = ""  # an abstract stands on one page
        inside = [block for block in page.blocks if block.kind is not BlockKind.MARGIN]
        following = {id(block): after for block, after in pairwise(inside)}
        blocks = tuple(
            self._placed(page.text, block, following.get(id(block))) for block in page.blocks
        )
        return replace(page, blocks=_counted_on(page.text, blocks))

    def _placed(self, text: str, block: Block, after: Block | None) -> Block:
        words = " ".join(text[block.start : block.end].split())
        if block.kind is BlockKind.HEADING:
            if self.section == "contents" and (after is None or after.kind is BlockKind.HEADING):
                return replace(block, kind=BlockKind.LIST, level=0)
            if self.section == "references" and _is_inside_references(words, block):
                return replace(block, kind=BlockKind.REFERENCE, level=0)
            self._enter(words)
            return replace(block, level=self._level(words, block.level))
        if self.section == "references" and block.kind in _REFERENCE_LIKE and _DIGIT.search(words):
            return replace(block, kind=BlockKind.REFERENCE, level=0)
        if self.section == "abstract" and block.kind is BlockKind.PARAGRAPH:
            return replace(block, kind=BlockKind.ABSTRACT)
        return block

    def _enter(self, heading: str) -> None:
        if REFERENCES.match(heading):
            self.section = "references"
        elif CONTENTS.match(heading):
            self.section = "contents"
        else:
            self.section = "abstract" if ABSTRACT.match(heading) else ""

    def _level(self, heading: str, level: int) -> int:
        rank = next((rank for form, rank in _RANKS if form.match(heading)), 10 * max(level, 1))
        if rank == PLAIN:
            rank = self._rank_below(heading)
        elif self.is_below_known and rank in (ROMAN, CHINESE):
            # "Abstract" is no chapter: "I." stands beside it.
            self.ranks.clear()
        self.is_below_known = is_known(heading) and not is_numbered(heading)
        if self.is_below_known:
            rank = min([rank, *self.ranks])
        while self.ranks and self.ranks[-1] >= rank:
            self.ranks.pop()
        self.ranks.append(rank)
        return len(self.ranks)

    def _rank_below(self, heading: str) -> int:
        """The rank of "A." or "1.", which stand below "I." and "一、" where these are used."""
        if _LETTERED.match(heading) and ROMAN in self.ranks:
            return ROMAN + PLAIN
        if _SINGLE.match(heading):
            if CHINESE in self.ranks:
                return CHINESE + PLAIN
            if ROMAN in self.ranks:
                return ROMAN + 2 * PLAIN
        return PLAIN


def in_sections(
    pages: Iterable[ParsedPage], *, earlier: Iterable[ParsedPage] = ()
) -> Iterator[ParsedPage]:
    """The pages in order; paragraphs below a heading "References" become references, and so on.

    `earlier` are the pages before them, if these were placed already. Twice is as good as once.
    """
    sections = Sections()
    for page in earlier:
        sections.placed(page)
    for page in pages:
        yield sections.placed(page)


def _counted_on(text: str, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """References before and after those that were told, where their numbers go on."""
    found = list(blocks)
    order = range(len(found) - 1)
    for here, there in [*((i, i + 1) for i in order), *((i + 1, i) for i in reversed(order))]:
        first, second = found[here], found[there]
        if first.kind is not BlockKind.REFERENCE or second.kind not in _REFERENCE_LIKE:
            continue
        one, other = _BRACKETED.match(text[first.start :]), _BRACKETED.match(text[second.start :])
        if one and other and int(other[1]) - int(one[1]) == there - here:
            found[there] = replace(second, kind=BlockKind.REFERENCE)
    return tuple(found)


def _is_inside_references(words: str, block: Block) -> bool:
    """Whether what looks like a heading is part of a reference: bold names, journals, numbers."""
    if is_known(words):
        return False
    return block.level > 1 or bool(_NAMES.search(_NUMBER.sub("", words)))
