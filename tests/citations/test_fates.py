"""What a rewrite did to each citation: every one gets exactly one fate."""

from hypothesis import given
from hypothesis import strategies as st

from citations.fates import Cited, fates_of

A = Cited(("f1", None, "p", ((1, 0, 9),)), "f1", "Warming slows growth in all regions")
B = Cited(("f2", None, "p", ((3, 0, 9),)), "f2", "Buyers pay a premium for reputation")
A2 = Cited(("f1", None, "p", ((7, 5, 9),)), "f1", "Warming slows growth in the north")


def names(before: list[Cited], after: list[Cited]) -> list[str]:
    return [each.fate for each in fates_of(before, after)]


def test_an_unchanged_answer_keeps_everything() -> None:
    assert names([A, B, A2], [A, B, A2]) == ["kept", "kept", "kept"]


def test_a_translated_answer_in_the_same_order_keeps_everything() -> None:
    chinese = [Cited(each.place, each.identity, "全是中文") for each in (A, B)]
    assert names([A, B], chinese) == ["kept", "kept"]


def test_what_is_gone_is_dropped() -> None:
    assert names([A, B], [A]) == ["kept", "dropped"]
    assert names([A, B], []) == ["dropped", "dropped"]


def test_a_place_behind_another_statement_has_moved() -> None:
    swapped = [Cited(B.place, "f2", "甲"), Cited(A.place, "f1", "乙")]
    assert sorted(names([A, B], swapped)) == ["kept", "moved"]


def test_two_citations_of_a_source_behind_one_statement_are_merged() -> None:
    both = Cited(A.place, "f1", "Warming slows growth in all regions and in the north")
    assert names([A, A2], [both]) == ["kept", "merged"]
    assert names([A, A], [A]) == ["kept", "merged"]


PLACES = st.builds(
    Cited,
    st.sampled_from([A.place, B.place, A2.place]),
    st.sampled_from(["f1", "f2"]),
    st.sampled_from(["one claim here", "another claim there", ""]),
)


@given(st.lists(PLACES, max_size=8), st.lists(PLACES, max_size=8))
def test_every_citation_has_one_fate_and_leads_to_its_own_source(
    before: list[Cited], after: list[Cited]
) -> None:
    fates = fates_of(before, after)
    assert len(fates) == len(before)
    kept = [fate.now for fate in fates if fate.fate in {"kept", "moved"}]
    assert len(set(kept)) == len(kept)
    for cited, fate in zip(before, fates, strict=True):
        assert (fate.now is None) == (fate.fate == "dropped")
        if fate.now is not None:
            now = after[fate.now]
            assert now.place == cited.place or now.identity == cited.identity
