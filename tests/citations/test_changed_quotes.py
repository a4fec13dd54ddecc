"""Quotes changed by one meaningful step, over made pages: none is ever matched.

A true quote is drawn from the page; then one thing of it is changed. The unchanged quote must be
found, so that refusing everything does not pass.
"""

import random
import re
from collections.abc import Callable, Iterator

import pytest

from citations.locating import locate_quote
from citations.searchable_page import SearchablePage
from tests.citations.made_pages import made_page

SEEDS = range(40)
NOUNS = ("slope", "rate", "share", "dose", "price", "index", "yield", "score", "margin")
VERBS = ("rose", "fell", "stayed", "grew", "shrank", "moved")
UNITS = ("mW", "MW", "mg", "Mg", "kg", "mm", "mM", "ms", "MB", "Mb", "kHz", "MHz", "meV", "MeV")
COMPARISONS = ("<", ">", "≤", "≥", "=", "≈", "≠", "≪", "≳")
SUPERSCRIPTS = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
Change = Callable[[str, random.Random], Iterator[str]]


def sentence(pick: random.Random) -> str:
    number = f"{pick.randint(1, 99)}.{pick.randint(1, 9)}"
    power = str(pick.randint(-9, 9) or 3).translate(SUPERSCRIPTS)
    noun, verb = pick.choice(NOUNS), pick.choice(VERBS)
    thousand = f"{pick.randint(1, 9)},{pick.randint(100, 999)}"
    tens = f"{pick.choice('二三四五')}十{pick.choice('一二三')}"
    comparison, operator = pick.choice(COMPARISONS), pick.choice("+−×÷")
    return pick.choice(
        [
            f"the {noun} {verb} by {number} % in {pick.randint(1990, 2025)}",
            f"a {noun} of −{number} was {verb} by us",
            f"the {noun} was {number} {pick.choice(UNITS)} at noon",
            f"with p {comparison} 0.0{pick.randint(1, 9)} the {noun} {verb}",
            f"about {number} × 10{power} cells of the {noun} were seen",
            f"the {noun} did not change and {verb} a little later",
            f"a {noun} of {thousand} people can’t be right",
            f"where x {operator} y {verb} with the {noun}",
            f"该{pick.choice('率值量')}占百分之{tens}，共{pick.randint(11, 99)}万人",
            f"a range of {pick.randint(2, 5)}–{pick.randint(6, 9)} points on the {noun}",
        ]
    )


def page_of(pick: random.Random) -> tuple[SearchablePage, list[str]]:
    """A page of numbered sentences, so that each stands once; lines break where they will."""
    sentences = list(dict.fromkeys(sentence(pick) for _ in range(12)))
    text = "; ".join(sentences) + "."
    words = text.split(" ")
    for at in range(len(words)):
        if pick.random() < 0.12:
            words[at] += "\n"
    return SearchablePage.of(made_page(" ".join(words).replace("\n ", "\n"))), sentences


def other_digit(quote: str, pick: random.Random) -> Iterator[str]:
    for found in re.finditer(r"\d", quote):
        digit = pick.choice([d for d in "0123456789" if d != found[0]])
        yield quote[: found.start()] + digit + quote[found.end() :]


def other_point(quote: str, _pick: random.Random) -> Iterator[str]:
    for found in re.finditer(r"(?<=\d)[.,–](?=\d)", quote):
        for instead in {"", ".", ",", " ", "-"} - {found[0].replace("–", "-")}:
            yield quote[: found.start()] + instead + quote[found.end() :]


def other_sign(quote: str, _pick: random.Random) -> Iterator[str]:
    for found in re.finditer(r"−(?=\d)", quote):
        for instead in ("", "+", "±", "−−"):
            yield quote[: found.start()] + instead + quote[found.end() :]
    for found in re.finditer(r" [+−×÷] ", quote):
        for instead in {" ", " + ", " - ", " × ", " ÷ "} - {found[0].replace("−", "-")}:
            yield quote[: found.start()] + instead + quote[found.end() :]
    for found in re.finditer(r"(?<= )\d", quote):
        yield quote[: found.start()] + "-" + quote[found.start() :]


def other_unit(quote: str, _pick: random.Random) -> Iterator[str]:
    for found in re.finditer(r"(?<=\d )[A-Za-z]+", quote):
        for instead in set(UNITS) - {found[0]} if found[0] in UNITS else ():
            yield quote[: found.start()] + instead + quote[found.end() :]
    if " %" in quote:
        yield quote.replace(" %", "")
        yield quote.replace(" %", " ‰")


def other_negation(quote: str, _pick: random.Random) -> Iterator[str]:
    if "did not" in quote:
        yield quote.replace(" not", "")
    if "can’t" in quote:
        yield quote.replace("can’t", "can")
    if " was " in quote:
        yield quote.replace(" was ", " was not ")


def other_comparison(quote: str, _pick: random.Random) -> Iterator[str]:
    for found in re.finditer(f"[{''.join(COMPARISONS)}]", quote):
        for instead in {*COMPARISONS, "", "!="} - {found[0]}:
            if (found[0], instead) != ("≠", "!="):
                yield quote[: found.start()] + instead + quote[found.end() :]


def other_power(quote: str, _pick: random.Random) -> Iterator[str]:
    for found in re.finditer(r"10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", quote):
        plain = found[1].translate({v: k for k, v in SUPERSCRIPTS.items()})
        start, end = found.start(), found.end()
        if "-" not in plain:
            yield quote[:start] + "10" + plain + quote[end:]
            yield quote[:start] + "10⁻" + found[1] + quote[end:]
        else:
            yield quote[:start] + "10" + found[1].replace("⁻", "") + quote[end:]
        yield quote[:start] + "10" + quote[end:]
        yield quote[:start]
        yield quote[: start + 2]


def other_words(quote: str, pick: random.Random) -> Iterator[str]:
    words = quote.split(" ")
    if len(words) < 4:
        return
    at = pick.randrange(1, len(words) - 2)
    yield " ".join(words[:at] + words[at + 1 :])
    if words[at] != words[at + 1]:
        yield " ".join([*words[:at], words[at + 1], words[at], *words[at + 2 :]])


def cut_short(quote: str, _pick: random.Random) -> Iterator[str]:
    """Ends and beginnings inside a number or a word."""
    for found in re.finditer(r"\d[\d.,–⁻⁰¹²³⁴⁵⁶⁷⁸⁹]*(?: ?[%万]| × 10\S+)?|百分之\w十\w", quote):
        for at in range(found.start() + 1, found.end()):
            yield quote[:at]
            if quote[at:].lstrip()[:1] != "%":
                yield quote[at:]
        if quote[found.start() - 1 : found.start()] == "−":
            yield quote[found.start() :]
    for found in re.finditer(r"[^\W\d_]{2,}’?\w*", quote):
        if found[0].isascii() or "’" in found[0]:
            yield quote[: found.end() - 1]
            yield quote[found.start() + 1 :]


CHANGES: list[Change] = [
    other_digit, other_point, other_sign, other_unit, other_negation, other_comparison,
    other_power, other_words, cut_short,
]  # fmt: skip


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_quote_with_one_meaningful_change_is_never_matched(change: Change) -> None:
    tried, wrong = 0, []
    for seed in SEEDS:
        pick = random.Random(seed)
        page, sentences = page_of(pick)
        for quote in sentences:
            for changed in change(quote, pick):
                if len(changed.strip()) < 2 or stands_in(page, changed):
                    continue
                tried += 1
                located = locate_quote(changed, [page], page=1)
                if located.status == "matched":
                    wrong.append((quote, changed, located.places[0].text))
    assert tried > 40
    assert wrong == [], wrong[:: max(1, len(wrong) // 10)]


def stands_in(page: SearchablePage, quote: str) -> bool:
    """Whether the changed quote is another sentence's own text, whole words and all."""
    text = " ".join(page.detail.text.split())
    return bool(re.search(rf"(?<![^;\s] )(?<!\S){re.escape(quote)}(?=[;.] |\.\Z)", text))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_unchanged_quotes_are_matched(seed: int) -> None:
    page, sentences = page_of(random.Random(seed))
    missed = [q for q in sentences if locate_quote(q, [page], page=1).status != "matched"]
    assert missed == []
