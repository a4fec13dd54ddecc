import pytest

from documents.pages.page_text import Span
from retrieval.passages import (
    LONGEST_PASSAGE,
    Candidate,
    bodies_first,
    bounded,
    is_heading,
    joined_spans,
    merged,
)
from retrieval.tracing import Cuts


def candidate(
    ordinal: int,
    *,
    reading: int = 1,
    section: str = "Results",
    kind: str = "text",
    tokens: int = 100,
) -> Candidate:
    return Candidate(
        chunk=reading * 100 + ordinal,
        reading=reading,
        ordinal=ordinal,
        spans=(Span(1, ordinal * 10, ordinal * 10 + 9),),
        section=(section,),
        kind=kind,
        tokens=tokens,
        score=1.0,
    )


def ordinals(candidates: list[Candidate]) -> list[list[int]]:
    return [[member.ordinal for member in each.members] for each in merged(candidates)]


def test_neighbours_merge_in_reading_order_and_stand_where_the_best_stood() -> None:
    ranked = [candidate(7), candidate(3), candidate(8), candidate(2), candidate(6)]

    assert ordinals(ranked) == [[6, 7, 8], [2, 3]]
    assert [each.best.ordinal for each in merged(ranked)] == [7, 3]


@pytest.mark.parametrize(
    "other",
    [
        candidate(2, reading=2),
        candidate(3),
        candidate(2, section="Methods"),
        candidate(2, kind="footnote"),
        candidate(2, tokens=LONGEST_PASSAGE),
    ],
)
def test_what_is_not_one_text_stays_apart(other: Candidate) -> None:
    assert len(merged([candidate(1), other])) == 2


def test_a_table_keeps_its_caption() -> None:
    assert ordinals([candidate(2, kind="table"), candidate(1, kind="caption")]) == [[1, 2]]


def test_reference_lists_repeats_and_the_rest_are_cut_and_counted() -> None:
    cuts = Cuts()
    ranked = [
        candidate(1, kind="reference"),
        candidate(2),
        candidate(2),
        candidate(3),
        candidate(4, reading=9),
    ]

    kept = bounded(ranked, 2, cuts)

    assert [each.ordinal for each in kept] == [2, 3]
    assert cuts.counts == {"reference_list": 1, "duplicate": 1, "candidates": 1}
    assert cuts.readings[9] == "candidates"


def test_front_matter_gives_way_only_to_bodies_of_its_own_paper() -> None:
    passages = merged(
        [
            candidate(0, kind="front_matter", section=""),
            candidate(0, reading=2, kind="front_matter", section=""),
            candidate(5),
        ]
    )

    order = [(each.best.reading, each.best.ordinal) for each in bodies_first(passages)]

    assert order == [(2, 0), (1, 5), (1, 0)]


def test_spans_that_only_white_space_parts_become_one() -> None:
    texts = {1: "One line.\nAnother line. More.", 2: "Next page."}
    spans = [Span(2, 0, 10), Span(1, 10, 23), Span(1, 0, 9), Span(1, 5, 9)]

    assert joined_spans(spans, texts) == (Span(1, 0, 23), Span(2, 0, 10))


def test_a_bare_heading_is_known() -> None:
    [passage] = merged([candidate(1)])

    assert is_heading(passage, " Results\n")
    assert not is_heading(passage, "Results of the trial")
