import pytest
from hypothesis import given
from hypothesis import strategies as st

from citations.excerpts import ELLIPSIS, LONGEST, excerpt
from documents.pages.line_ends import flowing


def shown(passage: str, *marked: tuple[int, int], instead: tuple[str, ...] = ()) -> str:
    """The excerpt with its marked words in brackets."""
    pieces = excerpt(passage, marked, instead=instead)
    return "".join(f"[{piece.text}]" if piece.marked else piece.text for piece in pieces)


@pytest.mark.parametrize(
    ("passage", "marked", "expected"),
    [
        ("Buyers can not see quality.", (), "Buyers can not see quality."),
        ("Buyers can not see quality.", ((11, 18),), "Buyers can [not see] quality."),
        ("Buyers can\nnot see", ((7, 14),), "Buyers [can not] see"),
        ("a com-\npiled program", ((2, 12),), "a [compiled] program"),
        ("市场\n失灵的原因", ((0, 5),), "[市场失灵]的原因"),
        ("市场\n失灵的原因", ((3, 5),), "市场[失灵]的原因"),
        ("市场\n失灵的原因", ((0, 2),), "[市场]失灵的原因"),
        ("a and b", ((0, 1), (6, 7)), "[a] and [b]"),
        ("a and b", ((6, 7), (0, 1)), "[a] and [b]"),
        ("With care it works", ((10, 12), (13, 18)), "With care [it] [works]"),
        ("the theory, the rest", ((12, 20),), "the theory, [the rest]"),
        ("  one\n\n two ", ((2, 5),), "[one] two"),
        ("", (), ""),
    ],
)
def test_only_the_confirmed_stretches_are_marked_in_flowing_text(
    passage: str, marked: tuple[tuple[int, int], ...], expected: str
) -> None:
    assert shown(passage, *marked) == expected


def test_confirmed_words_from_beyond_the_passage_are_shown_by_themselves() -> None:
    assert shown("other words", instead=("not\nthere", "nor here")) == "[not there] … [nor here]"
    assert shown("other words", (0, 5), instead=("not there",)) == "[other] words"


def test_a_long_passage_is_cut_around_the_matched_words() -> None:
    passage = "before " * 60 + "the very words" + " after" * 60
    cut = shown(passage, (420, 434))
    assert cut.startswith(ELLIPSIS)
    assert cut.endswith(ELLIPSIS)
    assert "[the very words]" in cut


@given(
    st.text("ab \n-中", max_size=500),
    st.lists(st.tuples(st.integers(0, 500), st.integers(0, 500)), max_size=3),
)
def test_an_excerpt_is_never_too_long_and_marks_what_was_marked(
    passage: str, marked: list[tuple[int, int]]
) -> None:
    pieces = excerpt(passage, marked)
    assert sum(len(piece.text) for piece in pieces) <= LONGEST
    inside = {at for start, end in marked for at in range(start, min(end, len(passage)))}
    letters = sum(passage[at] in "ab中" for at in inside)
    assert sum(c in "ab中" for piece in pieces if piece.marked for c in piece.text) <= letters


@given(st.text(max_size=80))
def test_what_is_not_marked_is_text_of_the_passage(passage: str) -> None:
    assert "".join(piece.text for piece in excerpt(passage)) == flowing(passage)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("respec-\ntively", "respectively"),
        ("respec- \n tively", "respectively"),
        ("respec\u2010\ntively", "respectively"),
        ("respec\xad\ntively", "respectively"),
        ("a well-\nknown rule", "a well-known rule"),
        ("the high-\nest price", "the highest price"),
        ("state-of-the-\nart", "state-of-the-art"),
        ("cost-\nbased, or cost-based", "cost-based, or cost-based"),
        ("non-\nlinear and nonlinear", "nonlinear and nonlinear"),
        ("Bose-\nEinstein", "Bose-Einstein"),
        ("a 20-\nyear bond", "a 20-year bond"),
        ("short-\nand long-term", "short- and long-term"),
        ("a list -\nof two", "a list - of two"),
    ],
)
def test_words_broken_at_line_ends_are_joined_and_compounds_keep_their_hyphen(
    lines: str, expected: str
) -> None:
    assert flowing(lines) == expected


def test_an_excerpt_begins_with_the_sentence_of_the_quote() -> None:
    passage = "Nothing of this. " * 20 + "The price of a used car falls. " + "More of it. " * 30
    at = passage.index("price")
    cut = shown(passage, (at, at + 5))
    assert cut.startswith(f"{ELLIPSIS}The [price] of a used car falls. More of it.")


def test_the_first_word_of_a_long_quote_is_not_lost() -> None:
    quote = "The price of a used car falls " * 9
    cut = shown("Some words. " * 20 + quote + "and so on. " * 9, (240, 240 + len(quote)))
    assert cut.startswith(f"{ELLIPSIS}[The price")


@given(st.integers(0, 900), st.integers(1, 300))
def test_an_excerpt_is_cut_between_words(start: int, length: int) -> None:
    passage = "incomprehensible circumstances, and so on " * 25
    first = passage.rfind(" ", 0, start) + 1
    cut = "".join(piece.text for piece in excerpt(passage, [(first, start + length)]))
    words = cut.strip(ELLIPSIS).split()
    assert set(words) <= set(passage.split())


def test_quoted_words_are_told_apart_but_not_marked() -> None:
    passage = "Nothing of this. " * 20 + "Buyers can not see qual-\nity. " + "More of it. " * 30
    at = passage.index("can not")
    pieces = excerpt(passage, quoted=(at, passage.index("ity.") + 3))
    assert [piece.text for piece in pieces if piece.quoted] == ["can not see quality"]
    assert not any(piece.marked for piece in pieces)
    whole = "".join(piece.text for piece in excerpt(passage, quoted=(at, at + 3), limit=9999))
    assert whole == flowing(passage)
