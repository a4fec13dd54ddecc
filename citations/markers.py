"""Read the citation markers out of a model's text while it streams. Pure, linear, incremental.

`[3]`, `[3][5]`, `[3, 5]`, `[3-5]`, `【3】`, full-width forms. Never inside code, math or quotation
marks. What is not yet decided (an unfinished marker, an open quotation) is held back. A number that
was never handed out disappears and is recorded. What is no marker stays text: an interval, which
stands behind a word or a sign that only an interval follows or begins with 0, and a year.
"""

import re
from collections.abc import Container, Iterable, Sequence

from citations.marker_forms import (
    CONTEXT,
    MARKER,
    MARKER_START,
    OPENERS,
    is_interval,
    is_year,
    marker_numbers,
    unescape_brackets,
)
from citations.segments import CiteSegment, Segment, TextSegment

LONGEST_PROTECTED = 2000
"""A quotation, code span or formula that is not closed within as many characters is none."""

INTERESTING = re.compile(r'[\n`$\\"“„«「『‘﹁﹃\[【［]')
_BEFORE_MARKER = rf"(?=[.,。，]?\s?[{OPENERS}]\s?\^?[0-9０-９])"
QUOTATIONS = {
    "“": rf'”|(?<!\s)"{_BEFORE_MARKER}',
    "„": "[“”]",
    "«": "»",
    "「": "」",
    "『": "』",
    "﹁": "﹂",
    "﹃": "﹄",
    "‘": r"(?<!\s)’(?!\w)",
    '"': f'"|”{_BEFORE_MARKER}',
}
"""What closes a quotation; before a marker also the mark of the other style, as models mix them."""
NESTING = frozenset("“«「『﹁﹃")
"""What opens a quotation and can't close one: others of the style may stand inside it."""
MOST_NESTED = 6
CLOSER_LOOKAHEAD = 6
LINE_HEAD = re.compile(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?")
UNFINISHED_HEAD = re.compile(r"[ \t>]*(?:[-*+]|\d{1,9}[.)]?)\Z")
PARAGRAPH_BREAK = re.compile(r"\n[ \t]{0,20}\n")
BACKTICKS = re.compile("`+")
MOST_BACKTICKS = 20
_HOLD = -1


def merged(segments: Iterable[Segment]) -> list[Segment]:
    """The same segments with neighbouring texts of one kind joined and empty ones left out."""
    joined: list[Segment] = []
    for segment in segments:
        last = joined[-1] if joined else None
        if isinstance(segment, CiteSegment):
            joined.append(segment)
        elif isinstance(last, TextSegment) and not last.verbatim and not segment.verbatim:
            joined[-1] = TextSegment(last.text + segment.text)
        elif segment.text:
            joined.append(segment)
    return joined


class _Search:
    """Finds the next match of a pattern in a growing text and never looks at a stretch twice."""

    def __init__(self, pattern: str | re.Pattern[str], overlap: int = 1) -> None:
        self.pattern = re.compile(pattern)
        self.overlap = overlap
        self.looked_from = 0
        self.looked_to = 0
        self.found: re.Match[str] | None = None

    def next(self, text: str, start: int, end: int, visible: int) -> tuple[int, int] | None:
        """The first match at or after `start` that ends by `end`, as offsets.

        The pattern may look ahead up to `visible`.
        """
        known = self.found
        if known is not None and self.looked_from <= start <= known.start():
            return known.span() if known.end() <= end else None
        if known is None and self.looked_from <= start:
            begin = max(start, self.looked_to - self.overlap)
        else:
            begin, self.looked_from = start, start
        self.looked_from = min(self.looked_from, start)
        self.found = self.pattern.search(text, begin, visible)
        self.looked_to = end if self.found is None else self.found.end()
        return self.found.span() if self.found and self.found.end() <= end else None


class MarkerParser:
    """Turns a stream of text into segments. However the text is split, the segments are the same.

    `known` holds the numbers that were handed out; it may grow while the text comes.
    `unknown` lists the numbers that were taken out.
    """

    def __init__(self, known: Container[int]) -> None:
        self.known = known
        self.unknown: list[int] = []
        self._buffer = ""
        self._before = "\n"
        self._fence = ""

    def feed(self, text: str) -> list[Segment]:
        """Add text; return what is decided now."""
        self._buffer += text
        return self._scan(final=False)

    def finish(self) -> list[Segment]:
        """Say that no text follows; return the rest."""
        return self._scan(final=True)

    def _scan(self, *, final: bool) -> list[Segment]:
        scan = _Scan(self._buffer, self._before, self._fence, self.known, final=final)
        segments: list[Segment] = []
        begin = 0
        for start, end, inside in scan.markers():
            numbers = marker_numbers(inside)
            cited = [number for number in numbers if number in self.known]
            self.unknown += [number for number in numbers if number not in self.known]
            text = self._buffer[begin:start]
            segments.append(self._text(text if cited else text.rstrip(" \t")))
            segments += [CiteSegment(number) for number in cited]
            begin = end
        settled = max(begin, scan.settled)
        segments.append(self._text(self._buffer[begin:settled]))
        if settled:
            tail = self._buffer[max(0, settled - CONTEXT) : settled]
            self._before = (self._before + tail)[-CONTEXT:]
        self._buffer = self._buffer[settled:]
        self._fence = scan.fence
        return merged(segments)

    @staticmethod
    def _text(text: str) -> TextSegment:
        return TextSegment(unescape_brackets(text))


class _Scan:
    """One pass over what is held: yields markers, and knows up to where everything is decided."""

    def __init__(
        self, text: str, before: str, fence: str, known: Container[int], *, final: bool
    ) -> None:
        self.text = text
        self.known = known
        self.before = before
        self.fence = fence
        self.final = final
        self.settled = 0
        self._breaks = _Search(PARAGRAPH_BREAK, overlap=64)
        self._closers: dict[str, _Search] = {}

    def markers(self) -> Iterable[tuple[int, int, str]]:
        """`(start, end, inside)` of each marker. Sets `settled` and `fence` at the end."""
        at = 0
        while at < len(self.text):
            after = self._past_structure(at)
            if after == _HOLD:
                break
            at = after
            if self.fence:
                continue
            found = INTERESTING.search(self.text, at)
            at = found.start() if found else len(self.text)
            if not found:
                break
            if marker := MARKER.match(self.text, at):
                if not self._is_text(at, marker[1]):
                    yield at, marker.end(), marker[1]
                at = marker.end()
                continue
            after = self._past_character(at)
            if after == _HOLD:
                break
            at = after
        self.settled = self._without_trailing_spaces(at)

    def _is_text(self, at: int, inside: str) -> bool:
        """Whether what has the form of a marker is none."""
        if is_year(inside):
            return int(inside) not in self.known
        before = (self.before + self.text[max(0, at - CONTEXT) : at])[-CONTEXT:]
        return is_interval(inside, before)

    def _past_structure(self, at: int) -> int:
        """Past what only lines decide: fences, and the head of a line."""
        if self.fence:
            return self._close_fence(at)
        return self._begin_line(at) if self._char(at - 1) == "\n" else at

    def _past_character(self, at: int) -> int:
        """Past one character that may open something, together with what it opens."""
        character = self.text[at]
        if character in "[【［":
            return self._after_bracket(at)
        return self._after_protected(at, character)

    def _without_trailing_spaces(self, at: int) -> int:
        """Spaces stay held: they vanish together with an unknown marker behind them."""
        if self.final:
            return at
        while at and self.text[at - 1] in " \t":
            at -= 1
        return at

    def _char(self, at: int) -> str:
        if at < 0:
            return self.before[-1]
        return self.text[at] if at < len(self.text) else ""

    def _paragraph_break(self, at: int) -> int | None:
        found = self._breaks.next(self.text, at, len(self.text), len(self.text))
        return found[0] if found else None

    def _begin_line(self, at: int) -> int:
        """Past the head of a line, into a fence if one opens here."""
        head = LINE_HEAD.match(self.text, at)
        start = head.end() if head else at
        rest = self.text[start : start + 3]
        if not self.final and (not rest or UNFINISHED_HEAD.match(self.text, at)):
            return _HOLD
        if not rest or rest[0] not in "`~":
            return start
        run = len(rest) - len(rest.lstrip(rest[0]))
        if run < 3:
            unfinished = run == len(rest) and not self.final
            return _HOLD if unfinished else start
        line_end = self.text.find("\n", start)
        if line_end < 0 and not self.final:
            return _HOLD
        line_end = len(self.text) if line_end < 0 else line_end
        opener = self.text[start:line_end]
        marks = opener[: len(opener) - len(opener.lstrip(rest[0]))]
        if rest[0] == "`" and "`" in opener[len(marks) :]:
            return start
        self.fence = marks
        return min(line_end + 1, len(self.text))

    def _close_fence(self, at: int) -> int:
        """Past one line of fenced code."""
        line_end = self.text.find("\n", at)
        if line_end < 0 and not self.final:
            return _HOLD
        line_end = len(self.text) if line_end < 0 else line_end
        line = self.text[at:line_end].strip(" \t>")
        if line.startswith(self.fence) and not line.strip(self.fence[0]):
            self.fence = ""
            return line_end
        return min(line_end + 1, len(self.text))

    def _after_bracket(self, at: int) -> int:
        start = MARKER_START.match(self.text, at)
        if start and start.end() == len(self.text) and not self.final:
            return _HOLD
        return at + 1

    def _after_protected(self, at: int, character: str) -> int:
        if character == "\n":
            return at + 1
        if character == "`":
            return self._after_code(at)
        if character == "$":
            return self._after_dollar(at)
        if character == "\\":
            return self._after_backslash(at)
        if character == '"':
            return self._after_straight_quote(at)
        if character == "‘" and not self._opens_single(at):
            return _HOLD if at + 1 >= len(self.text) and not self.final else at + 1
        return self._after_quotation(at, character)

    def _after_quotation(self, at: int, opener: str) -> int:
        """Past the closer; where others of the style open inside, past as many closers more.

        If there are not so many, the first one closes it: a mark that opens may be a slip.
        """
        closer = QUOTATIONS[opener]
        first = after = self._closed(at, 1, closer, lookahead=CLOSER_LOOKAHEAD)
        if opener not in NESTING or first == _HOLD:
            return first
        still_open = self.text.count(opener, at + 1, after)
        for _ in range(MOST_NESTED):
            if not still_open:
                return after
            following = self._closed(after - 1, 1, closer, lookahead=CLOSER_LOOKAHEAD)
            if following == _HOLD:
                return _HOLD
            if following == after or following - at > LONGEST_PROTECTED:
                return first
            still_open += self.text.count(opener, after, following) - 1
            after = following
        return first if still_open else after

    def _opens_single(self, at: int) -> bool:
        """Whether `‘` is no apostrophe, as in `‘90s`."""
        return not self._char(at - 1).isalnum() and not re.match(r"[\s\d]|\Z", self._char(at + 1))

    def _after_straight_quote(self, at: int) -> int:
        """A `"` behind a letter opens nothing; one behind a space closes nothing."""
        if at + 1 >= len(self.text) and not self.final:
            return _HOLD
        if self._char(at - 1).isalnum() or self._char(at + 1).isspace():
            return at + 1
        after = self._closed(at, 1, QUOTATIONS['"'], lookahead=CLOSER_LOOKAHEAD)
        return at + 1 if after > at + 1 and self.text[after - 2].isspace() else after

    def _after_code(self, at: int) -> int:
        run = len(BACKTICKS.match(self.text, at)[0])  # type: ignore[index]  # one is here
        if at + run == len(self.text) and not self.final:
            return _HOLD
        if run > MOST_BACKTICKS:
            return at + run
        return self._closed(at, run, f"(?<!`)`{{{run}}}(?!`)", lookahead=1)

    def _after_dollar(self, at: int) -> int:
        if at + 1 >= len(self.text):
            return at + 1 if self.final else _HOLD
        if self.text[at + 1] == "$":
            return self._closed(at, 2, r"\$\$", across_paragraphs=True)
        if self._char(at - 1).isdigit() or self.text[at + 1].isspace():
            return at + 1
        return self._closed(at, 1, r"(?<![\s\\])\$(?!\d)", lookahead=1)

    def _after_backslash(self, at: int) -> int:
        if at + 1 >= len(self.text):
            return at + 1 if self.final else _HOLD
        closer = {"(": r"\\\)", "[": r"\\\]"}.get(self.text[at + 1])
        return self._closed(at, 2, closer, across_paragraphs=True) if closer else at + 2

    def _closed(
        self,
        at: int,
        width: int,
        closer: str,
        *,
        across_paragraphs: bool = False,
        lookahead: int = 0,
    ) -> int:
        """Past the closer of what opens at `at`; past the opener alone if it is never closed."""
        start = at + width
        limit = start + LONGEST_PROTECTED
        is_whole = self.final or len(self.text) >= limit + lookahead
        end = min(limit, len(self.text) if self.final else len(self.text) - lookahead)
        gap = None if across_paragraphs else self._paragraph_break(at)
        if gap is not None and gap < end:
            end, is_whole = gap, True
        search = self._closers.setdefault(closer, _Search(closer, overlap=width + 2))
        found = search.next(self.text, start, max(start, end), min(len(self.text), end + lookahead))
        if found:
            return found[1]
        return start if is_whole else _HOLD


def read_markers(text: str, known: Container[int]) -> Sequence[Segment]:
    """The segments of a whole text."""
    parser = MarkerParser(known)
    return merged([*parser.feed(text), *parser.finish()])
