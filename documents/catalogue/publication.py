"""Where and when a paper came out, as its first pages say. Pure."""

import re
from collections.abc import Sequence

from documents.catalogue.front_lines import (
    FrontLine,
    edge_texts,
    folded,
    is_at_edge,
    joined,
    spelt_out,
)

_Y = r"(?:1[89]\d\d|20[0-4]\d)"
_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
    r"|januar|februar|märz|mai|juni|juli|oktober|dezember"
    r"|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre"
    r"|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre)"
)
_DATE = (
    rf"(?:\d{{1,2}}[./‑-]\d{{1,2}}[./‑-]|(?:\d{{1,2}}(?:st|nd|rd|th|\.)?\s+(?:de\s+)?)?{_MONTH}\.?"
    rf"\s+(?:\d{{1,2}},?\s+)?(?:de\s+)?|)(?P<year>{_Y})"
)
_PUBLISHED = re.compile(
    rf"(?:published(?:\s+online)?|publication date|posted|first online|issue date|출판일|발행일"
    rf"|出版日期|发表时间|发布日期|网络首发(?:时间)?)\s*[:：]?\s*(?:on\s+)?{_DATE}(?!\d)"
    rf"|(?P<year2>{_Y})[-年./]\s*\d\d?[-月./]\s*\d\d?日?\s*(?:发布|公布)",
    re.IGNORECASE,
)
_COPYRIGHT = re.compile(
    rf"(?:©|\(c\)|c⃝|\ufffd|copyright)[^\n]{{0,50}}?(?<!\d)(?P<year>{_Y})(?!\d)", re.IGNORECASE
)
_DATE_ALONE = re.compile(
    rf"^\W*(?:(?:mon|tues|wednes|thurs|fri|satur|sun)day,?\s+)?{_DATE}\W*$"
    rf"|^\W*(?P<year2>{_Y})[-./]\d\d?[-./]\d\d?\W*$"
    rf"|^\W*(?P<year3>{_Y})\s*年(?:\s*\d+\s*[月季].{{0,8}})?$"
    rf"|^[(（]?(?P<year4>{_Y})\s*年.{{0,40}}(?:通过|发布|公布)[)）]?$",
    re.IGNORECASE,
)
_DATE_AT_END = re.compile(
    rf"^.{{0,30}}\b(?:\d{{1,2}}\.?\s+)?{_MONTH}\s+(?P<year>{_Y})(?:\s+\D{{3,40}})?$", re.IGNORECASE
)
_ARXIV_STAMP = re.compile(rf"arXiv:\S+\s*(?:\[[\w.-]+\])?\s*\d{{1,2}}\s+\w{{3,9}}\s+(?P<year>{_Y})")

_NAME = r"(?P<name>[^\W\d_](?:[^\d|()\n/;]|(?<=\w)\((?=\w)){1,90}?)"
_ISSUES = (
    re.compile(rf"^{_NAME}[,|]?\s*\((?P<year>{_Y})\)[,\s]*\d"),
    re.compile(rf"^{_NAME},?\s+\d{{1,4}}(?:\s*[,(]\s*\d+\)?)?\s*\((?P<year>{_Y})\)"),
    re.compile(rf"^{_NAME},?\s+(?P<year>{_Y})[,;]\s*(?:vol(?:ume|\.)?\s*)?\d", re.IGNORECASE),
    re.compile(
        rf"^{_NAME}\s*[,|/]+\s*vol(?:ume|\.)?\s*\d+(?:.{{0,40}}?\b(?P<year>{_Y})\b)?", re.IGNORECASE
    ),
    re.compile(rf"^{_NAME}\s*\|\s*(?:https?://|www\.)"),
    re.compile(rf"^{_NAME}\s+\d{{2,4}}\s+\w+\.org$"),
    re.compile(rf"^[^()]{{3,60}}\((?P<year>{_Y})\),\s*{_NAME},\s*DOI"),
    re.compile(rf"^{_NAME},?\s+doi:\s*10\.", re.IGNORECASE),
    re.compile(rf"(?:^|©\s*{_Y}\s+){_NAME}\s*\|\s*Published by"),
)
_VOLUME = re.compile(
    rf"\bvol(?:ume|\.)?\s*\d+[^\n]{{0,30}}?\b(?P<year>{_Y})\b"
    rf"|\b{_MONTH}\s+(?P<year2>{_Y})[,\s|]+vol(?:ume|\.)"
    rf"|^\d{{1,4}}\s*\((?P<year3>{_Y})\)\s*\w?\d+"
    rf"|^(?P<year4>{_Y});\s?\d+(?:\(\d+\))?:\s?\d+"
    rf"|(?P<year5>{_Y})\s*年\s*(?:第|\d+\s*月)",
    re.IGNORECASE,
)
_AUTHORS_BEFORE = re.compile(
    r"^.{2,60}?\bet\.? al\.?,?\s+"
    r"|^(?:[A-Z]\.[\s-]?)+[A-Z][\w’'-]+(?:,? and (?:[A-Z]\.[\s-]?)*[A-Z][\w’'-]+)?\s+(?=[A-Z])"
)
_PROCEEDINGS = re.compile(
    r"\b(?:appearing )?(?:in )?(?P<name>proceedings of (?:the )?.{8,160}?)"
    rf"(?:,? pages?\b|,\s*\d|\s+\d+\s*[–-]|,? {_Y}\b|\.|\n\n|$)",
    re.IGNORECASE,
)
_THESIS = re.compile(
    r"(?:doctoral|master['’]?s?|ph\.?\s?d\.?|bachelor['’]?s?)\s+(?:thesis|dissertation)"
    r"|(?:thesis|dissertation) submitted|(?:博士|硕士|学士)(?:专业)?学位论文|Diplomarbeit"
    r"|Masterarbeit|Bachelorarbeit|Inauguraldissertation|thèse de doctorat",
    re.IGNORECASE,
)
_UNIVERSITY = re.compile(
    r"((?:the )?University of [A-Z][\w’-]+(?:,? [A-Z][\w’-]+){0,3}|(?:[A-Z][\w’-]+ ){1,4}University"
    r"(?: of [A-Z][\w’-]+(?: and [A-Z][\w’-]+| [A-Z][\w’-]+)?)?|[\u4e00-\u9fff]{2,12}大学"
    r"|(?:Technische )?Universität [A-Z]\w+|Université [A-Z][\w’ -]{2,40})"
)
_SERVERS = (("arXiv", r"\barXiv:"), ("bioRxiv", r"\bbioRxiv\b"), ("medRxiv", r"\bmedRxiv\b"))


def year_of(first: Sequence[FrontLine], second: Sequence[FrontLine], *, title: str) -> int | None:
    """The year that the paper is cited with; None where its pages don't plainly say one.

    In this order: a citation of itself, volume and year, "published", copyright, a date by itself.
    """
    text = "\n".join(spelt_out(line.text) for line in first)
    if year := _self_cited(text, title)[0]:
        return year
    edges = [*edge_texts(first), *(line.text for line in second if line.is_margin)]
    for line in edges:
        if year := _issue(line)[1] or _year(_VOLUME.search(_bare(line))):
            return year
    return (
        _year(_PUBLISHED.search(text))
        or _year(_COPYRIGHT.search(text))
        or _year(_ARXIV_STAMP.search(text))
        or next((year for line in first if (year := _date_alone(line))), None)
    )


def venue_of(
    first: Sequence[FrontLine], second: Sequence[FrontLine], *, title: str, subject: str
) -> str:
    """The journal, proceedings, university or preprint server; "" where nothing names it."""
    text = "\n".join(spelt_out(line.text) for line in first)
    lines = [
        *edge_texts(first),
        *(line.text for line in second if line.is_margin or is_at_edge(line)),
    ]
    for line in lines:
        if (venue := _issue(line)[0]) and _is_name(venue, title):
            return venue
    if cited := _self_cited(text, title)[1]:
        return cited
    found = _PROCEEDINGS.search(joined(text.split("\n"), seen=text)[:20000])
    if found and _is_name(found["name"], title):
        return found["name"].strip(" .,")
    return _from_subject(subject, text, title) or _thesis(text) or _server(text)


# --- years and names on one line


def _bare(line: str) -> str:
    """A line without its page number and the authors of a running head."""
    plain = re.sub(r"^\d{1,4}\s+(?=[A-Z])", "", " ".join(spelt_out(line).split()))
    return _AUTHORS_BEFORE.sub("", plain)


def _issue(line: str) -> tuple[str, int | None]:
    """The journal and the year of a line such as "Sensors 2022, 22, 5300"."""
    bare = _bare(line)
    if len(bare) > 200:
        return "", None
    for pattern in _ISSUES:
        if found := pattern.search(bare):
            return found["name"].strip(" .,|-–—"), _year(found)
    return "", None


def _year(found: re.Match[str] | None) -> int | None:
    if found is None:
        return None
    years = [value for key, value in found.groupdict().items() if key.startswith("year") and value]
    return int(years[0]) if years else None


def _date_alone(line: FrontLine) -> int | None:
    text = " ".join(line.text.split())
    if len(text) > 70 or line.rect[1] > 0.92:
        return None
    return _year(_DATE_ALONE.search(text)) or _year(_DATE_AT_END.search(text))


def _self_cited(text: str, title: str) -> tuple[int | None, str]:
    """Year and venue of a citation of the paper on its own first page."""
    start = folded(title)[:40]
    if len(start) < 12:
        return None, ""
    year, venue = None, ""
    plain = joined(text.split("\n"), seen=text)
    for found in re.finditer(rf"(?:\((?P<year>{_Y})\)[.:,]?|\b(?P<year2>{_Y})\.)\s", plain):
        if folded(plain[found.end() : found.end() + 90]).startswith(start[:25]):
            year = _year(found)
            rest = _after_title(plain[found.end() : found.end() + 600], title)
            named = re.match(r"[.\s,]*([A-Z][^\d(.,;:]{3,80}?)(?:[.,]?\s*[\d(¿]|,|\.\s)", rest)
            venue = named[1].strip() if named and _is_name(named[1], title) else ""
            return year, venue
    return _cited_after_title(plain, title)


def _cited_after_title(plain: str, title: str) -> tuple[int | None, str]:
    """ "Title. Annals of Global Health. 2026; 92(1)" """
    for found in re.finditer(
        rf"\.\s+(?P<name>[A-Z][^\d.]{{2,80}})\.?\s+(?P<year>{_Y})[;,]\s?\d", plain
    ):
        if folded(plain[: found.start()]).endswith(folded(title)[-40:]) and _is_name(
            found["name"], title
        ):
            return int(found["year"]), found["name"].strip()
    return None, ""


def _after_title(text: str, title: str) -> str:
    """What follows the title in a text that begins with it."""
    wanted, seen = len(folded(title)), 0
    for index, character in enumerate(text):
        seen += len(folded(character))
        if seen >= wanted:
            return text[index + 1 :]
    return ""


_SMALL = frozenset(
    ("of", "the", "and", "for", "in", "on", "de", "la", "et", "und", "der", "die", "das", "di", "&")
)
_NO_VENUE = re.compile(
    r"^(?:january|february|march|april|may|june|july|august|september|october|november|december)$"
    r"|copyright|rights reserved|article|received|accepted|author|https?:|licen[sc]e|this |page"
    r"|available|verdate|preprint|abstract|\bdoi\b|correspond",
    re.IGNORECASE,
)


def _is_name(name: str, title: str) -> bool:
    """Whether words look like the name of a journal: few, in capitals, and not the title."""
    words = name.replace("-", " ").split()
    if not 1 <= len(words) <= 20 or len(name) < 3 or _NO_VENUE.search(name):
        return False
    short, whole = folded(name), folded(title)
    if short in whole and (whole.startswith(short) or 2 * len(short) > len(whole)):
        return False
    large = [w for w in words if w.lower() not in _SMALL and w[0].isalpha()]
    return bool(large) and all(w[0].isupper() or not w[0].isascii() for w in large)


def _from_subject(subject: str, shown: str, title: str) -> str:
    """The journal out of the file's subject, if the pages show it too."""
    for part in [subject, *subject.split(";")]:
        name, *rest = re.split(r",?\s*(?:\d{4}-\d\d|doi:|\d+ \()", part.strip())
        name = _issue(part)[0] or (name if rest or _JOURNAL.search(name) else "")
        if _is_name(name, title) and len(name) < 90 and folded(name) in folded(shown):
            return name.strip(" .,")
    return ""


_JOURNAL = re.compile(
    r"\b(?:journal|annals|transactions|proceedings|review)\b|学报|杂志", re.IGNORECASE
)


def _thesis(text: str) -> str:
    if not _THESIS.search(text[:4000]):
        return ""
    found = _UNIVERSITY.search(text)
    return found[1] if found else ""


def _server(text: str) -> str:
    return next((name for name, pattern in _SERVERS if re.search(pattern, text)), "")
