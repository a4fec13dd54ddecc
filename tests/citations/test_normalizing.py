"""Folding keeps a way back: total, in order, and every character leads to its source."""

import time
import unicodedata
from collections.abc import Callable
from itertools import islice
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from citations.normalizing import (
    DETACHED_ACCENTS,
    fold_character,
    normalize,
    pack_starts,
    unpack_starts,
)
from documents.parsing import parse_pages

READABLE = st.text(
    st.one_of(
        st.characters(exclude_categories=["Cs"]),
        st.sampled_from("ﬁﬂß İı½⅓²₂℃㎏①Ａ１－⽂⽅⻘´`¨ˆ¸\u0301\u0308\u00ad-\n é ü x́ 的了"),
    ),
    max_size=80,
)


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("scientiﬁc ﬂow", "scientificflow"),
        ("ＡＢＣ１２", "abc12"),
        ("Straße", "strasse"),
        ("com-\npiled", "compiled"),
        ("com\u00ad\npiled", "compiled"),
        ("con\x02textual", "contextual"),
        ("well-\nknown", "wellknown"),
        ("zero\u200bwidth\ufeff", "zerowidth"),
        ("⽂⽅", "文方"),
        ("⻘", "青"),
        ("⼈⼯智能", "人工智能"),
        ("m²", "m2"),
        ("R´esum´e", "résumé"),
        ("Re\u0301sume\u0301", "résumé"),
        ("Fr¨ohlich, na¨ıve", "fröhlichnaïve"),
        ("c¸a", "ça"),
        ("it´s", "its"),
        ("`apple'", "apple"),
        ("probl`eme", "problème"),
        ("“a” — ‘b’", "ab"),
        ("𝑥𝑦", "xy"),
        ("", ""),
    ],
)
def test_typesetting_is_folded_away(text: str, folded: str) -> None:
    assert normalize(text).text == folded


def test_accents_stay_as_written() -> None:
    assert normalize("resume").text != normalize("résumé").text


def test_every_radical_of_the_standard_is_folded_to_an_ideograph() -> None:
    radicals = [chr(c) for c in (*range(0x2E80, 0x2EF4), *range(0x2F00, 0x2FD6))]
    assigned = [c for c in radicals if c not in "\u2e80\u2e9a"]
    assert all(len(fold_character(c)) == 1 and fold_character(c) not in radicals for c in assigned)


@given(READABLE)
def test_the_map_is_total_in_order_and_inside_the_text(text: str) -> None:
    normalized = normalize(text)
    assert len(normalized.starts) == len(normalized.text)
    assert (np.diff(normalized.starts) >= 0).all()
    assert all(0 <= start < len(text) for start in normalized.starts.tolist())


@given(READABLE)
def test_every_letter_and_digit_of_the_text_is_reached(text: str) -> None:
    reached = set(normalize(text).starts.tolist())
    for offset, character in enumerate(text):
        if character.isalnum() and fold_character(character):
            assert offset in reached


@given(st.text(st.sampled_from("abcXYZ 012.,-ﬁß文字\n“”"), max_size=60))
def test_each_folded_character_comes_back_from_its_source(text: str) -> None:
    normalized = normalize(text)
    for index, character in enumerate(normalized.text):
        start, end = normalized.source(index, index + 1, text)
        assert character in fold_character(text[start:end][0])


@given(READABLE, READABLE)
def test_a_stored_map_comes_back(one: str, other: str) -> None:
    starts = normalize(one + "\n" + " " * 300 + other).starts
    assert np.array_equal(unpack_starts(pack_starts(starts)), starts)


@given(READABLE)
def test_folding_twice_changes_nothing(text: str) -> None:
    once = normalize(text).text
    assert normalize(once).text == normalize(normalize(once).text).text


PLAIN = st.text(
    st.one_of(
        st.characters(categories=["L", "N", "P", "S", "Z"]),
        st.sampled_from("ﬁﬂß İı½²₂℃㎏①Ａ１－⽂⽅⻘\u00ad-\n é的了"),
    ).filter(lambda character: character not in DETACHED_ACCENTS),
    max_size=80,
)


@given(PLAIN, st.data())
def test_any_run_of_folded_text_comes_back_from_its_source(text: str, data: st.DataObject) -> None:
    folded = normalize(text)
    whole = [0, *(np.flatnonzero(np.diff(folded.starts)) + 1).tolist(), len(folded.text)]
    start, end = sorted((data.draw(st.sampled_from(whole)), data.draw(st.sampled_from(whole))))
    if start < end:
        first, last = folded.source(start, end, text)
        assert normalize(text[first:last]).text == folded.text[start:end]


@pytest.mark.parametrize("name", ["en_econ_bufferstock", "zh_pair1_decarbonization", "fr_olap"])
def test_the_map_of_real_pages_is_total_and_leads_back(corpus: Path, name: str) -> None:
    for page in islice(parse_pages(corpus / "papers" / f"{name}.pdf"), 4):
        folded = normalize(page.text)
        starts = folded.starts.tolist()
        assert len(starts) == len(folded.text)
        assert starts == sorted(starts)
        assert np.array_equal(unpack_starts(pack_starts(folded.starts)), folded.starts)
        reached = set(starts)
        lost = [c for at, c in enumerate(page.text) if c.isalnum() and at not in reached]
        assert not [c for c in lost if fold_character(c)]
        for start in range(0, len(starts) - 60, 37):
            first, last = folded.source(start, start + 60, page.text)
            again = normalize(page.text[first:last]).text
            assert folded.text[start + 3 : start + 57] in again


def test_folding_a_page_costs_little_more_than_one_look_at_each_character() -> None:
    page = "The efﬁcient estimator of 1.5 % was found, as in Fig. 3, on page 12.\n" * 45
    normalize(page)
    looking = median_seconds(lambda: [unicodedata.normalize("NFKC", sign) for sign in page])
    assert median_seconds(lambda: normalize(page)) < 3 * looking


def median_seconds(work: Callable[[], object]) -> float:
    """CPU seconds, of nine times twenty runs."""
    times = []
    for _ in range(9):
        started = time.process_time()
        for _ in range(20):
            work()
        times.append(time.process_time() - started)
    return sorted(times)[4]
