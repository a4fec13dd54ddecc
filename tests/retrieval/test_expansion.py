"""How far around a passage is read, and what belongs to it."""

from typing import Any

import pytest

from documents.models import Chunk, Page, ParsedFile
from documents.pages.page_text import Span
from retrieval.candidates import candidate_of
from retrieval.expansion import (
    WIDEST_TOKENS,
    Decision,
    Reach,
    decide,
    reach_by_rule,
    widened,
    without_overlaps,
)
from retrieval.light_model import LightModel
from retrieval.passages import Candidate, Passage
from retrieval.reading_passages import page_texts, text_of_passage
from retrieval.surroundings import expanded
from retrieval.tracing import StepTrace

LONG = "The enzyme kept its activity for ten hours at seventy degrees. " * 8


def candidate(
    ordinal: int, *, section: str = "Results", kind: str = "text", tokens: int = 200
) -> Candidate:
    return Candidate(ordinal, 1, ordinal, (Span(1, 0, 9),), (section,), kind, tokens, 1.0)


def passage(*ordinals: int, **fields: Any) -> Passage:
    members = tuple(candidate(each, **fields) for each in ordinals)
    return Passage(members[0], members)


def ordinals(passage: Passage) -> list[int]:
    return [member.ordinal for member in passage.members]


@pytest.mark.parametrize(
    ("text", "reach"),
    [
        (LONG, 0),
        ("These values were " + LONG, 2),
        ("因此，" + LONG, 2),
        ("and so the rest of it. " + LONG, 2),
        (LONG + "It was found that", 2),
        ("pH rose. " + LONG, 0),
        ("", 2),
    ],
)
def test_by_rule_what_begins_or_ends_inside_a_thought_is_widened(text: str, reach: int) -> None:
    assert reach_by_rule(passage(5), text) == reach


def test_by_rule_a_few_words_are_widened_and_a_table_never() -> None:
    assert reach_by_rule(passage(5, tokens=20), "It melted.") == 2
    assert reach_by_rule(passage(5, kind="table", tokens=20), "1 2 3") == 0


@pytest.mark.parametrize(("reach", "expected"), [(0, [5]), (2, [3, 4, 5, 6, 7])])
def test_a_passage_is_widened_on_both_sides(reach: int, expected: list[int]) -> None:
    around = {at: candidate(at) for at in range(12)}

    wide = widened(passage(5), reach, around)

    assert ordinals(wide) == expected


def test_a_widened_passage_keeps_to_its_tokens_nearest_chunks_first() -> None:
    around = {at: candidate(at, tokens=350) for at in range(12)}

    wide = widened(passage(5, tokens=350), 5, around)

    assert ordinals(wide) == [3, 4, 5, 6]
    assert wide.tokens <= WIDEST_TOKENS


def test_widening_stops_at_the_section_at_another_kind_and_at_a_gap() -> None:
    around = {
        3: candidate(3, section="Methods"),
        4: candidate(4),
        6: candidate(6),
        7: candidate(7, kind="table"),
        8: candidate(8),
    }

    assert ordinals(widened(passage(5), 5, around)) == [4, 5, 6]
    del around[6]
    assert ordinals(widened(passage(5), 5, around)) == [4, 5]


def test_what_finds_nothing_new_is_the_same_passage() -> None:
    alone = passage(5)

    assert widened(alone, 5, {5: alone.best, 6: candidate(6, section="Methods")}) is alone


def test_passages_that_came_to_overlap_are_one_in_the_place_of_the_better() -> None:
    joined = without_overlaps([passage(5, 6), passage(20), passage(6, 7, 8)])

    assert [ordinals(each) for each in joined] == [[5, 6, 7, 8], [20]]
    assert joined[0].best.ordinal == 5


def test_nothing_to_widen_asks_nobody() -> None:
    assert decide([], [], "need", LightModel()) == Decision((), StepTrace("rules"))


PAGE = (
    "Table 1. Melting points of mutants.\n"
    "Mutant Melting point\nS121E 81\nWild type 72\n"
    "Note: mean of three runs.\n"
    "The mutant was stable.1 Nothing else was.\n"
    "1 Buffer of pH 8 was used."
)


def span(words: str) -> list[int]:
    start = PAGE.index(words)
    return [1, start, start + len(words)]


@pytest.fixture
def reading(db: None) -> ParsedFile:
    parsed = ParsedFile.objects.create(
        sha256="a" * 64, parser="test-1", page_count=1, complete=True, chunked=True
    )
    table = PAGE.index("Mutant"), PAGE.index("\nNote")
    note, body = PAGE.index("1 Buffer"), PAGE.index("The mutant was")
    Page.objects.create(
        parsed=parsed,
        number=1,
        state="ok",
        text=PAGE,
        blocks=[
            ["caption", 0, PAGE.index("\n"), 0],
            ["table", *table, 0],
            ["paragraph", body, PAGE.index("\n1 Buffer"), 0],
            ["footnote", note, len(PAGE), 0],
        ],
        tables=[
            {
                "span": list(table),
                "rect": [0, 0, 1, 1],
                "reliable": True,
                "caption": [0, PAGE.index("\n")],
                "notes": [span("Note: mean of three runs.")[1:]],
                "method": "",
                "continues": False,
                "names": [],
                "rows": [],
            }
        ],
    )
    kinds = (
        ("table", "S121E 81"),
        ("text", "The mutant was stable.1 Nothing else was."),
        ("text", "Nothing else was."),
        ("footnote", "1 Buffer of pH 8 was used."),
    )
    Chunk.objects.bulk_create(
        Chunk(parsed=parsed, ordinal=at, spans=[span(words)], section=[], kind=kind, tokens=100)
        for at, (kind, words) in enumerate(kinds)
    )
    return parsed


@pytest.mark.parametrize(
    ("ordinal", "has", "lacks"),
    [
        (0, ["Table 1. Melting points", "S121E 81", "Note: mean of three runs."], "Buffer"),
        (1, ["The mutant was stable.1", "1 Buffer of pH 8 was used."], "S121E"),
        (2, ["Nothing else was."], "Buffer"),
        (3, ["The mutant was stable.1", "1 Buffer of pH 8 was used."], "Nothing else"),
    ],
)
def test_tables_bring_caption_and_notes_and_footnotes_their_call(
    reading: ParsedFile, ordinal: int, has: list[str], lacks: str
) -> None:
    chunk = candidate_of(reading.chunks.get(ordinal=ordinal), 1.0)
    reach: Reach = 0

    [whole] = expanded([Passage(chunk, (chunk,))], Decision((reach,), StepTrace("rules")))

    text = text_of_passage(whole, page_texts([whole]))
    assert all(words in text for words in has)
    assert lacks not in text
