"""Which words of a text are marked: those that the index finds, and no others."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.chunks.tokens import keyword_tokens
from retrieval.library_terms import TermPair
from retrieval.word_marks import best_window, marked_words, query_tokens


def marked(text: str, query: str) -> list[str]:
    return [text[start:end] for start, end in marked_words(text, query_tokens(query))]


@pytest.mark.parametrize(
    ("text", "query", "expected"),
    [
        ("Reputations of a Seller.", "sellers' reputation", ["Reputations", "Seller"]),
        ("one repu-\ntation", "reputation", ["repu-\ntation"]),
        ("price-sensitive buyers", "sensitive", ["sensitive"]),
        ("IL-6, il6 and IL 6", "il6", ["IL-6", "il6"]),
        ("15 % is not 1.5 %", "1.5%", ["1.5"]),
        ("1,000 of 11,000", "1000", ["1,000"]),
        ("the β-carotene", "beta carotene", ["β-carotene"]),
        ("Müller und Muller", "muller", ["Müller", "Muller"]),
        ("the eﬃciency", "efficient", ["eﬃciency"]),
        ("the theory of the firm", "the of", []),
        ("蓝莓中的花\n青素含量升高", "花青素含量", ["花\n青素含量"]),
        ("低温储藏", "储藏温度", ["储藏"]),
        ("PCR 检测结果", "pcr检测", ["PCR", "检测"]),
        ("nothing of the kind", "lemons", []),
        ("", "lemons", []),
    ],
)
def test_marked_are_the_words_that_were_looked_for(
    text: str, query: str, expected: list[str]
) -> None:
    assert marked(text, query) == expected


def test_a_term_of_the_library_marks_what_means_the_same() -> None:
    text = "Arbuscular mycorrhizal fungi (AMF) suffer."
    wanted = query_tokens("AMF", [TermPair("AMF", "arbuscular mycorrhizal fungi")])
    found = [text[start:end] for start, end in marked_words(text, wanted)]
    assert found == ["Arbuscular", "mycorrhizal", "fungi", "AMF"]


@given(st.text(max_size=80), st.text(max_size=20))
def test_marks_are_in_order_inside_the_text_and_share_a_token_with_the_query(
    text: str, query: str
) -> None:
    wanted = query_tokens(query)
    stretches = marked_words(text, wanted)
    at = 0
    for start, end in stretches:
        assert at <= start < end <= len(text)
        at = end
        tokens = set(keyword_tokens(text[start:end]))
        assert tokens & wanted or any(token in text[start:end] for token in wanted)


def test_the_window_shows_most_different_words() -> None:
    text = "lemons lemons lemons. Filler goes here. Lemons and buyers meet. The end."
    marks = marked_words(text, query_tokens("lemon buyer"))
    starts = [0, 22, 40, 64]
    assert best_window(text, marks, starts, length=25) == 40
    assert best_window(text, [], starts, length=25) == 0
    assert best_window("", [], [], length=25) == 0
