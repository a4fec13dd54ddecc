import pytest
from hypothesis import given
from hypothesis import strategies as st

from citations.excerpts import ELLIPSIS, LONGEST, excerpt, flowing


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
