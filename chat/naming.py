"""What a question names outright: proper names, abbreviations, numbers. Pure.

A paper that never mentions them does not answer the question, however near its sentences come:
"in Germany" is not answered by a study of Turkey, nor "in 2021" by a report of 2018.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_ENGLISH = re.compile(
    r"\b(?:the|of|how|what|which|who|why|when|does|do|did|is|are|was|were|can|and)\b", re.IGNORECASE
)
_CJK = re.compile(r"[\u3400-\u9fff]")
_NUMBER = re.compile(r"(?<![\w.-])\d[\d.,]*\d|(?<![\w.-])\d(?!\w)")
_LATIN_IN_CHINESE = re.compile(r"[A-Za-z][A-Za-z0-9-]+")
_WORD = re.compile(r"[^\W\d_][\w-]*")
_SENTENCE_END = re.compile(r"[.?!:]\s*[\"'“‘(]*$")
_LINE_END_HYPHEN = re.compile(r"(?<=[A-Za-z])[-\u00ad\u2010]\n(?=[a-z])|\u00ad")

SHORTEST_STEM = 5


@dataclass(frozen=True, slots=True)
class Named:
    """`stem` begins the word in any of its forms: "Iraqi" and "Iraq", "Germany" and "German"."""

    word: str
    stem: str
    is_number: bool = False


def named_in(question: str) -> tuple[Named, ...]:
    """The names and numbers of a question, each once, in order.

    >>> [each.word for each in named_in("How many nurses in Germany were anxious in 2021?")]
    ['Germany', '2021']
    >>> [each.word for each in named_in("FAST 望远镜 2019 年的经费是多少？")]
    ['FAST', '2019']
    """
    found = [(match.start(), match[0]) for match in _NUMBER.finditer(question)]
    numbers = {word for _, word in found}
    if _CJK.search(question):
        found += [(match.start(), match[0]) for match in _LATIN_IN_CHINESE.finditer(question)]
    else:
        found += _latin_names(question)
    words = dict.fromkeys(word for _, word in sorted(found))
    return tuple(Named(word, stem_of(word), word in numbers) for word in words)


def _latin_names(question: str) -> list[tuple[int, str]]:
    """Abbreviations; in English also words with a capital that no sentence begins with.

    Other languages write more than names with capitals.
    """
    english = bool(_ENGLISH.search(question))
    found = []
    for match in _WORD.finditer(question):
        word, before = match[0].removesuffix("'s"), question[: match.start()].rstrip()
        begins = not before or bool(_SENTENCE_END.search(before))
        if sum(map(str.isupper, word)) > 1 or (english and word[0].isupper() and not begins):
            found.append((match.start(), word))
    return [(start, word) for start, word in found if word != "I"]


def stem_of(word: str) -> str:
    """
    >>> [stem_of(word) for word in ("Iraqis", "Germany", "UK", "2021", "SPECTER")]
    ['Iraq', 'Germa', 'UK', '2021', 'SPECT']
    """
    if not word.isalpha() or len(word) < SHORTEST_STEM:
        return word
    word = word if len(word) == SHORTEST_STEM else word.removesuffix("s")
    return word[:-1] if len(word) == SHORTEST_STEM else word[: max(SHORTEST_STEM, len(word) - 2)]


def mentions(text: str, named: Named) -> bool:
    """Whether the name stands in the text, in any of its forms, a line-end hyphen inside or not.

    >>> mentions("Iraq ranks fifth.", Named("Iraqi", "Iraq"))
    True
    """
    end = r"(?!\d)" if named.is_number else ""
    return any(_found(text, named, end))


def spells(text: str, named: Named) -> bool:
    """Whether the name itself stands in the text: as it is written, begun or continued.

    >>> kurdistn = Named("Kurdistn", stem_of("Kurdistn"))
    >>> mentions("in Kurdistan", kurdistn), spells("in Kurdistan", kurdistn)
    (True, False)
    >>> spells("in Iraq", Named("Iraqis", "Iraq"))
    True
    """
    if named.is_number:
        return mentions(text, named)
    whole = named.word.casefold().removesuffix("s")
    found = (each.casefold() for each in _found(text, named, r"\w*"))
    return any(each.startswith(whole) or whole.startswith(each) for each in found)


def _found(text: str, named: Named, end: str) -> Iterator[str]:
    """Words that begin with the stem, in the text with the hyphens of line ends gone or kept."""
    start = r"(?<![\d.,])" if named.is_number else "(?<![A-Za-z0-9])"
    pattern = re.compile(start + re.escape(named.stem) + end, re.IGNORECASE)
    for joined in (_LINE_END_HYPHEN.sub("", text), text.replace("-\n", "-")):
        yield from (match[0] for match in pattern.finditer(joined))


def stem_pattern(named: Named) -> str:
    """A regular expression for the stem, at a line's end hyphened or not: for a first sieve.

    It finds more than `mentions`: also the stem inside of other words.
    """
    if named.is_number:
        return re.escape(named.stem)
    return "(?:[-\u2010]?\n|\u00ad\n?)?".join(map(re.escape, named.stem))
