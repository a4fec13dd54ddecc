"""Find the direct quotations in a stretch of Markdown, whichever marks they stand in. Pure.

Curly, straight, angle and corner marks, single and double; nested in the other or the same style;
opened in one style and closed in another, as models do. Titles in 《》 and 〈〉 are no quotations,
nor is anything in code or math. An apostrophe is no quotation mark.
"""

import re
from dataclasses import dataclass

LONGEST = 2000
MOST_STEPS = 20_000
"""Marks looked at in one text; what stands behind so many is read as text without quotations."""
CITE = "\0"
"""Stands where a source is cited; a mark of another style before it closes a quotation."""
HIDDEN = "\x01"
"""Stands for what is no quotation mark though it looks like one."""
DEEPEST = 4
"""Quotations inside quotations that are followed so far; deeper ones are taken as text."""

CLOSERS = {
    "“": "”", "„": "“”", "‟": "”", "«": "»", "»": "«", "‹": "›", "›": "‹", "「": "」", "『": "』",
    "﹁": "﹂", "﹃": "﹄", "｢": "｣", "〝": "〞〟", "‘": "’", "‚": "‘’", '"': '"', "＂": "＂",
    "'": "'",
}  # fmt: skip
MIXED = {"“": '"', '"': "”", "‘": "'", "'": "’", "„": '"', "＂": "”"}
"""What closes a quotation that nothing of its own style closes."""
AMBIGUOUS = frozenset("\"'’‘“»«›‹＂")
"""Marks that the letters beside them must show to be opening or closing."""
SINGLE = frozenset("'’")
TEX_QUOTE = re.compile(r"``(?!`)(.{1,2000}?)''", re.DOTALL)
NO_QUOTATION_IN = re.compile(
    r"(?<!`)(`+)(?!`)[^\n]{1,500}?(?<!`)\1(?!`)|\$[^$\n]{1,300}\$|\\\(.{1,300}?\\\)|\\\[.{1,300}?\\\]"
)
BEFORE_CITE = re.compile(rf"[.,。，]?\s?{CITE}")
MARKS = re.compile("[" + re.escape("".join({*CLOSERS, *"".join(CLOSERS.values())})) + "]")


@dataclass(frozen=True, slots=True)
class Quotation:
    """Offsets of a quotation with its marks, and what stands between them."""

    start: int
    end: int
    inside: str


def quotations(text: str) -> list[Quotation]:
    """The outermost quotations of `text`, in order.

    >>> [each.inside for each in quotations("“He said ‘no’” and 「価格」, it’s 5\\" wide")]
    ['He said ‘no’', '価格']
    """
    text = TEX_QUOTE.sub(lambda tex: f"“{HIDDEN}{tex[1]}{HIDDEN}”", text)
    masked = NO_QUOTATION_IN.sub(lambda code: MARKS.sub(HIDDEN, code[0]), text)
    scan = _Scan(masked)
    found: list[Quotation] = []
    at = 0
    while mark := MARKS.search(masked, at):
        at = mark.start()
        end = scan.end_of(at, 0) if scan.opens(at) else None
        if end is None:
            at += 1
            continue
        inside = text[at + 1 : end - 1].replace(HIDDEN, "").replace(CITE, "").strip()
        if inside:
            found.append(Quotation(at, end, inside))
        at = end
    return found


class _Scan:
    """Where each quotation of one text ends; every mark is looked at once a depth."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._ends: dict[tuple[int, int], int | None] = {}
        self._steps = 0

    def end_of(self, at: int, depth: int) -> int | None:
        """Past the mark that closes the quotation opened at `at`; None if nothing does."""
        if (at, depth) not in self._ends:
            opener = self.text[at]
            end = self._closed_by(at, CLOSERS[opener], depth)
            if end is None and opener in MIXED:
                end = self._closed_by(at, MIXED[opener], depth)
            self._ends[at, depth] = end
        return self._ends[at, depth]

    def _closed_by(self, at: int, closers: str, depth: int) -> int | None:
        limit = min(len(self.text), at + 1 + LONGEST)
        after = at + 1
        while mark := MARKS.search(self.text, after, limit):
            after = mark.end()
            self._steps += 1
            if self._steps > MOST_STEPS:
                return None
            is_before_cite = mark[0] == MIXED.get(self.text[at]) and self._is_before_cite(after)
            if (is_before_cite or mark[0] in closers) and self._closes(mark.start()):
                return after
            if depth < DEEPEST and mark[0] in CLOSERS and self.opens(mark.start()):
                after = self.end_of(mark.start(), depth + 1) or after
        return None

    def opens(self, at: int) -> bool:
        """Whether the mark at `at` can open a quotation, by what stands beside it."""
        mark, before, after = self.text[at], self._char(at - 1), self._char(at + 1)
        if mark not in CLOSERS or not after or (after.isspace() and mark != "«"):
            return False
        if mark not in AMBIGUOUS or mark in "«“":
            return True
        if _is_latin(before):
            return False
        is_decade = mark in "'‘" and after.isdigit() and self._char(at + 3) == "s"
        return not is_decade

    def _is_before_cite(self, at: int) -> bool:
        return bool(BEFORE_CITE.match(self.text, at))

    def _closes(self, at: int) -> bool:
        mark, before, after = self.text[at], self._char(at - 1), self._char(at + 1)
        if mark not in AMBIGUOUS or mark == "»":
            return True
        if before.isspace() and mark != "«":
            return False
        if _is_latin(after) and (mark in SINGLE or _is_latin(before)):
            return False
        return not (mark in SINGLE and self._is_possessive(at))

    def _is_possessive(self, at: int) -> bool:
        """`the papers’ authors`: an apostrophe, if a mark that can close comes later."""
        following = self.text[at + 1 : at + 3]
        if self._char(at - 1) != "s" or not re.fullmatch(r" [a-z]", following):
            return False
        rest = self.text[at + 1 : at + 1 + LONGEST]
        return bool(re.search(rf"\S{self.text[at]}(?!\w)", rest.split("‘")[0]))

    def _char(self, at: int) -> str:
        return self.text[at] if 0 <= at < len(self.text) else ""


def _is_latin(character: str) -> bool:
    """Whether the character is a letter or digit of a script that parts words by spaces."""
    return bool(character) and character.isalnum() and character < "\u2e80"
