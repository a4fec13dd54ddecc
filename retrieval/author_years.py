"""How people name a paper by who wrote it and when: "Ruiz et al. (2020)", "张三（2019）". Pure."""

import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from rapidfuzz import fuzz

LEAST_ALIKE = 88.0
"""Of 100: one letter of eight may be mistyped."""
SHORTEST_FUZZY = 6
"""Letters of a surname from which on a typing error is forgiven."""

_LETTER = r"[^\W\d_\u3000-\u9fff]"
_NAME = rf"(?<!\w)(?![a-z]){_LETTER}+(?:['’-]{_LETTER}+)*"
_NAME_IN_CHINESE = rf"(?<![A-Za-z])(?![a-z]){_LETTER}+"
_OTHERS = r",?\s*(?:et\s+al\.?|and\s+(?:others|colleagues)|u\.\s*a\.)"
_SECOND = rf",?\s*(?:and|&|y|und|et)\s+{_NAME}"
_YEAR = r"(?:1[89]|20)\d\d"
_WORK = r"(?:papers?|stud(?:y|ies)|articles?|work|reports?|thes[ei]s|preprints?)"
_LATIN = (
    re.compile(
        rf"(?P<name>{_NAME})(?:(?P<cue>{_OTHERS})|{_SECOND})?(?:['’]s?)?"
        rf"(?:,?\s*[(\[（]\s*(?P<in_brackets>{_YEAR})[a-z]?\s*[)\]）]|,?\s+(?P<bare>{_YEAR})[a-z]?)?"
    ),
    re.compile(rf"(?P<name>{_NAME})(?P<cue>['’]s?\s+{_WORK})\b"),
    re.compile(
        rf"(?P<name>{_NAME_IN_CHINESE})\s*(?P<cue>等人?|et\s+al\.?)\s*"
        rf"(?:[(（\[]?\s*(?P<bare>{_YEAR})\s*年?\s*[)）\]]?)?"
    ),
)
_WORKS_BY = re.compile(
    rf"\b{_WORK}\s+(?:by|of|from)\s+(?P<names>{_NAME}(?:(?:,\s*(?:and\s+)?|\s+and\s+|\s*&\s*){_NAME})*)"
)
_ONE_NAME = re.compile(_NAME)
_HAN_REST = (
    rf"(?P<cue>等人?)?\s*(?:[(（\[]\s*(?P<in_brackets>{_YEAR})\s*年?\s*[)）\]]|(?P<bare>{_YEAR})\s*年?)?"
    r"(?P<work>的?(?:论文|文章|研究|一文))?"
)


@dataclass(frozen=True, slots=True)
class AuthorYear:
    """A surname, perhaps a year, and where in the question they stand: `[start, end)`.

    `is_sure`: it can be nothing but a paper; "Iraq 2021" may be a place and a time.
    """

    name: str
    year: int | None
    start: int
    end: int
    is_sure: bool = True

    @property
    def words(self) -> str:
        return f"{self.name} {self.year}" if self.year else self.name


def author_years(question: str, *, chinese_names: Collection[str] = ()) -> tuple[AuthorYear, ...]:
    """Surnames with a year, "et al." or "the paper by" beside them, in order, none inside another.

    Chinese names stand among other words without a space, so only `chinese_names` are seen.

    >>> [each.words for each in author_years("Compare Ruiz et al. (2020) with Lee 2019.")]
    ['Ruiz 2020', 'Lee 2019']
    >>> found = author_years("比较王芳等（2021）与 Lee 等人 2019 年的研究", chinese_names=["王芳"])
    >>> [each.words for each in found]
    ['王芳 2021', 'Lee 2019']
    >>> author_years("What happened in March 2020?")
    ()
    """
    found: list[AuthorYear] = []
    mentions = [
        *_latin(question),
        *_listed(question),
        *_chinese(question, chinese_names),
    ]
    for each in sorted(mentions, key=lambda each: (each.start, -each.end)):
        if not found or each.start >= found[-1].end:
            found.append(each)
    return tuple(found)


def _latin(question: str) -> Iterator[AuthorYear]:
    for pattern in _LATIN:
        for match in pattern.finditer(question):
            year = _year(match)
            if (year or match["cue"]) and match["name"].casefold() not in _NO_SURNAMES:
                sure = bool(match["cue"] or match.groupdict().get("in_brackets"))
                yield AuthorYear(match["name"], year, match.start(), match.end(), sure)


def _listed(question: str) -> Iterator[AuthorYear]:
    """The names in "the papers by Ruiz and Lee", each for itself."""
    for works in _WORKS_BY.finditer(question):
        for name in _ONE_NAME.finditer(question, *works.span("names")):
            if name[0].casefold() not in _NO_SURNAMES:
                yield AuthorYear(name[0], None, name.start(), name.end(), is_sure=False)


def _chinese(question: str, names: Collection[str]) -> Iterator[AuthorYear]:
    if not names:
        return
    longest_first = sorted(names, key=lambda name: (-len(name), name))
    pattern = re.compile(rf"(?P<name>{'|'.join(map(re.escape, longest_first))}){_HAN_REST}")
    for match in pattern.finditer(question):
        year = _year(match)
        if year or match["cue"] or match["work"]:
            yield AuthorYear(match["name"], year, match.start(), match.end())


def _year(match: re.Match[str]) -> int | None:
    groups = match.groupdict()
    year = groups.get("in_brackets") or groups.get("bare")
    return int(year) if year else None


_NO_SURNAMES = frozenset(
    """in since from until by before after during of year the this that between and or compare with
    january february march april may june july august september october november december spring
    summer autumn fall winter figure table section chapter equation covid""".split()  # noqa: SIM905
)


def wrote(surname: str, authors: Sequence[str]) -> bool:
    """Whether one of `authors` ("Given Surname", "Surname, Given", "张三") has the surname.

    >>> wrote("Müller", ["Anna Muller", "B. Lee"]), wrote("Lee", ["Anna Muller", "B. Leeds"])
    (True, False)
    >>> wrote("王芳", ["王芳"]), wrote("Bernardini", ["C. Bernardni"])
    (True, True)
    """
    wanted = _letters(surname)
    return any(_same(wanted, part) for author in authors for part in _parts(author))


def _parts(author: str) -> Iterator[str]:
    words = re.split(r"[\s,.;]+", author)
    yield _letters(author)
    yield from (_letters(word) for word in words if len(word) > 1)


def _same(wanted: str, name: str) -> bool:
    if wanted == name:
        return True
    return min(len(wanted), len(name)) >= SHORTEST_FUZZY and fuzz.ratio(wanted, name) >= LEAST_ALIKE


def _letters(text: str) -> str:
    apart = unicodedata.normalize("NFKD", text).casefold()
    return "".join(filter(str.isalnum, apart))
