import pytest
from hypothesis import given
from hypothesis import strategies as st

from citations.excerpts import ELLIPSIS, LONGEST, excerpt, flowing


def shown(passage: str, *matched: str) -> str:
    """The excerpt with its marked words in brackets."""
    pieces = excerpt(passage, matched)
    return "".join(f"[{piece.text}]" if piece.marked else piece.text for piece in pieces)


@pytest.mark.parametrize(
    ("passage", "matched", "expected"),
    [
        ("Buyers can not see quality.", (), "Buyers can not see quality."),
        ("Buyers can not see quality.", ("not see",), "Buyers can [not see] quality."),
        ("Buyers can\nnot see", ("can\nnot",), "Buyers [can not] see"),
        ("a com-\npiled program", ("compiled",), "a [compiled] program"),
        ("市场\n失灵的原因", ("市场失灵",), "[市场失灵]的原因"),
        ("a and b", ("a", "b"), "[a] and [b]"),
        ("other words", ("not there",), "[not there]"),
        ("", (), ""),
    ],
)
def test_matched_words_are_marked_in_flowing_text(
    passage: str, matched: tuple[str, ...], expected: str
) -> None:
    assert shown(passage, *matched) == expected


def test_a_long_passage_is_cut_around_the_matched_words() -> None:
    passage = "before " * 60 + "the very words" + " after" * 60
    cut = shown(passage, "the very words")
    assert cut.startswith(ELLIPSIS)
    assert cut.endswith(ELLIPSIS)
    assert "[the very words]" in cut


@given(st.text("ab \n-中", max_size=500), st.text("ab 中", min_size=1, max_size=300))
def test_an_excerpt_is_never_too_long(passage: str, matched: str) -> None:
    pieces = excerpt(passage, [matched])
    assert sum(len(piece.text) for piece in pieces) <= LONGEST


@given(st.text(max_size=80))
def test_what_is_not_marked_is_text_of_the_passage(passage: str) -> None:
    assert "".join(piece.text for piece in excerpt(passage)) == flowing(passage)
