"""Which papers a question names: by title, author and year, label, or citation number. Pure.

A name that fits several papers is never resolved by a guess: it is given back with all of them.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from rapidfuzz import fuzz

from documents.chunks.tokens import keyword_tokens
from retrieval.author_years import AuthorYear, author_years, wrote

LEAST_ALIKE = 90.0
"""Of 100, from which on a stretch of the question is the title: a few letters may be mistyped."""
MARGIN = 4.0
"""Points by which the best title must be ahead of the next."""
SHORTEST_TITLE = 10
"""Letters of a title that may stand in a question without marks around it; Chinese counts double.
"""
SHORTEST_RUN = 8
"""So much of one title alone, word by word, names its paper: Chinese signs count 1, words 2."""
MOST_ASKED = 6
"""Candidates that are shown for an unclear name."""

_QUOTED = re.compile(
    r"《(?P<book>[^》]{2,300})》|“(?P<double>[^”]{2,300})”|\"(?P<plain>[^\"]{2,300})\""
    r"|「(?P<corner>[^」]{2,300})」|『(?P<white>[^』]{2,300})』"
)
_KIND = (
    r"(?:papers?|article|study|preprint|manuscript|report|thesis|review|manual|handbook|standard"
    r"|brief|law|act|case report|lecture notes?|book|survey)"
)
_DESCRIBED = re.compile(
    rf"\b(?:the|this|that)\s+(?P<words>(?:[\w./–-]+\s+){{1,6}}?){_KIND}\b(?!s)", re.IGNORECASE
)
_KIND_CHINESE = "(?:论文|文章|研究|报告|手册|标准|综述|一文)"
_DESCRIBED_CHINESE = re.compile(
    rf"(?:关于|有关|讨论|研究)(?P<words>[^，。、？！；和与跟]{{2,20}}?)的(?:那篇|这篇)?{_KIND_CHINESE}"
)
_POINTED_AT_CHINESE = re.compile(
    r"(?:^|[，。、？！；和与跟同及]|比较|对比)\s*(?P<words>[^，。、？！；和与跟同及]{2,16}?)的?"
    rf"(?:那篇|这篇){_KIND_CHINESE}"
)
_NUMBER = re.compile(
    r"\[(?P<brackets>\d{1,3})\]"
    r"|\b(?:source|citation|reference|ref\.)\s*(?:no\.?\s*)?#?(?P<source>\d{1,3})\b"
    r"|(?:文献|来源|引文|引用)\s*(?:第\s*)?(?P<chinese>\d{1,3})(?!\d)",
    re.IGNORECASE,
)
_PLAIN_WORDS = frozenset("same other first second third last previous above following".split())  # noqa: SIM905
_SUBTITLE = re.compile(r"[:：—–？]| - |\?(?=\s)")
_BETWEEN_NAMES = re.compile(r"[,，、;；和与跟及]|\b(?:and|or|with|to|versus|vs)\b", re.IGNORECASE)
FARTHEST_BESIDE = 30
"""Characters between two names of one paper: "Wu (2026), Climate anxiety among students"."""
_LABEL_EDGE = r"[A-Za-z0-9]"
_HAN_SIGN = re.compile(r"[\u3400-\u9fff]")
_WORD_OR_SIGN = re.compile(r"[\u3400-\u9fff]|[^\W\u3400-\u9fff]+")


@dataclass(frozen=True, slots=True)
class Paper:
    """What a paper may be called. `key` is the document's public id."""

    key: str
    title: str
    authors: tuple[str, ...] = ()
    year: int | None = None
    labels: tuple[str, ...] = ()
    """File name without its ending, DOI, arXiv id, citation key."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of the question and the papers that it may mean: one, several, or none."""

    words: str
    papers: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Names:
    """`found` are the keys of the papers named, in order, each once.

    `unclear` fit several papers, `unknown` none. `rest` is the question without what names papers.
    """

    found: tuple[str, ...] = ()
    unclear: tuple[Mention, ...] = ()
    unknown: tuple[str, ...] = ()
    rest: str = ""

    def as_json(self) -> dict[str, Any]:
        """Empty where nothing was named."""
        values = {
            "found": list(self.found),
            "unclear": [
                {"words": each.words, "papers": list(each.papers)} for each in self.unclear
            ],
            "unknown": list(self.unknown),
        }
        return values if any(values.values()) else {}


def named_papers(
    question: str, papers: Sequence[Paper], *, cited: Mapping[int, str] | None = None
) -> Names:
    """The papers that `question` names. `cited` are the keys by the numbers that its reader sees.

    >>> ruiz = Paper("a", "Shade and the yield of cocoa", ("Ana Ruiz",), 2020)
    >>> lees = [Paper(key, f"Bees {key}", ("B. Lee",), 2019) for key in ("b", "c")]
    >>> names = named_papers("Do Ruiz (2020) and Lee (2019) agree on shade?", [ruiz, *lees])
    >>> names.found, [(each.words, each.papers) for each in names.unclear], names.rest
    (('a',), [('Lee 2019', ('b', 'c'))], 'Do and agree on shade?')
    """
    catalogue = _Catalogue(papers)
    mentions: list[Mention] = []
    for each in _all_mentions(question, catalogue, cited or {}):
        if not any(each.start < other.end and other.start < each.end for other in mentions):
            mentions.append(each)
    mentions.sort(key=lambda each: each.start)
    mentions = _cleared(question, mentions)
    return Names(
        found=tuple(dict.fromkeys(each.papers[0] for each in mentions if len(each.papers) == 1)),
        unclear=tuple(each for each in mentions if len(each.papers) > 1),
        unknown=tuple(each.words for each in mentions if not each.papers),
        rest=_without(question, mentions),
    )


def _cleared(question: str, mentions: Sequence[Mention]) -> list[Mention]:
    """What is not clear by itself, but stands beside another name of one of its papers, is."""
    cleared = []
    for place, each in enumerate(mentions):
        neighbours = (*mentions[max(place - 1, 0) : place], *mentions[place + 1 : place + 2])
        beside = next((o for o in neighbours if _says_the_same(question, each, o)), None)
        cleared.append(replace(each, papers=beside.papers) if beside else each)
    return cleared


def _says_the_same(question: str, unclear: Mention, other: Mention) -> bool:
    between = question[min(unclear.end, other.end) : max(unclear.start, other.start)]
    return (
        len(unclear.papers) > 1
        and len(other.papers) == 1
        and other.papers[0] in unclear.papers
        and len(between) <= FARTHEST_BESIDE
        and not _BETWEEN_NAMES.search(between)
    )


@dataclass
class _Catalogue:
    papers: Sequence[Paper]
    titles: list[str] = field(init=False)
    words: list[frozenset[str]] = field(init=False)
    holders: Counter[str] = field(init=False)

    def __post_init__(self) -> None:
        self.titles = [folded(paper.title) for paper in self.papers]
        self.words = [_title_words(paper.title) for paper in self.papers]
        self.holders = Counter(word for words in self.words for word in words)


def _all_mentions(
    question: str, catalogue: _Catalogue, cited: Mapping[int, str]
) -> Iterator[Mention]:
    """The surest kinds first: what overlaps with them later is left out."""
    yield from _quoted(question, catalogue)
    yield from _labelled(question, catalogue)
    yield from _titled(question, catalogue)
    yield from _partly_titled(question, catalogue)
    yield from _numbered(question, catalogue, cited)
    yield from _authored(question, catalogue)
    yield from _described(question, catalogue)


def _quoted(question: str, catalogue: _Catalogue) -> Iterator[Mention]:
    """Titles in quotation marks, whole or in part. Other things are quoted too, but not by 《》."""
    for match in _QUOTED.finditer(question):
        words = next(group for group in match.groups() if group)
        papers = _best_titles(folded(words), catalogue, fuzz.ratio) or _best_titles(
            folded(words), catalogue, _inside
        )
        if papers or match["book"]:
            yield Mention(words, papers, match.start(), match.end())


def _best_titles(
    words: str, catalogue: _Catalogue, alike: Callable[[str, str], float]
) -> tuple[str, ...]:
    """The papers whose titles are most like `words`, several if they are alike too."""
    scores = [alike(words, title) if title else 0.0 for title in catalogue.titles]
    best = max(scores, default=0.0)
    if best < LEAST_ALIKE:
        return ()
    return tuple(
        paper.key
        for paper, score in zip(catalogue.papers, scores, strict=True)
        if score >= max(LEAST_ALIKE, best - MARGIN)
    )[:MOST_ASKED]


def _inside(words: str, title: str) -> float:
    """How well the words stand in the title, as a part of it."""
    return fuzz.partial_ratio(words, title) if len(words) <= len(title) else 0.0


def _labelled(question: str, catalogue: _Catalogue) -> Iterator[Mention]:
    """Labels as they are written, with nothing joined to them."""
    holders: dict[str, list[str]] = {}
    lowered = question.casefold()
    for paper in catalogue.papers:
        for label in (*paper.labels, *_name_before_colon(paper.title)):
            if label and label.casefold() in lowered:
                holders.setdefault(label, []).append(paper.key)
    for label in sorted(holders, key=lambda each: (-len(each), each)):
        flags = 0 if _is_name(label) else re.IGNORECASE
        pattern = rf"(?<!{_LABEL_EDGE}){re.escape(label)}(?!{_LABEL_EDGE})"
        for match in re.finditer(pattern, question, flags):
            yield Mention(label, tuple(dict.fromkeys(holders[label])), match.start(), match.end())


def _is_name(label: str) -> bool:
    return label.isalpha()


def _name_before_colon(title: str) -> Iterator[str]:
    """What a paper gives a name to: "SPECTER: Document-level Representation"."""
    before, colon, _ = title.partition(":")
    if colon and re.fullmatch(r"[\w-]{3,20}", before) and not before.istitle():
        yield before


def _titled(question: str, catalogue: _Catalogue) -> Iterator[Mention]:
    """Titles, whole or up to their colon, that stand in the question a few letters off."""
    text, places = _folded_with_places(question)
    found = []
    for number, paper in enumerate(catalogue.papers):
        for title in _whole_and_main(paper.title):
            if _length(title) >= SHORTEST_TITLE and len(title) <= len(text) + 2:
                alignment = fuzz.partial_ratio_alignment(title, text, score_cutoff=LEAST_ALIKE)
                if alignment:
                    start, end = alignment.dest_start, alignment.dest_end
                    found.append((_length(title), alignment.score, number, start, end))
    found.sort(key=lambda each: (-each[0], -each[1]))
    for length, score, _, start, end in found:
        if end > start:
            same = {
                catalogue.papers[other[2]].key: None
                for other in found
                if other[0] == length and other[1] >= score - MARGIN and other[3] == start
            }
            first, last = places[start], places[min(end, len(places)) - 1] + 1
            yield Mention(question[first:last], tuple(same)[:MOST_ASKED], first, last)


def _whole_and_main(title: str) -> Iterator[str]:
    yield folded(title)
    for short in (_SUBTITLE.split(title, maxsplit=1)[0], title.removeprefix("中华人民共和国")):
        if short != title:
            yield folded(short)


def _numbered(question: str, catalogue: _Catalogue, cited: Mapping[int, str]) -> Iterator[Mention]:
    """Numbers of citations that the reader sees; none are known outside a conversation.

    A paper that was cited may be gone since, or not be among those that may be used.
    """
    if not cited:
        return
    known = {paper.key for paper in catalogue.papers}
    for match in _NUMBER.finditer(question):
        number = int(next(group for group in match.groups() if group))
        papers = (cited[number],) if cited.get(number) in known else ()
        yield Mention(match[0], papers, match.start(), match.end())


def _authored(question: str, catalogue: _Catalogue) -> Iterator[Mention]:
    chinese = {
        author
        for paper in catalogue.papers
        for author in paper.authors
        if re.fullmatch("[\u3400-\u9fff]{2,4}", author)
    }
    for each in author_years(question, chinese_names=chinese):
        papers = _by_author(each, catalogue.papers)
        if papers or each.is_sure:
            yield Mention(each.words, papers, each.start, each.end)


def _by_author(each: AuthorYear, papers: Sequence[Paper]) -> tuple[str, ...]:
    """Papers by the author and of the year, if one is named; first authors go before others.

    A paper whose year is not known may be of any.
    """
    theirs = [paper for paper in papers if wrote(each.name, paper.authors)]
    if each.year:
        of_the_year = [paper for paper in theirs if paper.year == each.year]
        theirs = of_the_year or [paper for paper in theirs if paper.year is None]
    first = [paper for paper in theirs if wrote(each.name, paper.authors[:1])]
    return tuple(paper.key for paper in (first or theirs))[:MOST_ASKED]


def _described(question: str, catalogue: _Catalogue) -> Iterator[Mention]:
    """ "The crayfish preprint": all words stand in a title."""
    for pattern in (_DESCRIBED, _DESCRIBED_CHINESE, _POINTED_AT_CHINESE):
        for match in pattern.finditer(question):
            words = [word for word in keyword_tokens(match["words"]) if word not in _PLAIN_WORDS]
            if words and all(word in catalogue.holders for word in words):
                papers = _with_words(set(words), catalogue)
                if papers:
                    yield Mention(match[0], papers, match.start(), match.end())


def _with_words(words: set[str], catalogue: _Catalogue) -> tuple[str, ...]:
    return tuple(
        paper.key
        for paper, title in zip(catalogue.papers, catalogue.words, strict=True)
        if words <= title
    )[:MOST_ASKED]


def _partly_titled(question: str, catalogue: _Catalogue) -> Iterator[Mention]:
    """Some neighbouring words of one title, which no other title has in this order.

    Where several have them, they are the subject of the question and name nothing.
    """
    asked = _units(question)
    words = {unit.word for unit in asked}
    best: dict[tuple[int, int], list[str]] = {}
    for paper in catalogue.papers:
        title = _title_units(paper.title)
        if sum(map(_weight, words.intersection(title))) >= SHORTEST_RUN:
            start, length = _longest_run([unit.word for unit in asked], title)
            best.setdefault((start, length), []).append(paper.key)
    for (start, length), papers in sorted(best.items(), key=lambda each: -each[0][1]):
        run = asked[start : start + length]
        if len(papers) == 1 and sum(_weight(unit.word) for unit in run) >= SHORTEST_RUN:
            first, last = run[0].start, run[-1].end
            yield Mention(question[first:last], tuple(papers), first, last)


@dataclass(frozen=True, slots=True)
class _Unit:
    """A word by its stem, or a Chinese sign, and where it stands."""

    word: str
    start: int
    end: int


def _units(text: str) -> list[_Unit]:
    return [
        _Unit(word, *match.span())
        for match in _WORD_OR_SIGN.finditer(text)
        for word in (keyword_tokens(match[0])[:1] if len(match[0]) > 1 else [match[0]])
    ]


def _weight(word: str) -> int:
    return 1 if _HAN_SIGN.fullmatch(word) else 2


@lru_cache(maxsize=1 << 14)
def _title_units(title: str) -> tuple[str, ...]:
    return tuple(unit.word for unit in _units(title))


@lru_cache(maxsize=1 << 14)
def _title_words(title: str) -> frozenset[str]:
    return frozenset(keyword_tokens(title))


def _longest_run(asked: Sequence[str], title: Sequence[str]) -> tuple[int, int]:
    """The longest run of equal words: where it starts in `asked`, and its length."""
    best = (0, 0)
    before = [0] * (len(title) + 1)
    for place, word in enumerate(asked):
        row = [0] * (len(title) + 1)
        for at, other in enumerate(title):
            if word == other:
                row[at + 1] = before[at] + 1
                if row[at + 1] > best[1]:
                    best = (place - row[at + 1] + 1, row[at + 1])
        before = row
    return best


@lru_cache(maxsize=1 << 14)
def folded(text: str) -> str:
    """Letters and figures alone, small and without accents, words with one space between."""
    return _folded_with_places(text)[0]


def _folded_with_places(text: str) -> tuple[str, list[int]]:
    """The folded text and, for each of its characters, where it stood."""
    letters: list[str] = []
    places: list[int] = []
    for place, sign in enumerate(text):
        for part in unicodedata.normalize("NFKD", sign).casefold():
            if part.isalnum():
                letters.append(part)
                places.append(place)
            elif not unicodedata.combining(part) and letters and letters[-1] != " ":
                letters.append(" ")
                places.append(place)
    if letters and letters[-1] == " ":
        letters.pop()
        places.pop()
    return "".join(letters), places


def _length(text: str) -> int:
    return sum(2 if "\u3400" <= sign <= "\u9fff" else 1 for sign in text if sign != " ")


def _without(question: str, mentions: Sequence[Mention]) -> str:
    kept, reached = [], 0
    for each in mentions:
        kept.append(question[reached : each.start])
        reached = each.end
    return " ".join(" ".join([*kept, question[reached:]]).split())
