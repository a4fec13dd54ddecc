"""What each citation of an answer stands for: the claim before it and the quote beside it. Pure."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from citations.answer_blocks import Block, blocks_of
from citations.plain_markdown import LINK, plain_quote, plain_text
from citations.quotations import CITE, Quotation
from citations.segments import Segment
from documents.chunks.sentences import split_sentences

LONGEST_CLAIM = 1200
LEAST_WORDS = 3
LEAST_QUOTE_WORDS = 4
LEAST_QUOTE_IDEOGRAPHS = 8
BESIDE = 3
"""A quote may be any length if no more than so many signs stand between it and its marker."""

LOOSE_START = " ,;:.，；、：。)）]】—–"
LOOSE_END = re.compile(
    r"[\s,;:，；、：—–]*(?:[(（\[]\s*"
    r"(?:see(?: also)?|cf\.?|e\.g\.,?|i\.e\.,?|[也另]?[参详]?见|如)?[\s,;:，；、：]*)?\Z"
)
CITE_BEFORE_SIGN = re.compile(rf"\s*{CITE}[\s{CITE}]*(?=[,;:.!?，；：。！？、)）])")
IDEOGRAPH = re.compile(r"[\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af]")
IN_BRACKETS = re.compile(r"[(（][^()（）\n]{0,60}[)）]")
ATTRIBUTION = re.compile(
    r"\W*(?:according to|as|per|in|following|from|based on|see|根据|依据|按照?|据|正如|如|参?见|在)"
    r"(?![a-z])",
    re.IGNORECASE,
)
ANOTHER_CLAUSE = re.compile(
    r"\s*(?:(?:and|but|while|or|whereas|although|though|yet|which|whose|as|than|because)\b"
    r"|而|但|并|且|和|与|及|以及|同时|或|因)"
)
BETWEEN = re.compile(
    rf"[\s*_~]*(?!{ANOTHER_CLAUSE.pattern})(?P<words>\w[\w\s]{{0,40}}?)?"
    r"(?P<sign>[:：]|[—–-]+|[,，])?[\s*_~]*"
)
SIGNED = re.compile(r"\n[ \t>]*(?:[—–―]|--)[^\n]{1,160}\Z")
MOSTLY = 0.7
"""A quotation of so much of a block quote is the quote; a smaller one is a part of it."""


@dataclass(frozen=True, slots=True)
class Claimed:
    """What one cite segment stands for. `quote` is empty if no direct quote stands beside it."""

    claim: str
    quote: str


def claims_of(segments: Sequence[Segment]) -> list[Claimed]:
    """The claim and quote of every cite segment, in order."""
    return [claimed for block in blocks_of(segments) for claimed in _claims_of_block(block)]


def _claims_of_block(block: Block) -> Iterator[Claimed]:
    """Neighbouring markers share what stands before them."""
    groups = _neighbours(block)
    for index, group in enumerate(groups):
        previous = groups[index - 1][-1] + 1 if index else 0
        following = groups[index + 1][0] if index + 1 < len(groups) else len(block.text)
        place = _Place(block, previous, group[0], group[-1] + 1, following)
        quotes = place.several_quotes(len(group))
        claimed = place.claimed()
        for number in range(len(group)):
            yield replace(claimed, quote=quotes[number]) if quotes else claimed


def _neighbours(block: Block) -> list[list[int]]:
    """The block's cites, those in one group between which no letters stand."""
    groups: list[list[int]] = []
    for at in block.cites:
        if groups and not block.text[groups[-1][-1] + 1 : at].strip():
            groups[-1].append(at)
        else:
            groups.append([at])
    return groups


@dataclass(frozen=True, slots=True)
class _Place:
    """A group of markers in its block: `[at, after)`, between those before and after it."""

    block: Block
    previous: int
    at: int
    after: int
    following: int

    def claimed(self) -> Claimed:
        if verbatim := self._verbatim():
            return Claimed(verbatim[:LONGEST_CLAIM], verbatim)
        if not self.block.has_words:
            return self._of_what_is_near()
        if self.block.is_block_quote:
            quote = self._block_quote()
            return Claimed(quote[:LONGEST_CLAIM], quote)
        claim, quote = self._claim(), self._quote_before()
        if not quote and (after := self._quote_after()):
            start = max(self.previous, self._sentence_start())
            return Claimed(self._plain(start, after.end), plain_quote(after.inside))
        return Claimed(claim, quote)

    def _verbatim(self) -> str:
        """The text of a document that ends here, if an answer was built from such."""
        text = self.block.text
        ending = [
            span
            for span in self.block.verbatim
            if span[1] <= self.at and not text[span[1] : self.at].strip()
        ]
        return text[slice(*ending[-1])].strip() if ending else ""

    def _of_what_is_near(self) -> Claimed:
        """A marker alone speaks of the paragraph above it, or of the cells before it in its row."""
        if self.block.left:
            return _of_row(self.block.left)
        above = self.block.above
        if not self.block.is_cell and above is not None and above.has_words:
            text = above.text.rstrip()
            end = len(text)
            return _Place(above, 0, end, end, end).claimed()
        return Claimed("", "")

    def _claim(self) -> str:
        sentence = self._sentence_start()
        claim = self._plain(max(self.previous, sentence), self.at)
        if _word_count(claim) >= LEAST_WORDS:
            return claim
        if self.previous > sentence:
            return self._plain(sentence, self.at)
        return (not self._quotes() and self._as_subject()) or claim

    def _as_subject(self) -> str:
        """The sentence around a marker that only says who says it: `Smith [1] found that ...`."""
        text = self.block.text
        rest = text[self.after : self.following]
        before = text[self._sentence_start() : self.at]
        is_subject = rest.lstrip(" *_")[:1].isalnum() and not ANOTHER_CLAUSE.match(rest)
        if not (is_subject or (ATTRIBUTION.match(before) and rest.strip(" .。"))):
            return ""
        start = self._sentence_start()
        ends = [end for _, end in self._sentences(len(text)) if end > self.after]
        return self._plain(start, min([*ends, self.following]))

    def _sentence_start(self) -> int:
        """Where the statement begins that ends here; one that ended just before it counts."""
        starts = [start for start, _ in self._sentences(self.at)]
        return starts[-1] if starts else 0

    def _sentences(self, until: int) -> list[tuple[int, int]]:
        """The sentences of the block up to there; none begins inside a quotation."""
        quotes = self.block.quotations
        merged: list[tuple[int, int]] = []
        for start, end in split_sentences(self.block.text[:until].replace(CITE, " ")):
            inside = any(each.start < start < each.end for each in quotes)
            if inside and merged:
                merged[-1] = (merged[-1][0], end)
            else:
                merged.append((start, end))
        return merged

    def _plain(self, start: int, end: int) -> str:
        text = CITE_BEFORE_SIGN.sub("", self.block.text[start:end]).replace(CITE, "")
        claim = plain_text(text).lstrip(LOOSE_START)
        return LOOSE_END.sub("", claim)[-LONGEST_CLAIM:]

    def _quotes(self) -> list[Quotation]:
        """The quotations of this statement that end before the marker."""
        start = max(self.previous, self._sentence_start())
        return [each for each in self.block.quotations if start < each.end <= self.at]

    def _quote_before(self) -> str:
        """The direct quote that ends beside the marker, else a long one inside the claim."""
        quotes = self._quotes()
        if not quotes:
            return ""
        last = quotes[-1]
        is_used = self._is_beside(last) or _is_long(last.inside)
        return plain_quote(last.inside) if is_used else ""

    def several_quotes(self, count: int) -> list[str]:
        """As many quotes as neighbouring markers: one each, in order. Else none."""
        quotes = self._quotes()
        if count < 2 or len(quotes) != count or not self._is_beside(quotes[-1]):
            return []
        return [plain_quote(each.inside) for each in quotes]

    def _is_beside(self, quote: Quotation) -> bool:
        between = LINK.sub(r"\1", "[" + self.block.text[quote.end : self.at]).lstrip("[")
        return len(re.sub(r"[\s*_~]", "", IN_BRACKETS.sub("", between))) <= BESIDE

    def _quote_after(self) -> Quotation | None:
        """A quotation that the marker introduces, and that stands beside no other: `[1]: “...”`."""
        behind = (each for each in self.block.quotations if each.start >= self.after)
        quote = next(behind, None)
        text = self.block.text
        if quote is None or quote.end > self.following:
            return None
        behind_it = text[quote.end : self.following].strip(" .,。，;；*_")
        if self.following < len(text) and not behind_it:
            return None  # it stands beside the next marker
        between = BETWEEN.fullmatch(text, self.after, quote.start)
        if between is None:
            return None
        if between["sign"] in {",", "，"}:
            return quote if ATTRIBUTION.match(text, self._sentence_start()) else None
        if between["words"] and between["sign"] not in {":", "："}:
            return None
        return quote if between["sign"] or _is_long(quote.inside) else None

    def _block_quote(self) -> str:
        """The block quote up to the marker, without its signature and its own marks."""
        whole = self.block.text[self.previous : self.at].rstrip()
        text = SIGNED.sub("", whole) if "\n" in whole else whole
        letters = len(re.sub(r"\W", "", text))
        for quote in self.block.quotations:
            is_most = len(re.sub(r"\W", "", quote.inside)) >= MOSTLY * letters
            if self.previous <= quote.start and quote.end <= self.at and is_most:
                return plain_quote(quote.inside)
        return plain_quote(text)


def _of_row(cells: Sequence[Block]) -> Claimed:
    """What the cells of a row say together, and the one quotation among them."""
    texts = [plain_text(cell.text.replace(CITE, "").strip(" |")) for cell in cells]
    quotes = [each for cell in cells for each in cell.quotations]
    claim = "; ".join(text for text in texts if text)[:LONGEST_CLAIM]
    return Claimed(claim, plain_quote(quotes[0].inside) if len(quotes) == 1 else "")


def _word_count(text: str) -> int:
    """Words of a text; four ideographs say as much as three words."""
    ideographs = len(IDEOGRAPH.findall(text))
    return ideographs * 3 // 4 + len(re.findall(r"[^\W_]+", IDEOGRAPH.sub(" ", text)))


def _is_long(inside: str) -> bool:
    return (
        len(IDEOGRAPH.findall(inside)) >= LEAST_QUOTE_IDEOGRAPHS
        or len(inside.split()) >= LEAST_QUOTE_WORDS
    )
