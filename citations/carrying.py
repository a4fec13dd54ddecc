"""From one reading of a page to another: where the same characters stand now. Pure.

Readings of one file may differ in order, line ends, hyphens and letter forms. Everything else has
to be the same: cited text is carried only if each piece of it stands in the new text exactly once,
judged with what stands around it. Else it has drifted, and nothing is guessed.
"""

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from documents.pages.page_text import Span

CONTEXTS = (12, 24, 48, 96, 192, 384)
"""Folded characters of surrounding text by which equal places are told apart."""
LEAST_CONTEXT = 12
LETTERS_OF_A_WORD = 4
"""A Chinese character counts as two."""
_HYPHENS = "-\u00ad\u2010\u2011"
_IGNORED = re.compile(
    r"\s|[\u00ad\u200b-\u200d\u2060\ufeff]"
    rf"|(?<=[^\W\d_])\s*[{_HYPHENS}]\s*(?=[^\W\d_])"
)
"""White space, what has no width, and hyphens between letters, whether at a line end or not."""


_CUT = re.compile(rf"(?<=[^\W\d_])[{_HYPHENS}]$")


@dataclass(frozen=True, slots=True)
class Folded:
    """Text without what readings may differ in. `starts[i]` is where folded character i was."""

    text: str
    starts: tuple[int, ...]

    def within(self, start: int, end: int) -> tuple[int, int]:
        """The folded range of the characters of `[start, end)`."""
        return bisect_right(self.starts, start - 1), bisect_right(self.starts, end - 1)


@lru_cache(maxsize=64)
def folded(text: str) -> Folded:
    """`text` for comparing.

    >>> folded("The ﬁrst ex-\\nample, 10²").text
    'Thefirstexample,10²'
    """
    kept: list[str] = []
    starts: list[int] = []
    at = 0
    for gap in [*_IGNORED.finditer(text), None]:
        for offset in range(at, gap.start() if gap else len(text)):
            plain = _plain(text[offset])
            kept.append(plain)
            starts.extend([offset] * len(plain))
        at = gap.end() if gap else at
    return Folded("".join(kept), tuple(starts))


def _plain(character: str) -> str:
    """The character without the form that a font gave it; raised and lowered digits stay so."""
    if character.isascii() or unicodedata.decomposition(character).startswith(("<sup", "<sub")):
        return character
    return unicodedata.normalize("NFKC", character).replace(" ", "")


def carried_spans(
    spans: Sequence[Span], excerpt: str, *, old: Mapping[int, str], new: Mapping[int, str]
) -> tuple[Span, ...] | None:
    """Where the text of `spans` stands in the page texts `new`, by page number; None if it drifted.

    `excerpt` is the text of the spans, joined by line feeds. `old` has the pages that they were
    made on, as far as those are still there: without them equal places can't be told apart.
    """
    found: list[Span] = []
    for span, text in zip(spans, _texts_of(spans, excerpt), strict=True):
        page = old.get(span.page, "")
        if page[span.start : span.end] != text:
            page = ""
        pieces = _carried(span, text, page, new.get(span.page, ""))
        if pieces is None:
            return None
        found += pieces
    return _joined(found, new)


def _texts_of(spans: Sequence[Span], excerpt: str) -> Iterator[str]:
    at = 0
    for span in spans:
        yield excerpt[at : at + span.end - span.start]
        at += span.end - span.start + 1


def _carried(span: Span, text: str, old: str, new: str) -> list[Span] | None:
    """The span in as few pieces as may be: another order of blocks cuts it between lines.

    A short line beside a cut that the page has several times, as in formulas and drawings, may have
    come to either side by chance: then nothing is carried.
    """
    if old and old == new:
        return [span]
    lines = list(_lines(text))
    pieces: list[Span] = []
    first = 0
    while first < len(lines):
        found = _longest_run(lines[first:], span, text, (old, new))
        if found is None:
            return None
        last, place = first + found[0], found[1]
        beside_cut = [lines[first]] * (first > 0) + [lines[last - 1]] * (last < len(lines))
        if any(_may_be_chance(text[slice(*line)], old or text) for line in beside_cut):
            return None
        pieces.append(Span(span.page, *place))
        first = last
    return pieces if pieces and not _overlap(pieces) else None


def _longest_run(
    lines: Sequence[tuple[int, int]], span: Span, text: str, pages: tuple[str, str]
) -> tuple[int, tuple[int, int]] | None:
    """How many of these lines of the span have a place together, from the first on; and it."""
    old, new = pages
    start = lines[0][0]
    before = (span.start + start, old) if old else None
    for count in range(len(lines), 0, -1):
        if place := _place(text[start : lines[count - 1][1]], before, new):
            return count, place
    return None


def _may_be_chance(line: str, page: str) -> bool:
    short = folded(line).text
    return len(short) < LEAST_CONTEXT and folded(page).text.count(short) > 1


def _lines(text: str) -> Iterator[tuple[int, int]]:
    """Lines with anything to compare, without the hyphen of a word that the line end cuts."""
    at = 0
    for line in text.splitlines(keepends=True):
        if folded(line).text:
            yield at, at + len(_CUT.sub("", line.rstrip()))
        at += len(line)


@dataclass(frozen=True, slots=True)
class _Place:
    """Folded characters `[start, end)` of a folded page."""

    page: str
    start: int
    end: int

    def equals(self) -> "Iterator[_Place]":
        """All places of the page with the same characters, this one among them."""
        return _places(self.page[self.start : self.end], self.page)

    def is_like(self, other: "_Place", size: int) -> bool:
        """Whether so much text before, or after, both is the same. Little at an edge is none."""
        ahead = self.page[max(0, self.start - size) : self.start]
        behind = self.page[self.end : self.end + size]
        return (len(ahead) >= LEAST_CONTEXT and other.page[: other.start].endswith(ahead)) or (
            len(behind) >= LEAST_CONTEXT and other.page.startswith(behind, other.end)
        )


def _places(wanted: str, page: str) -> Iterator[_Place]:
    at = page.find(wanted) if wanted else -1
    while at >= 0:
        yield _Place(page, at, at + len(wanted))
        at = page.find(wanted, at + 1)


def _place(text: str, before: tuple[int, str] | None, new: str) -> tuple[int, int] | None:
    """The one place of `text` in `new`. `before`: its offset in the old page, and that page."""
    page = folded(new)
    places = list(_places(folded(text).text, page.text))
    if before is not None and places:
        offset, old_page = before
        old = folded(old_page)
        place = _Place(old.text, *old.within(offset, offset + len(text)))
        rivals = [each for each in place.equals() if each != place]
        if len(places) > 1 or rivals or not _is_a_word(old.text[place.start : place.end]):
            places = _alike(place, places, rivals)
    if len(places) != 1:
        return None
    return page.starts[places[0].start], page.starts[places[0].end - 1] + 1


def _is_a_word(text: str) -> bool:
    """Whether there is more to the text than signs and bits of a formula, all much alike."""
    return sum(1 + (letter >= "\u2e80") for letter in text if letter.isalpha()) >= LETTERS_OF_A_WORD


def _alike(place: _Place, places: Sequence[_Place], rivals: Sequence[_Place]) -> list[_Place]:
    """Of several places the one with the text around it that the old place had, on either side.

    None if a rival, an equal place of the old page, could as well have become that one.
    """
    left = list(places)
    for size in CONTEXTS:
        left = [each for each in left if place.is_like(each, size)]
        if len(left) == 1 and not any(rival.is_like(left[0], size) for rival in rivals):
            return left
    return []


def _overlap(pieces: Sequence[Span]) -> bool:
    ordered = sorted(pieces, key=lambda span: (span.page, span.start))
    return any(a.page == b.page and b.start < a.end for a, b in pairwise(ordered))


def _joined(pieces: Sequence[Span], new: Mapping[int, str]) -> tuple[Span, ...]:
    """In the order of the new reading; what only white space or a hyphen parts becomes one."""
    joined: list[Span] = []
    for span in sorted(pieces, key=lambda each: (each.page, each.start, each.end)):
        last = joined[-1] if joined else None
        gap = new[span.page][last.end : span.start] if last and last.page == span.page else "."
        if last and not gap.strip(f" \n\t{_HYPHENS}"):
            joined[-1] = Span(span.page, last.start, max(last.end, span.end))
        else:
            joined.append(span)
    return tuple(joined)
