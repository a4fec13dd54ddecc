"""Checks of a finished answer: rules that find what is wrong, and change nothing."""

import pytest

from chat.skills.checks import Checked, look, read_check
from chat.skills.wording import check_words
from citations.markers import read_markers

STATES = "Buyers paid a premium to sellers with a good reputation in every month"
STATES_ZH = "买家在每个月都向声誉良好的卖家支付了更高的价格，溢价为百分之八"


def checked(check: str, text: str, **named: str) -> Checked:
    segments = read_markers(text, range(1, 9))
    [found] = look([read_check(check)], segments, named=named, cited={"a"})
    return found


@pytest.mark.parametrize(
    "text",
    [
        f"{STATES} [1].",
        f"## {STATES}\n\n{STATES} [1].\n\n---\n\nIn short:\n\n- {STATES} [2].\n- {STATES} [3].",
        f"{STATES_ZH}[1]。\n\n{STATES_ZH}[2]。",
        f"“{STATES}.” [1]",
        f"| Paper | What it says of buyers and sellers |\n| --- | --- |\n| A | {STATES} [1] |",
        f"```\nx = reputation_of_sellers\n\n\nx += premium_of_buyers(cars)\n```\n\n{STATES} [1].",
    ],
)
def test_paragraphs_that_all_cite_pass(text: str) -> None:
    assert checked("paragraphs-cited", text) == Checked("paragraphs-cited", passed=True)


@pytest.mark.parametrize("bare", [STATES, STATES_ZH])
def test_a_paragraph_without_a_citation_is_shown_by_its_beginning(bare: str) -> None:
    found = checked("paragraphs-cited", f"{STATES} [1].\n\n{bare}.\n\n{STATES} [2].")
    assert not found.passed
    assert [str(each)[:20] for each in found.found] == [bare[:20]]
    assert bare[:20] in check_words(found.as_json())


def test_papers_that_were_named_must_be_cited() -> None:
    assert checked("papers-cited", STATES, a="A").passed
    found = checked("papers-cited", STATES, a="A", b="The market for lemons")
    assert (found.passed, found.found) == (False, ("The market for lemons",))
    assert "The market for lemons" in check_words(found.as_json())


def test_words_and_chinese_characters_are_counted() -> None:
    assert checked("at-most-words:13", STATES).passed
    found = checked("at-most-words:20", STATES_ZH)
    assert (found.passed, found.found, found.bound) == (False, (30,), 20)
    assert "30" in check_words(found.as_json())
