"""The claim before a marker and the direct quote beside it, in English and Chinese."""

import pytest

from citations.claims import claims_of
from citations.markers import read_markers
from citations.plain_markdown import plain_quote
from citations.segments import CiteSegment, Segment, TextSegment

KNOWN = frozenset(range(1, 10))


def claims(text: str) -> list[tuple[str, str]]:
    return [(each.claim, each.quote) for each in claims_of(read_markers(text, KNOWN))]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Cold. Warming slows growth [1].", ["Warming slows growth"]),
        ("Warming slows growth. [1]", ["Warming slows growth."]),
        (
            "Buyers pay more [1], while sellers do not [2].",
            ["Buyers pay more", "while sellers do not"],
        ),
        ("Buyers pay more [1], too [2].", ["Buyers pay more", "Buyers pay more, too"]),
        ("Both hold [1][2] [3].", ["Both hold"] * 3),
        ("变暖减缓增长[1]。价格上升[2]。", ["变暖减缓增长", "价格上升"]),
        (
            "- one **thing** holds [1]\n- two `things` hold [2]",
            ["one thing holds", "two things hold"],
        ),
        ("| a | first cell [1] | second cell [2] |", ["first cell", "second cell"]),
        ("## Results\n\nIt holds [1]", ["It holds"]),
        ("See [this](http://x.org) result [1]", ["See this result"]),
        ("It grew by 1.5 % in e.g. Norway [1].", ["It grew by 1.5 % in e.g. Norway"]),
    ],
)
def test_the_claim_is_the_statement_before_the_marker(text: str, expected: list[str]) -> None:
    assert [claim for claim, _ in claims(text)] == expected


@pytest.mark.parametrize(
    ("text", "quotes"),
    [
        ("They say “it grew by 1.5 %” [1].", ["it grew by 1.5 %"]),
        ('They say "it grew" [1].', ["it grew"]),
        ("他们说「价格上升」[1]。", ["价格上升"]),
        ("他们说『价格上升』[1]。", ["价格上升"]),
        ("他们说“价格上升”[1]。", ["价格上升"]),
        ("«il pleut» [1].", ["il pleut"]),
        ("“He said ‘no’ twice” [1].", ["He said ‘no’ twice"]),
        ("“first thing” [1] and “second thing” [2].", ["first thing", "second thing"]),
        ("“first thing” and “second thing” [1].", ["second thing"]),
        ("“both of these” [1][2].", ["both of these"] * 2),
        ("The “smart” way wins every time [1].", [""]),
        (
            "“It rained in all of the regions”, as they wrote then [1].",
            ["It rained in all of the regions"],
        ),
        ("《论语》说过很多事情[1]。", [""]),
        ("No quote at all [1].", [""]),
        ("“An older quote with words.” A new statement [1].", [""]),
        ("> a block of\n> quoted text [1]", ["a block of quoted text"]),
        ("- “in a list” [1]", ["in a list"]),
        ("**“in bold”** [1]", ["in bold"]),
        ("“in **part** bold” [1]", ["in part bold"]),
    ],
)
def test_the_quote_is_the_one_beside_the_marker(text: str, quotes: list[str]) -> None:
    assert [quote for _, quote in claims(text)] == quotes


def test_verbatim_text_is_its_own_quote() -> None:
    segments: list[Segment] = [
        TextSegment("**A paper**\n\n"),
        TextSegment("He said “yes”. It *was* so [12].", verbatim=True),
        CiteSegment(1),
        TextSegment("\n\n"),
        TextSegment("Another sentence.", verbatim=True),
        TextSegment(" "),
        CiteSegment(2),
        CiteSegment(3),
    ]
    found = [each.quote for each in claims_of(segments)]
    assert found == ["He said “yes”. It *was* so [12]."] + ["Another sentence."] * 2


def test_every_cite_gets_a_claim_even_without_text() -> None:
    assert claims("[1] [2]") == [("", ""), ("", "")]


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        (r"$p \leq 0.05$", "p ≤ 0.05"),
        (r"\(25^{\circ}\mathrm{C}\)", "25°C"),
        (r"5\% of", "5% of"),
        ("p &lt; 0.05", "p < 0.05"),
        ("costs $5 and $10", "costs $5 and $10"),
        ("a **b** _c_ `d` snake_case_name", "a b c d snake_case_name"),
    ],
)
def test_a_models_markup_is_taken_out_of_a_quote(markdown: str, plain: str) -> None:
    assert plain_quote(markdown) == plain
