"""Spans go to another reading if the same characters stand there once, judged in context."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citations.carrying import carried_spans
from documents.pages.page_text import Span

OLD = (
    "Running head\n"
    "Warming slows growth in all re-\ngions of the world. The rate fell by 1.5 % in 2010.\n"
    "Buyers pay a premium for reputation, as we show below.\n"
    "It was so. Sellers accept lower prices than they would like to.\n"
    "It was so. Nothing else was seen in the data that we have.\n"
)


def span_of(text: str, page: str = OLD, *, nth: int = 0) -> Span:
    at = -1
    for _ in range(nth + 1):
        at = page.index(text, at + 1)
    return Span(1, at, at + len(text))


def carried(spans: list[Span], new: str, *, old: str | None = OLD) -> list[str] | None:
    """The texts that the spans have in the new reading."""
    excerpt = "\n".join(OLD[span.start : span.end] for span in spans)
    pages = {1: old} if old is not None else {}
    found = carried_spans(spans, excerpt, old=pages, new={1: new})
    return None if found is None else [new[span.start : span.end] for span in found]


def test_on_an_unchanged_page_every_span_stays() -> None:
    spans = [span_of("It was so.", nth=1), span_of("Warming"), Span(1, 3, 3)]
    assert carried_spans(spans, "", old={1: OLD}, new={1: OLD}) is None  # not the spans' text
    excerpt = "\n".join(OLD[span.start : span.end] for span in spans)
    assert carried_spans(spans, excerpt, old={1: OLD}, new={1: OLD}) is not None


@pytest.mark.parametrize(
    ("name", "new"),
    [
        ("line ends", OLD.replace("re-\ngions", "regions").replace("\n", " ")),
        ("a kept hyphen", OLD.replace("re-\ngions", "re-gions")),
        ("a head that went", OLD.removeprefix("Running head\n")),
        ("ligatures and wide forms", OLD.replace("fell", "fe\u2060ll").replace("%", "％")),
        ("the head below", OLD.removeprefix("Running head\n") + "Running head\n"),
    ],
)
def test_the_same_characters_are_found_wherever_they_stand_now(name: str, new: str) -> None:
    text = "Warming slows growth in all re-\ngions of the world. The rate fell by 1.5 % in 2010."
    (found,) = carried([span_of(text)], new) or [""]
    assert found.startswith("Warming slows growth"), name
    assert found.endswith("in 2010."), name
    assert not found.endswith("\n")


def test_blocks_in_another_order_give_one_span_for_each_stretch() -> None:
    lines = OLD.splitlines(keepends=True)
    new = "".join([lines[0], lines[3], *lines[4:], lines[1], lines[2]])
    both = OLD[OLD.index("Warming") : OLD.index("It was so. Sellers")].rstrip()
    assert carried([Span(1, OLD.index("Warming"), OLD.index("Warming") + len(both))], new) == [
        "Buyers pay a premium for reputation, as we show below.",
        "Warming slows growth in all re-\ngions of the world. The rate fell by 1.5 % in 2010.",
    ]


@pytest.mark.parametrize(
    "change",
    [
        ("1.5 %", "15 %"),
        ("1.5 %", "1.6 %"),
        ("fell", "fell not"),
        ("growth", "growht"),
        ("2010", "2010²"),
        ("slows", "Slows"),
    ],
)
def test_a_changed_word_number_or_sign_is_drift(change: tuple[str, str]) -> None:
    text = "Warming slows growth in all re-\ngions of the world. The rate fell by 1.5 % in 2010."
    new = OLD.replace(*change)
    assert new != OLD
    found = carried([span_of(text)], new)
    assert found is None or change == ("2010", "2010²")


@pytest.mark.parametrize("nth", [0, 1])
def test_of_equal_places_the_one_in_the_same_surroundings_is_taken(nth: int) -> None:
    lines = OLD.splitlines(keepends=True)
    new = "".join([lines[5], *lines[1:5]]).replace("\n", " ")
    (span,) = carried_spans(
        [span_of("It was so.", nth=nth)], "It was so.", old={1: OLD}, new={1: new}
    ) or (Span(1, 0, 0),)
    assert new[span.start : span.end] == "It was so."
    after = ("Sellers", "Nothing")[nth]
    assert new[span.end :].lstrip().startswith(after)


def test_equal_places_can_not_be_told_apart_without_the_old_page() -> None:
    assert carried([span_of("It was so.")], OLD + " ", old=None) is None
    assert carried([span_of("Buyers pay")], " " + OLD, old=None) == ["Buyers pay"]


def test_of_two_equal_places_the_one_that_went_is_not_taken_for_the_other() -> None:
    lines = OLD.splitlines(keepends=True)
    new = "".join([*lines[:4], lines[5]])  # the first "It was so." is gone with its line
    assert carried([span_of("It was so.", nth=0)], new) is None
    assert carried([span_of("It was so.", nth=1)], new) is None  # each side says something else


def test_one_span_that_drifted_keeps_the_whole_anchor_back() -> None:
    spans = [span_of("Buyers pay a premium"), span_of("The rate fell by 1.5 %")]
    assert carried(spans, OLD.replace("1.5", "7.5")) is None


def test_a_page_that_is_gone_is_drift() -> None:
    span = span_of("Buyers pay")
    assert carried_spans([span], "Buyers pay", old={1: OLD}, new={}) is None
    assert carried_spans([span], "Buyers pay", old={1: OLD}, new={1: ""}) is None


def test_chinese_lines_join_without_a_space() -> None:
    old, new = "市场中的买家为声\n誉支付溢价。结果如此。", "结果见下。市场中的买家为声誉支付溢价。"
    text = old[: old.index("结果")]
    (span,) = carried_spans([Span(1, 0, len(text))], text, old={1: old}, new={1: new}) or [None]
    assert span is not None
    assert new[span.start : span.end] == "市场中的买家为声誉支付溢价。"


WORDS = st.lists(st.sampled_from(["alpha", "beta", "a", "1.5", "10", "-3", "买家"]), min_size=3)


@given(WORDS, st.data())
def test_whatever_is_carried_reads_the_same(words: list[str], data: st.DataObject) -> None:
    old = " ".join(words)
    start = data.draw(st.integers(0, len(old) - 1))
    end = data.draw(st.integers(start + 1, len(old)))
    order = data.draw(st.permutations(words))
    new = "\n".join(order)
    found = carried_spans([Span(1, start, end)], old[start:end], old={1: old}, new={1: new})
    if found is not None:
        text = "".join(new[span.start : span.end] for span in found)
        assert "".join(text.split()) == "".join(old[start:end].split())
