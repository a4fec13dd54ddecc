"""The title of a paper and the names under it, found on its first page by size and place. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile

from documents.catalogue.author_names import is_placeholder, looks_like_noise, names_in
from documents.catalogue.front_lines import (
    RAISED,
    FrontLine,
    body_size,
    folded,
    groups,
    is_wide,
    joined,
    rows,
)
from documents.catalogue.titles import is_junk_title, plain_title

LOWEST_TITLE = 0.66
LARGER_THAN_BODY = 1.1
MOST_LINES = 8
MOST_CHARACTERS = 350
_KIND = re.compile(
    r"^(?:policy brief|(?:discussion|working|position|white|conference) papers?|technical reports?"
    r"|(?:original )?(?:research )?(?:article|paper)s?|original research|(?:systematic )?reviews?"
    r"|review articles?|case (?:report|study)|short communication|letter|editorial|perspective"
    r"|commentary|open access|news release|proposed rules|rules and regulations|notices"
    r"|research open access|.{0,24}标准|.{0,12}学位论文|.{0,8}毕业(?:设计|论文).{0,6}"
    r"|调查报告|研究报告)$",
    re.IGNORECASE,
)
_HEADING = re.compile(
    r"^(?:abstract|summary|introduction|keywords?|contents|authors?|background|references"
    r"|abbreviations|nomenclature|table of contents|foreword|preface"
    r"|résumé|zusammenfassung|resumen|摘\s*要|目\s*录|引\s*言|前\s*言|关键词|초록|요약)\s*[:：.]?$",
    re.IGNORECASE,
)
_END_OF_FRONT = re.compile(
    r"^(?:\d?\.?\s*introduction|abstract|a\s?b\s?s\s?t\s?r\s?a\s?c\s?t|summary|résumé|resumen"
    r"|zusammenfassung|摘\s*要|引\s*言|目\s*录|contents|초록|요약)(?![a-z])",
    re.IGNORECASE,
)
_JOURNAL = re.compile(
    r"^(?:\w+ )?(?:the )?(?:[\w&]+ )?(?:journal|annals|archives|proceedings|transactions|bulletin"
    r"|revista|zeitschrift)\b(?: (?:of|for|on|in|de)\b|$)|(?:学报|杂志|通报|期刊)$",
    re.IGNORECASE,
)
_COMPANY = re.compile(r"(?:公司|集团|大学|学院|研究院|委员会)$")
_REPORT = re.compile(r"(?:报告|说明书|公告|年报|白皮书|方案|规定|办法)(?:全文|摘要)?$")


def title_group(lines: Sequence[FrontLine], *, info_title: str, elsewhere: str) -> list[FrontLine]:
    """The lines of the title; [] if none stands out as one.

    `info_title` is the file's own title (it only chooses between what the page shows), `elsewhere`
    the text of the following pages, where a journal's name comes back with volume and year.
    """
    candidates = [
        group
        for between in _between_headings(lines)
        for group in groups(between)
        if _may_be_title(group)
    ]
    if named := _named(candidates, folded(info_title)):
        return named
    body = body_size(lines)
    candidates = [
        group
        for group in candidates
        if group[0].size >= LARGER_THAN_BODY * body and not _is_masthead(group, lines, elsewhere)
    ]
    if not candidates:
        return []
    largest = max(group[0].size for group in candidates)
    return next(group for group in candidates if group[0].size >= 0.97 * largest)


def title_text(group: Sequence[FrontLine], lines: Sequence[FrontLine]) -> str:
    """The title with its subtitle where a colon announces one; "" if it says nothing."""
    if not group:
        return ""
    seen = "\n".join(line.text for line in lines)
    whole = [*group, *_subtitle(group, lines)]
    title = joined([line.marked.rstrip(RAISED + " ") for line in whole], seen=seen)
    title = title.replace(RAISED, "")
    title = plain_title(re.sub(r"[\s*†‡§¶#∗✉⋆☆⁎]+$", "", title))
    return "" if is_junk_title(title) or len(title) > MOST_CHARACTERS else title


def authors_under(group: Sequence[FrontLine], lines: Sequence[FrontLine]) -> list[str]:
    """The names that stand under the title; [] where it is not certain that these are all."""
    zone = _zone(group, lines)
    names: list[str] = []
    size, goes_on, since_names = 0.0, True, 0
    for entry in _entries(zone):
        if names and (not goes_on or since_names > 6):
            break
        found = entry.names if not names or _same(entry.size, size) else []
        if found and (names or _is_prominent(found, entry.size, zone)):
            names += found
            size, goes_on, since_names = entry.size, len(found) == 1 or entry.columns > 1, 0
        elif is_placeholder(entry.text) and not names:
            return []
        else:
            since_names += 1
            if names and since_names == 1 and not looks_like_noise(entry.text):
                break
    if any(entry.columns > 1 for entry in _entries(zone)):
        names = _as_cited(names, "\n".join(line.text for line in lines))
    runs_on = goes_on and len(names) > 1 and since_names <= 2 and _fills(zone)
    return [] if runs_on else list(dict.fromkeys(names))


def _between_headings(lines: Sequence[FrontLine]) -> list[list[FrontLine]]:
    runs: list[list[FrontLine]] = [[]]
    for line in lines:
        if _HEADING.match(line.text.strip()):
            runs.append([])
        else:
            runs[-1].append(line)
    return runs


def _may_be_title(group: Sequence[FrontLine]) -> bool:
    if group[0].rect[1] > LOWEST_TITLE or len(group) > MOST_LINES:
        return False
    text = joined([line.text for line in group])
    if len(text) > MOST_CHARACTERS:
        return False
    if _KIND.match(text) or _HEADING.match(text) or _END_OF_FRONT.match(text):
        return False
    letters = [c for c in text if c.isalpha()]
    wide = sum(is_wide(c) for c in letters)
    enough = wide >= 4 or len(text.split()) >= 2 or len(letters) >= 9
    return enough and len(letters) >= 0.5 * len(text.replace(" ", "")) and not is_junk_title(text)


def _named(candidates: Sequence[list[FrontLine]], info: str) -> list[FrontLine]:
    """The group that says what the file's own title says."""
    if len(info) < (4 if is_wide(info[:1]) else 10):
        return []
    for group in sorted(candidates, key=lambda group: -group[0].size):
        shown = folded(joined([line.text for line in group]))
        if (info in shown and len(shown) < 2 * len(info)) or (
            len(shown) >= 0.6 * len(info) and shown in info
        ):
            return group
    return []


def _is_masthead(group: Sequence[FrontLine], lines: Sequence[FrontLine], elsewhere: str) -> bool:
    """A journal's name, an organisation, a series: what stands above many titles."""
    text = joined([line.text for line in group])
    if _JOURNAL.search(text) or names_in(text):
        return True
    if (
        len(group) == 1
        and text.isascii()
        and re.search(
            re.escape(" ".join(text.split())) + r",?\W{0,3}(?:\d{1,4}\b|\(\d{4}\)|vol)",
            elsewhere,
            re.IGNORECASE,
        )
    ):
        return True
    return _beside_distribution(group, lines)


def _beside_distribution(group: Sequence[FrontLine], lines: Sequence[FrontLine]) -> bool:
    """Documents of the United Nations print "Distr." beside the name of the organisation."""
    return any(
        re.match(r"Distr\.?\b", line.text) and group[0].rect[1] <= line.rect[1] + 0.05
        for line in lines
    )


def _subtitle(group: Sequence[FrontLine], lines: Sequence[FrontLine]) -> list[FrontLine]:
    last = group[-1]
    following = _below(last, lines)
    if not following:
        return []
    following = list(takewhile(lambda line: not is_placeholder(line.text), following))
    text, next_text = last.text.rstrip(), joined([line.text for line in following])
    if text.endswith((":", "：", "—", "——")):
        return following
    whole = joined([line.text for line in group])
    return following if _COMPANY.search(whole) and _REPORT.search(next_text) else []


def _below(last: FrontLine, lines: Sequence[FrontLine]) -> list[FrontLine]:
    """The group right under a line."""
    height = last.rect[3] - last.rect[1]
    for group in groups(lines):
        gap = group[0].rect[1] - last.rect[3]
        overlap = min(last.rect[2], group[0].rect[2]) - max(last.rect[0], group[0].rect[0])
        if -0.2 * height < gap < 2.5 * height and overlap > 0 and group[0] is not last:
            return group
    return []


def _zone(group: Sequence[FrontLine], lines: Sequence[FrontLine]) -> list[list[FrontLine]]:
    """The rows under the title up to the abstract or the introduction, margins left out."""
    whole = [*group, *_subtitle(group, lines)]
    bottom, left = whole[-1].rect[3], min(line.rect[0] for line in group)
    under = [
        line
        for line in lines
        if bottom - 0.005 <= line.rect[1] < 0.9 and line.rect[2] > left and line not in whole
    ]
    zone: list[list[FrontLine]] = []
    for row in rows([line for line in under if line.size > 0]):
        if any(_END_OF_FRONT.match(line.text.strip()) for line in row):
            break
        zone.append(row)
    return zone[:60]


def _as_cited(names: list[str], text: str) -> list[str]:
    """Names set in columns in the order of a citation on the page ("Ndifoin BN, Kanmounye US")."""
    places = [
        re.search(rf"\b(?i:{re.escape(name.split()[-1])})\s+[A-Z]{{1,4}}\b", text) for name in names
    ]
    found = [place.start() for place in places if place]
    if len(found) < len(names) or not found or max(found) - min(found) > 60 * len(names):
        return names
    return [name for _, name in sorted(zip(found, names, strict=True))]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A row, or several that are one wrapped text; in columns, its parts are joined by commas."""

    text: str
    size: float
    columns: int
    names: list[str]


def _entries(zone: Sequence[list[FrontLine]]) -> list[_Entry]:
    found: list[_Entry] = []
    goes_on = False
    for row in zone:
        text = ", ".join(line.marked.strip(" ") for line in row)
        size = max(line.size for line in row)
        names = names_in(text)
        ends_open = bool(re.search(r"(?:[,;&，、]|\band)\W*$", text))
        if goes_on and found and _same(size, found[-1].size):
            before = found.pop()
            whole = f"{before.text} {text}"
            names = names_in(whole)
            if not names and before.names:  # the list was at its end, the next line is another
                found.append(before)
                whole, names = text, names_in(text)
            text = whole
        found.append(_Entry(text, size, len(row), names))
        wide = len(row) == 1 and row[0].width > 0.45 and not looks_like_noise(text)
        goes_on = ends_open or wide
    return found


def _is_prominent(names: Sequence[str], size: float, zone: Sequence[list[FrontLine]]) -> bool:
    """One name alone might be any two words: it has to be set apart from running text."""
    if len(names) > 1 or any(is_wide(c) for c in names[0]):
        return True
    body = body_size([line for row in zone for line in row])
    noise = any(looks_like_noise(line.text) for row in zone[:8] for line in row)
    return size > 1.02 * body or noise


def _fills(zone: Sequence[list[FrontLine]]) -> bool:
    """Whether the rows reach the foot of the page: the list may go on overleaf."""
    return bool(zone) and zone[-1][0].rect[3] > 0.85


def _same(size: float, other: float) -> bool:
    return abs(size - other) <= 0.05 * max(size, other)
