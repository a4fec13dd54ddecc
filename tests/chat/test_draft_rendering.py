"""A growing answer is rendered as the whole of it would be, byte for byte, and costs little."""

import time
from dataclasses import dataclass

from hypothesis import example, given
from hypothesis import strategies as st

from chat.draft_rendering import GrowingAnswer
from citations.rendering import render_draft
from citations.segments import CiteSegment, Segment, TextSegment


@dataclass(frozen=True)
class Paper:
    file_id: str
    title: str
    pdf_page: int | None = None


KNOWN = {number: Paper(f"f{number % 2}", f"Paper {number % 2}") for number in range(1, 4)}
PIECES = st.sampled_from(
    [
        "word ", "词", "\n", "\n\n", "# ", "- item", "1. ", "> quote", "```\n", "~~~\n", "$$", "`",
        "| a | b |\n|---|---|\n| 1 | 2 |", "  ", "    code", "**bold**", "---", "===", "\\[x\\]",
        "Then", "[a]: b", "<div>", "\n| 1 | 2 | 3 ", "\n|---|\n", "| a ", "a | b\n-|-\n1 | 2 | 3",
    ]
)  # fmt: skip
SEGMENTS = st.one_of(
    PIECES.map(TextSegment),
    PIECES.map(TextSegment),
    st.integers(1, 4).map(CiteSegment),
    PIECES.map(lambda text: TextSegment(text, verbatim=True)),
)


def whole(segments: list[Segment]) -> list[str]:
    return render_draft(segments, KNOWN, slug="p", key="run")


@given(st.lists(SEGMENTS, max_size=30))
@example(
    [
        TextSegment("| a |\n|---|\n| 1 | 2 "),
        CiteSegment(1),
        TextSegment(" |\n\nThen"),
        CiteSegment(2),
    ]
)
@example([TextSegment("- a\n\n"), TextSegment("Then\n\n"), CiteSegment(1), TextSegment("\n\nx")])
def test_every_step_equals_the_rendering_of_the_whole(segments: list[Segment]) -> None:
    growing = GrowingAnswer("p", "run")
    for count in range(len(segments) + 1):
        assert growing.render(segments[:count], KNOWN) == whole(segments[:count])


@given(st.lists(SEGMENTS, max_size=12), st.lists(SEGMENTS, max_size=20))
def test_withdrawn_text_leaves_nothing_behind(first: list[Segment], second: list[Segment]) -> None:
    growing = GrowingAnswer("p", "run")
    growing.render(first, KNOWN)
    assert growing.render(second, KNOWN) == whole(second)


def test_a_long_answer_costs_as_much_at_its_end_as_a_short_one() -> None:
    """The work of the last events, against rendering the whole at each of them."""
    paragraph: list[Segment] = [TextSegment("Then buyers paid more. " * 12), CiteSegment(1)]
    segments: list[Segment] = []
    for _ in range(60):
        segments += [*paragraph, TextSegment("\n\n")]
    growing = GrowingAnswer("p", "run")
    for count in range(0, len(segments), 3):
        growing.render(segments[:count], KNOWN)
    started = time.process_time()
    for count in range(len(segments) - 15, len(segments)):
        growing.render(segments[:count], KNOWN)
    kept = time.process_time() - started
    started = time.process_time()
    for count in range(len(segments) - 15, len(segments)):
        whole(segments[:count])
    assert kept < (time.process_time() - started) / 3
