import re
from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.chunks.chunk_text import text_of
from documents.chunks.chunking import chunk_pages
from documents.chunks.token_estimate import estimate_tokens
from documents.chunks.units import MOST_TOKENS, TARGET_TOKENS
from documents.pages.page_text import (
    Block,
    BlockKind,
    Cell,
    ChunkSpans,
    PageState,
    ParsedPage,
    Table,
)

Piece = tuple[BlockKind, str] | tuple[BlockKind, str, int]
K = BlockKind
SENTENCE = (
    "The measured growth of the yearly population slowed down in every region that we studied. "
)


def page(
    number: int, *pieces: Piece, state: PageState = PageState.OK, between: str = "\n"
) -> ParsedPage:
    """A page whose text is the pieces' texts, one block each."""
    text, blocks = "", []
    for kind, part, *level in pieces:
        start = len(text)
        text += part
        blocks.append(Block(kind, start, len(text), level[0] if level else 0))
        text += between
    boxes = np.zeros((len(text), 4), np.float32)
    return ParsedPage(number, str(number), state, text, boxes, 595, 842, blocks=tuple(blocks))


def structured(page: ParsedPage, first: str, *, headers: int) -> Table:
    """The table whose text begins with `first`: every line a row, every word a cell."""
    start = page.text.index(first)
    rows = []
    for number, line in enumerate(re.finditer(r"[^\n]+", page.text[start:])):
        words = [
            (start + line.start() + w.start(), start + line.start() + w.end())
            for w in re.finditer(r"\S+", line[0])
        ]
        rows.append(
            tuple(
                Cell(
                    page.text[a:b],
                    ((a, b),),
                    (0, 0, 1, 1),
                    column=column,
                    is_header=number < headers,
                )
                for column, (a, b) in enumerate(words)
            )
        )
    return Table(start, len(page.text.rstrip()), (0, 0, 1, 1), tuple(rows), reliable=True)


def texts(pages: list[ParsedPage], chunks: Iterable[ChunkSpans]) -> list[str]:
    by_number = {each.number: each.text for each in pages}
    return [text_of(chunk.spans, by_number) for chunk in chunks]


def test_a_chunk_never_leaves_its_section_and_knows_its_path() -> None:
    pages = [
        page(
            1,
            (K.HEADING, "1 Methods", 1),
            (K.PARAGRAPH, "We asked people."),
            (K.HEADING, "1.1 Sample", 2),
            (K.PARAGRAPH, "They were many."),
            (K.HEADING, "2 Results", 1),
            (K.PARAGRAPH, "It rose."),
        )
    ]
    chunks = chunk_pages(pages)
    assert [chunk.section for chunk in chunks] == [
        ("1 Methods",), ("1 Methods", "1.1 Sample"), ("2 Results",),
    ]  # fmt: skip
    assert texts(pages, chunks) == ["We asked people.", "They were many.", "It rose."]


def test_two_sections_of_one_name_are_not_one_section() -> None:
    pages = [
        page(1, (K.HEADING, "Methods", 1), (K.PARAGRAPH, "First study.")),
        page(2, (K.HEADING, "Other", 1), (K.PARAGRAPH, "Between.")),
        page(3, (K.HEADING, "Methods", 1), (K.PARAGRAPH, "Second study.")),
    ]
    assert texts(pages, chunk_pages(pages)) == ["First study.", "Between.", "Second study."]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("The rate of", "growth fell in 2019."),
        ("The measured popula-", "tion fell."),
        ("We saw that the", "Bayesian model won."),
        ("本文研究了近十年来经济增长的", "主要原因。"),
    ],
)
def test_a_sentence_over_a_page_break_stays_one_sentence(before: str, after: str) -> None:
    pages = [
        page(1, (K.PARAGRAPH, SENTENCE * 14 + before), (K.FOOTNOTE, "1 A note."), (K.MARGIN, "17")),
        page(2, (K.MARGIN, "Smith et al."), (K.PARAGRAPH, after + " " + SENTENCE * 14)),
    ]
    chunks = chunk_pages(pages)
    whole = [text for text in texts(pages, chunks) if before in text]
    assert len(whole) == 1
    assert f"{before}\n{after}" in whole[0]
    crossing = next(chunk for chunk in chunks if {span.page for span in chunk.spans} == {1, 2})
    assert crossing.kind == "text"


def test_paragraphs_that_ended_are_not_glued() -> None:
    pages = [page(1, (K.PARAGRAPH, "It fell."), (K.LIST, "• one"), (K.LIST, "• two"))]
    (chunk,) = chunk_pages(pages)
    assert texts(pages, [chunk]) == ["It fell.\n• one\n• two"]
    assert len(chunk.spans) == 1


def test_margins_are_left_out_and_every_kind_keeps_its_own_chunk() -> None:
    pages = [
        page(
            1,
            (K.MARGIN, "Journal of Things 12"),
            (K.TITLE, "On things"),
            (K.AUTHORS, "A. Person"),
            (K.ABSTRACT, "We study things."),
            (K.HEADING, "1 Body", 1),
            (K.PARAGRAPH, "Things are many."),
            (K.CAPTION, "Figure 1. A thing."),
            (K.CAPTION, "Figure 2. Two things."),
            (K.TABLE, "a b\n1 2"),
            (K.FOOTNOTE, "1 Note."),
            (K.HEADING, "References", 1),
            (K.REFERENCE, "[1] Person A. Things. 2001."),
            (K.PARAGRAPH, "[2] Person B. More. 2002."),
        )
    ]
    chunks = chunk_pages(pages)
    assert [chunk.kind for chunk in chunks] == [
        "front_matter", "abstract", "text", "caption", "caption", "table", "footnote", "reference",
    ]  # fmt: skip
    assert "Journal of Things" not in "".join(texts(pages, chunks))
    assert chunks[-1].section == ("References",)


def test_a_figure_between_two_paragraphs_does_not_part_them() -> None:
    pages = [
        page(
            1,
            (K.PARAGRAPH, "The rate of"),
            (K.CAPTION, "Figure 1. A thing."),
            (K.PARAGRAPH, "growth fell."),
        )
    ]
    assert texts(pages, chunk_pages(pages)) == ["The rate of\ngrowth fell.", "Figure 1. A thing."]


def test_a_long_table_repeats_its_first_line() -> None:
    rows = "\n".join(f"Region {n} {n * 3}.{n % 10} {n * 7} {n * 11}" for n in range(90))
    pages = [page(1, (K.TABLE, f"Area Mean Low High\n{rows}"))]
    parts = texts(pages, chunk_pages(pages))
    assert len(parts) > 2
    assert all(part.startswith("Area Mean Low High\n") for part in parts)
    assert all(sum(f"Region {n} " in part for part in parts) == 1 for n in range(90))


def test_long_text_is_cut_between_sentences_near_the_target() -> None:
    pages = [page(1, (K.PARAGRAPH, (SENTENCE * 60).strip()))]
    chunks = chunk_pages(pages)
    assert all(
        text.endswith("studied.") and text.startswith("The") for text in texts(pages, chunks)
    )
    assert all(TARGET_TOKENS // 2 <= chunk.tokens <= MOST_TOKENS for chunk in chunks)


def test_a_sentence_without_end_is_cut_to_the_limit() -> None:
    pages = [
        page(
            1, (K.PARAGRAPH, "word " * 3000), (K.PARAGRAPH, "x" * 9000), (K.PARAGRAPH, "研" * 3000)
        )
    ]
    chunks = chunk_pages(pages)
    assert max(chunk.tokens for chunk in chunks) <= MOST_TOKENS
    assert "".join("".join(texts(pages, chunks)).split()) == "".join(pages[0].text.split())


def test_headings_over_nothing_are_still_searchable() -> None:
    pages = [page(1, (K.HEADING, "Growth doubled", 1), (K.HEADING, "Costs fell", 1))]
    assert texts(pages, chunk_pages(pages)) == ["Growth doubled", "Costs fell"]


def test_a_label_over_nothing_is_no_chunk() -> None:
    pages = [
        page(1, (K.HEADING, "Methods", 1), (K.HEADING, "Sample", 1), (K.PARAGRAPH, "Many came."))
    ]
    assert texts(pages, chunk_pages(pages)) == ["Many came."]


def test_a_note_between_the_halves_of_a_sentence_does_not_break_it() -> None:
    pages = [
        page(
            1,
            (K.PARAGRAPH, SENTENCE + "Concern has steadily increased"),
            (K.PARAGRAPH, "© The Authors."),
        ),
        page(2, (K.PARAGRAPH, "[4]. However, it fell.")),
    ]
    (chunk,) = chunk_pages(pages)
    assert "increased\n[4]. However, it fell." in texts(pages, [chunk])[0]


def test_text_outside_every_block_is_kept() -> None:
    loose = page(1, (K.PARAGRAPH, "In a block."))
    text = loose.text + "\nOutside of all blocks.\n\nAnother one."
    pages = [
        ParsedPage(
            1,
            "",
            PageState.OK,
            text,
            np.zeros((len(text), 4), np.float32),
            1,
            1,
            blocks=loose.blocks,
        )
    ]
    assert "Outside of all blocks." in "".join(texts(pages, chunk_pages(pages)))
    assert "Another one." in "".join(texts(pages, chunk_pages(pages)))


def test_a_file_of_nothing_but_margins_is_searchable_all_the_same() -> None:
    pages = [page(number, (K.MARGIN, f"A document. Page {number}.")) for number in (1, 2)]
    assert "A document. Page 2." in "".join(texts(pages, chunk_pages(pages)))


@pytest.mark.parametrize("state", [PageState.GARBLED, PageState.FAILED, PageState.NO_TEXT])
def test_unreadable_pages_give_no_chunks(state: PageState) -> None:
    assert chunk_pages([page(1, (K.PARAGRAPH, "#$%&' (*)"), state=state)]) == []


@pytest.mark.parametrize("state", [PageState.OK, PageState.OCR, PageState.UNSUPPORTED_ROTATION])
def test_readable_pages_give_chunks(state: PageState) -> None:
    assert len(chunk_pages([page(1, (K.PARAGRAPH, "It fell."), state=state)])) == 1


PIECES = st.lists(
    st.tuples(
        st.sampled_from(list(BlockKind)),
        st.text(alphabet=st.sampled_from("ab C1.。！研究\n(（[•-"), min_size=1, max_size=120),
        st.integers(1, 4),
    ),
    max_size=12,
)


@given(st.lists(PIECES, max_size=3))
def test_chunks_hold_all_text_but_margins_and_headings(layout: list[list[Piece]]) -> None:
    pages = [page(number, *pieces) for number, pieces in enumerate(layout, 1)]
    chunks = chunk_pages(pages)
    inked = [
        block.kind
        for each in pages
        for block in each.blocks
        if each.text[block.start : block.end].strip()
    ]
    only_margins = set(inked) == {BlockKind.MARGIN}
    covered: dict[int, list[tuple[int, int]]] = {each.number: [] for each in pages}
    for chunk in chunks:
        assert chunk.spans
        assert 0 < chunk.tokens <= MOST_TOKENS
        for span in chunk.spans:
            covered[span.page].append((span.start, span.end))
    for each in pages:
        inside = {at for start, end in covered[each.number] for at in range(start, end)}
        for block in each.blocks:
            ink = {at for at in range(block.start, block.end) if not each.text[at].isspace()}
            if block.kind is BlockKind.MARGIN:
                assert not ink & inside or only_margins
            elif block.kind is not BlockKind.HEADING:
                assert ink <= inside


def test_the_estimate_is_additive_enough() -> None:
    assert abs(estimate_tokens(SENTENCE * 10) - 10 * estimate_tokens(SENTENCE)) <= 10


def test_a_footnote_stands_behind_the_sentence_that_calls_it_and_in_its_section() -> None:
    pages = [
        page(
            1,
            (K.HEADING, "1 Data", 1),
            (K.PARAGRAPH, "We took the survey2 of 2019. It is public."),
            (K.HEADING, "2 Model", 1),
            (K.PARAGRAPH, "The model is linear."),
            (K.FOOTNOTE, "2 Held every 4 years."),
        )
    ]
    chunks = chunk_pages(pages)
    note = next(chunk for chunk in chunks if chunk.kind == "footnote")
    assert note.section == ("1 Data",)
    assert texts(pages, [note]) == ["We took the survey2 of 2019.\n2 Held every 4 years."]


@pytest.mark.parametrize(
    "body",
    [
        "Layer2 feeds layer2 of the net.",  # called twice: doubtful
        "In 2002 we saw 2 cases and 2.5 percent, as in F2.",  # numbers, not calls
        "Nothing is called here.",
    ],
)
def test_a_footnote_without_a_certain_call_stands_alone(body: str) -> None:
    pages = [page(1, (K.PARAGRAPH, body), (K.FOOTNOTE, "2 Held every 4 years."))]
    note = next(chunk for chunk in chunk_pages(pages) if chunk.kind == "footnote")
    assert texts(pages, [note]) == ["2 Held every 4 years."]


def test_every_chunk_of_a_table_begins_with_its_caption_and_headers() -> None:
    rows = "\n".join(f"Region {n} {n * 3}.{n % 10} {n * 7} {n * 11}" for n in range(90))
    table = f"Yield Yield Loss\nMean Low High\n{rows}"
    bare = page(1, (K.CAPTION, "Table 3. Yields by region."), (K.TABLE, table))
    known = structured(bare, "Yield Yield", headers=2)
    known = replace(known, caption=(0, known.start - 1))
    for pages, header in (
        ([bare], "Yield Yield Loss\n"),
        ([replace(bare, tables=(known,))], "Yield Yield Loss\nMean Low High\n"),
    ):
        parts = texts(pages, [c for c in chunk_pages(pages) if c.kind == "table"])
        assert len(parts) > 2
        assert all(part.startswith(f"Table 3. Yields by region.\n{header}") for part in parts)
        assert all(sum(f"Region {n} " in part for part in parts) == 1 for n in range(90))
