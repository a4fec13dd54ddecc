"""Quotes of real papers changed by one meaningful step: none may be matched.

`manage.py evaluate changes`. A change that makes another sentence of the same paper is left out.
"""

import random
import re
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citations.locating import locate_quote
from citations.searchable_page import SearchablePage
from documents.chunks.sentences import split_sentences
from documents.inspecting import RefusedFileError, inspect_pdf
from documents.pages.line_ends import flowing
from documents.pages.page_text import PageState, ParsedPage
from documents.parsing import parse_pages

QUOTES = 1000
SHORTEST, LONGEST = 40, 240
SHORTEST_CJK = 15
MOST_SHOWN = 20

Change = Callable[[str, random.Random], Iterator[str]]
NEGATED = re.compile(
    r"\b(?:is|are|was|were|does|did|has|have|can|could|will|would|should|may) (?!not\b)"
)
HAN = r"[\u4e00-\u9fff]"
COMPARISONS = "<>≤≥=≈≠±"
ADDED = "~<>≤≥≈±"
"""Signs that a number without one is given."""
UNITS = {
    "mg": "kg", "kg": "mg", "mm": "cm", "cm": "mm", "km": "m", "ml": "l", "mL": "L", "ms": "s",
    "h": "min", "min": "h", "nm": "mm", "Hz": "kHz", "MHz": "GHz", "V": "mV", "W": "kW", "kW": "MW",
    "MW": "kW", "GW": "MW", "°C": "K", "%": "‰", "万": "亿", "亿": "万", "元": "美元",
}  # fmt: skip


def other_digit(quote: str, pick: random.Random) -> Iterator[str]:
    for found in _some(re.finditer(r"[0-9]", quote), pick):
        digit = pick.choice([d for d in "0123456789" if d != found[0]])
        yield quote[: found.start()] + digit + quote[found.end() :]


def other_point(quote: str, pick: random.Random) -> Iterator[str]:
    for found in _some(re.finditer(r"(?<=[0-9])[.,](?=[0-9])", quote), pick):
        for instead in {"", ".", ",", "-"} - {found[0]}:
            yield quote[: found.start()] + instead + quote[found.end() :]


def other_sign(quote: str, pick: random.Random) -> Iterator[str]:
    for found in _some(re.finditer(r"(?<= )(?=[0-9])|(?<=[ (])[-−](?=[0-9])", quote), pick):
        for instead in ("",) if found[0] else ("-", pick.choice(ADDED)):
            yield quote[: found.start()] + instead + quote[found.end() :]


def other_unit(quote: str, pick: random.Random) -> Iterator[str]:
    pattern = rf"(?<=[0-9])( ?)({'|'.join(map(re.escape, UNITS))})(?![A-Za-z])"
    for found in _some(re.finditer(pattern, quote), pick):
        yield quote[: found.start(2)] + UNITS[found[2]] + quote[found.end(2) :]


def other_negation(quote: str, pick: random.Random) -> Iterator[str]:
    for found in _some(NEGATED.finditer(quote), pick):
        yield quote[: found.end()] + "not " + quote[found.end() :]
    for found in _some(re.finditer(r"(?<=\w) not (?=\w)", quote), pick):
        yield quote[: found.start()] + " " + quote[found.end() :]
    for found in _some(re.finditer(rf"(?<={HAN})[不未无非](?={HAN})", quote), pick):
        yield quote[: found.start()] + quote[found.end() :]
    for found in _some(re.finditer(rf"(?<={HAN})(?=[是能会可])", quote), pick):
        yield quote[: found.start()] + "不" + quote[found.end() :]


def other_comparison(quote: str, pick: random.Random) -> Iterator[str]:
    for found in _some(re.finditer(f"[{COMPARISONS}]", quote), pick):
        instead = pick.choice([sign for sign in COMPARISONS if sign != found[0]])
        yield quote[: found.start()] + instead + quote[found.end() :]
        yield quote[: found.start()] + quote[found.end() :]


def dropped_word(quote: str, pick: random.Random) -> Iterator[str]:
    for at in _inner_words(quote, pick):
        words = quote.split(" ")
        yield " ".join(words[:at] + words[at + 1 :])
    for at in _inner_characters(quote, pick):
        yield quote[:at] + quote[at + 1 :]


def swapped_words(quote: str, pick: random.Random) -> Iterator[str]:
    for at in _inner_words(quote, pick):
        words = quote.split(" ")
        if _letters(words[at]) != _letters(words[at + 1]):
            yield " ".join([*words[:at], words[at + 1], words[at], *words[at + 2 :]])
    for at in _inner_characters(quote, pick):
        if quote[at] != quote[at + 1]:
            yield quote[:at] + quote[at + 1] + quote[at] + quote[at + 2 :]


def other_level(quote: str, pick: random.Random) -> Iterator[str]:
    """A number's last digits raised to a power."""
    for found in _some(re.finditer(r"(?<=[0-9])[0-9](?![0-9.,])", quote), pick):
        raised = found[0].translate(str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹"))
        yield quote[: found.start()] + raised + quote[found.end() :]


CHANGES: dict[str, Change] = {
    "digit": other_digit,
    "decimal_point": other_point,
    "sign": other_sign,
    "unit": other_unit,
    "negation": other_negation,
    "comparison": other_comparison,
    "superscript": other_level,
    "swapped_word": swapped_words,
    "dropped_word": dropped_word,
}


@dataclass(frozen=True, slots=True)
class Quote:
    """A true sentence and the pages of its paper. `page` counts from 1."""

    file: str
    page: int
    text: str
    pages: Sequence[SearchablePage]


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("folder", type=Path, help="a folder of PDFs")
    parser.add_argument("--quotes", type=int, default=QUOTES, help=f"default: {QUOTES}")


def run(options: dict[str, Any]) -> dict[str, Any]:
    """Counts of changed quotes tried and matched.

    Only quotes that are matched as they are get changed; the others are counted by their status. A
    power that is typed as a plain number is among them, and rightly so.
    """
    quotes = true_quotes(options["folder"], options["quotes"])
    tried: Counter[str] = Counter()
    matched: Counter[str] = Counter()
    others: Counter[str] = Counter()
    examples = []
    for number, quote in enumerate(quotes):
        status = locate_quote(quote.text, quote.pages, page=quote.page).status
        if status != "matched":
            others[status] += 1
            continue
        for name, changed in changed_forms(quote, random.Random(number)):
            tried[name] += 1
            located = locate_quote(changed, quote.pages, page=quote.page)
            if located.status == "matched":
                matched[name] += 1
                found = located.places[0].text
                examples.append({"file": quote.file, "quote": changed, "found": found})
    return {
        "quotes": len(quotes) - others.total(),
        "not_changed": dict(others),
        "changed": tried.total(),
        "matched": matched.total(),
        "by_change": {name: {"tried": tried[name], "matched": matched[name]} for name in CHANGES},
        "examples": examples[:MOST_SHOWN],
    }


def changed_forms(quote: Quote, pick: random.Random) -> Iterator[tuple[str, str]]:
    """Each change of the quote with its name, but none that stands in the paper as well."""
    flat = [" ".join(page.detail.text.split()) for page in quote.pages]
    for name, change in CHANGES.items():
        for changed in dict.fromkeys(change(quote.text, pick)):
            if changed != quote.text and not any(changed in text for text in flat):
                yield name, changed


def true_quotes(folder: Path, count: int) -> list[Quote]:
    """Sentences that stand on one line of thought of one page, as many from each paper."""
    papers = [list(_sentences(path)) for path in sorted(folder.glob("*.pdf"))]
    papers = [paper for paper in papers if paper]
    share = -(-count // max(1, len(papers)))
    chosen = [quote for paper in papers for quote in paper[:: max(1, len(paper) // share)][:share]]
    return chosen[:count]


def _sentences(path: Path) -> Iterator[Quote]:
    try:
        inspect_pdf(path)
    except RefusedFileError:
        return
    parsed = list(parse_pages(path))
    pages = [SearchablePage.of(page) for page in parsed]
    for page in parsed:
        for text in _plain_sentences(page):
            yield Quote(path.name, page.number, text, pages)


def _plain_sentences(page: ParsedPage) -> Iterator[str]:
    """Sentences within one paragraph of a sound page, as a person would type them."""
    if page.state is not PageState.OK:
        return
    for block in page.blocks:
        if block.kind != "paragraph":
            continue
        inside = page.text[block.start : block.end]
        for start, end in split_sentences(inside):
            text = flowing(inside[start:end])
            shortest = SHORTEST_CJK if re.search(HAN, text) else SHORTEST
            if shortest <= len(text) <= LONGEST:
                yield text


def _some(found: Iterator[re.Match[str]], pick: random.Random) -> list[re.Match[str]]:
    """At most two of the places where a change is possible."""
    places = list(found)
    return pick.sample(places, min(2, len(places)))


def _inner_words(quote: str, pick: random.Random) -> list[int]:
    """A word that has neighbours with letters on both sides: without it another text remains."""
    words = quote.split(" ")
    inner = [
        at
        for at in range(2, len(words) - 2)
        if all(_letters(words[near]) for near in (at - 1, at, at + 1))
    ]
    return pick.sample(inner, min(1, len(inner)))


def _inner_characters(quote: str, pick: random.Random) -> list[int]:
    inner = [
        found.start(1)
        for found in re.finditer(rf"(?<={HAN}{{2}})({HAN})(?={HAN}{{2}})", quote)
        if quote[found.start(1)] not in (quote[found.start(1) - 1], quote[found.start(1) + 1])
    ]
    return pick.sample(inner, min(1, len(inner)))


def _letters(word: str) -> str:
    return "".join(filter(str.isalnum, word)).casefold()
