"""Markers in a model's text: which forms count, where they never do, how they stream."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citations.marker_forms import escape_brackets, marker_numbers, unescape_brackets
from citations.markers import MarkerParser, merged, read_markers
from citations.segments import CiteSegment, Segment, TextSegment

KNOWN = frozenset(range(1, 21))


def shown(text: str) -> str:
    """The segments as one string, a cite as `<3>`."""
    return "".join(
        f"<{part.evidence}>" if isinstance(part, CiteSegment) else part.text
        for part in read_markers(text, KNOWN)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Warm [3].", "Warm <3>."),
        ("Warm[3][5].", "Warm<3><5>."),
        ("Warm [3, 5].", "Warm <3><5>."),
        ("Warm [3,5；7].", "Warm <3><5><7>."),
        ("Warm [3-5].", "Warm <3><4><5>."),
        ("Warm [3–5].", "Warm <3><4><5>."),
        ("变暖【3】。", "变暖<3>。"),
        ("变暖［３］。", "变暖<3>。"),
        ("变暖[３，５]。", "变暖<3><5>。"),
        ("Warm [^3].", "Warm <3>."),
        ("Warm 【3†source】.", "Warm <3>."),
        ("Warm [ 3 ].", "Warm <3>."),
        ("Warm [3, 3].", "Warm <3>."),
        ("**Warm**[3]", "**Warm**<3>"),
        ("| warm [3] | cold [4] |\n", "| warm <3> | cold <4> |\n"),
        ("- warm [3]\n- cold [4]", "- warm <3>\n- cold <4>"),
        ("> warm [3]", "> warm <3>"),
    ],
)
def test_every_accepted_form_becomes_citations(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "`a[3]` is code",
        "``a ` [3]`` is code",
        "```\na[3]\n```\n",
        "~~~python\na[3]\n~~~\n",
        "- ```\n  a[3]\n  ```\n",
        "```\na[3]",
        "$x_{[3]}$ is math",
        "$$\nx [3]\n$$",
        r"\(x [3]\) is math",
        "\\[\nx [3]\n\\]",
        "They say “as in [3], it holds”.",
        'They say "as in [3], it holds".',
        "他们说「如[3]所示」。",
        "他们说“如[3]所示”。",
        "他们说『如[3]所示』。",
        "Ils disent « comme [3] ».",
        "They say ‘as in [3], it’s so’.",
        "著者﹁如[3]所示﹂。",
        "a [word] stays",
        "[] and [ ] and [x]",
        "[1.5] is a number",
        "[3",
        "[12345678]",
        "It rose by 4 % (95 % CI [3, 5]).",
        "It rose (95% CI: [3; 12]).",
        "a confidence interval of [3, 5]",
        "The IQR was [3–7].",
        "ages in the range [3, 12]",
        "p ∈ [3, 5] and q = [4, 7]",
        "a share in [0, 1] or [0-100]",
        "置信区间为[3, 5]",
        "95% CI[12，45]",
        "Akerlof [1970] asked this.",
    ],
)
def test_code_math_quotations_and_other_brackets_stay_text(text: str) -> None:
    assert shown(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("cost $5 [3] and $10 [4]", "cost $5 <3> and $10 <4>"),
        ('it is 5" wide [3]', 'it is 5" wide <3>'),
        ("“One “two” and [4] three” [3]", "“One “two” and [4] three” <3>"),
        ("「他说「甲」和[4]乙」[3]", "「他说「甲」和[4]乙」<3>"),
        ("“One “two” and [4]. Then “six” [3]", "“One “two” and <4>. Then “six” <3>"),
        (
            'the "smart way [3] and the "other" way [4]',
            'the "smart way <3> and the "other" way <4>',
        ),
        ("the “smart way [3]\n\nand [4]", "the “smart way <3>\n\nand <4>"),
        ("a ` tick [3]", "a ` tick <3>"),
        ("“quoted” [3]", "“quoted” <3>"),
        ('“quoted" [3], then "more” [4]', '“quoted" <3>, then "more” <4>'),
        ("the ‘90s [3] and the buyers’ [4]", "the ‘90s <3> and the buyers’ <4>"),
        ("it’s so [3] and that’s all [4]", "it’s so <3> and that’s all <4>"),
        ("```\ncode\n```\nafter [3]", "```\ncode\n```\nafter <3>"),
    ],
)
def test_what_is_never_closed_protects_nothing(text: str, expected: str) -> None:
    assert shown(text) == expected


def test_an_unknown_number_vanishes_with_its_space_and_is_recorded() -> None:
    parser = MarkerParser(known={3})
    segments = merged([*parser.feed("Warm [99]. Cold [3, 44]."), *parser.finish()])
    assert segments == [TextSegment("Warm. Cold "), CiteSegment(3), TextSegment(".")]
    assert parser.unknown == [99, 44]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("This is the 95 % CI [3].", "This is the 95 % CI <3>."),
        ("The range [5, 3] is known.", "The range <5><3> is known."),
        ("over the whole range. [3, 5]", "over the whole range. <3><5>"),
        ("It varies in range [3, 4, 5].", "It varies in range <3><4><5>."),
        ("as shown in [3, 5]", "as shown in <3><5>"),
        ("as shown in [120, 145].", "as shown in."),
        ("See [0] and [3].", "See and <3>."),
    ],
)
def test_a_marker_near_words_of_intervals_is_a_marker(text: str, expected: str) -> None:
    assert shown(text) == expected


def test_a_senseless_range_is_recorded_and_not_written_out() -> None:
    assert marker_numbers("1-999999") == [1, 999999]
    assert marker_numbers("5-3") == [5, 3]


def test_numbers_handed_out_while_the_text_streams_count() -> None:
    known = {1}
    parser = MarkerParser(known)
    first = parser.feed("One [1]. Two ")
    known.add(2)
    second = [*parser.feed("[2]."), *parser.finish()]
    assert [s for s in [*first, *second] if isinstance(s, CiteSegment)] == [
        CiteSegment(1),
        CiteSegment(2),
    ]


def test_an_unfinished_marker_is_held_back() -> None:
    parser = MarkerParser(KNOWN)
    assert parser.feed("Warm [") == [TextSegment("Warm")]
    assert parser.feed("3") == []
    assert parser.feed("]. So") == [TextSegment(" "), CiteSegment(3), TextSegment(". So")]


PIECES = [
    "[3]",
    "[",
    "]",
    "3",
    "99",
    ", ",
    "-",
    "【4】",
    "［５］",
    "`",
    "```",
    "\n",
    "\n\n",
    " ",
    "$",
    "$$",
    "\\",
    "\\(",
    "\\)",
    '"',
    "“",
    "”",
    "「",
    "」",
    "word",
    "词",
    ". ",
    "> ",
    "- ",
    "1. ",
    "~~~",
    "†",
]


@given(st.lists(st.sampled_from(PIECES), max_size=40), st.data())
@settings(max_examples=600, deadline=None)
def test_any_split_of_a_text_gives_the_same_segments(
    pieces: list[str], data: st.DataObject
) -> None:
    text = "".join(pieces)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    whole = MarkerParser(KNOWN)
    expected = merged([*whole.feed(text), *whole.finish()])
    parser = MarkerParser(KNOWN)
    got: list[Segment] = []
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        got += parser.feed(text[start:end])
    assert merged([*got, *parser.finish()]) == expected
    assert parser.unknown == whole.unknown


@given(st.text(max_size=200))
def test_text_without_brackets_comes_back_unchanged(text: str) -> None:
    plain = text.translate({ord(c): None for c in "[]【】［］⟦⟧"})
    assert shown(plain) == plain


@pytest.mark.parametrize(
    "hostile",
    [
        "[" + "1" * 50_000,
        "[" * 50_000,
        "“" * 50_000,
        "“a “b” " * 10_000,
        "`" * 50_000,
        '"a' * 25_000,
        "$a " * 20_000,
        "[1," * 20_000,
        "\\(" * 25_000,
        "[1" + " " * 50_000,
        "\n" * 50_000,
        "``a" * 20_000,
    ],
)
def test_hostile_text_takes_linear_time(hostile: str) -> None:
    started = time.process_time()
    read_markers(hostile, KNOWN)
    assert time.process_time() - started < 2


def test_text_that_comes_character_by_character_takes_linear_time() -> None:
    parser = MarkerParser(KNOWN)
    started = time.process_time()
    for character in "[" + "1" * 50_000:
        parser.feed(character)
    parser.finish()
    assert time.process_time() - started < 3


@given(st.text(alphabet="[]【】 12,x", max_size=60))
def test_escaped_text_holds_no_marker_and_comes_back(text: str) -> None:
    escaped = escape_brackets(text)
    assert not any(
        isinstance(s, CiteSegment) for s in read_markers(escaped, frozenset(range(1000)))
    )
    if "【" not in text and "】" not in text:
        assert unescape_brackets(escaped) == text
