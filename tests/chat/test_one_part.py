"""A request about one part of an answer: which part, and that the rest stays byte for byte."""

from collections.abc import Iterable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.events import AgentEnded, AgentEvent, TextAdded, TextWithdrawn
from chat.one_part import part_meant, put_back, taken_out
from chat.paragraphs import paragraphs_of, segments_in
from citations.markers import merged
from citations.segments import CiteSegment, Segment, TextSegment
from llm.port import ModelError

ANSWER: list[Segment] = [
    TextSegment("## Prices\n\nBuyers pay more"),
    CiteSegment(1),
    TextSegment(".\n\nThey pay 8.1 %"),
    CiteSegment(2),
    TextSegment(".\n\n## Lemons\nBad cars stay"),
    CiteSegment(3),
    TextSegment(".\n\n| a | b |\n|---|---|\n| 1 | 2 "),
    CiteSegment(4),
    TextSegment(" |"),
]

TABLE = "| a | b |\n|---|---|\n| 1 | 2 [4] |"


def words(segments: tuple[Segment, ...] | list[Segment]) -> str:
    return "".join(
        part.text if isinstance(part, TextSegment) else f"[{part.evidence}]" for part in segments
    )


@pytest.mark.parametrize(
    ("request_text", "meant"),
    [
        ("Shorten the first paragraph", "Buyers pay more[1]."),
        ("Please rewrite paragraph 2 in plain words", "They pay 8.1 %[2]."),
        ("Make the third paragraph shorter, keep its citations", "Bad cars stay[3]."),
        ("Translate the 2nd paragraph into Chinese", "They pay 8.1 %[2]."),
        ("把第二段缩短", "They pay 8.1 %[2]."),
        ("改写第1段", "Buyers pay more[1]."),
        ("Delete the second paragraph", "They pay 8.1 %[2]."),
        (
            "Shorten the section “Lemons”",
            "## Lemons\nBad cars stay[3].\n\n| a | b |\n|---|---|\n| 1 | 2 [4] |",
        ),
        ("Rewrite the first section", "## Prices\n\nBuyers pay more[1].\n\nThey pay 8.1 %[2]."),
        ("Add a column to the table", TABLE),
        ("翻译表格", TABLE),
    ],
)
def test_the_part_that_is_meant_is_found(request_text: str, meant: str) -> None:
    part = part_meant(request_text, ANSWER)
    assert part is not None
    assert words(part.segments) == meant
    assert words([*part.before, *part.segments, *part.after]) == words(ANSWER)


@pytest.mark.parametrize(
    "request_text",
    [
        "Shorten it",
        "What does the second paragraph mean?",
        "Merge the first paragraph and the second paragraph",
        "Shorten everything except the second paragraph",
        "Shorten it but leave the second paragraph as it is",
        "Swap the first paragraph with the second paragraph",
        "把第一段和第二段合并改写",
        "除第二段以外都缩短",
        "Rewrite the ninth paragraph",
        "Shorten the section “Nowhere”",
        "Turn it into a table",
        "Put the last paragraph first",
        "Move the second paragraph to the top",
        "把第一段放到最后",
    ],
)
def test_what_is_about_more_or_about_nothing_there_is_not_taken_for_one_part(
    request_text: str,
) -> None:
    assert part_meant(request_text, ANSWER) is None


def shown(events: Iterable[AgentEvent]) -> str:
    parts: list[Segment] = []
    for event in events:
        if isinstance(event, TextWithdrawn):
            parts.clear()
        elif isinstance(event, TextAdded):
            parts += event.segments
    return words(parts)


def test_the_rest_stays_byte_for_byte_and_copies_of_it_are_left_out() -> None:
    part = part_meant("Shorten the second paragraph", ANSWER)
    assert part is not None
    reply: list[Segment] = [
        TextSegment("Buyers pay more"),
        CiteSegment(1),
        TextSegment(".\n\n8.1 %"),
        CiteSegment(2),
    ]
    events: list[AgentEvent] = [
        TextAdded((TextSegment("Let me see"),)),
        TextWithdrawn(),
        TextAdded(tuple(reply)),
        AgentEnded("answered"),
    ]
    whole = shown(put_back(iter(events), part))
    assert whole == words(ANSWER).replace("They pay 8.1 %[2].", "8.1 %[2]")


@pytest.mark.parametrize("written", ["", "   \n\n"])
def test_a_model_that_writes_nothing_leaves_the_answer_as_it_was(written: str) -> None:
    part = part_meant("Shorten the second paragraph", ANSWER)
    assert part is not None
    events: list[AgentEvent] = [TextAdded((TextSegment(written),)), AgentEnded("answered")]
    assert shown(put_back(iter(events), part)) == words(ANSWER)


def test_a_model_that_breaks_off_destroys_nothing() -> None:
    def breaks() -> Iterator[AgentEvent]:
        yield TextAdded((TextSegment("8.1"),))
        raise ModelError("cut_off", "gone")

    part = part_meant("Shorten the second paragraph", ANSWER)
    assert part is not None
    events = put_back(breaks(), part)
    seen = [next(events), next(events)]
    with pytest.raises(ModelError):
        next(events)
    assert shown(iter(seen)) == words(ANSWER).replace("They pay 8.1 %[2].", "8.1")


def test_a_part_taken_out_leaves_the_others() -> None:
    part = part_meant("Delete the second paragraph", ANSWER)
    assert part is not None
    assert part.is_unwanted
    assert "8.1 %" not in shown(taken_out(part))
    inside = part_meant("Remove the number in the second paragraph", ANSWER)
    assert inside is None or not inside.is_unwanted


TEXTS = st.text(alphabet="ab#`| \n*", max_size=20).map(TextSegment)
PARTS = st.lists(TEXTS | st.integers(1, 4).map(CiteSegment), max_size=8)


@given(PARTS)
def test_paragraphs_joined_again_are_the_same_answer(segments: list[Segment]) -> None:
    assert merged(segments_in(paragraphs_of(segments))) == merged(segments)
