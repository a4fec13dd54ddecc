"""Tables as chunks: whole rows, under their headers, within the limit, nothing twice."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from documents.chunks.chunk_heads import LEAST_CAPTION_TOKENS, MOST_HEAD_TOKENS
from documents.chunks.chunk_text import text_of
from documents.chunks.chunking import chunk_pages
from documents.chunks.token_estimate import estimate_tokens
from documents.chunks.units import MOST_TOKENS
from documents.pages.page_text import (
    Block,
    BlockKind,
    Cell,
    ChunkSpans,
    PageState,
    ParsedPage,
    Table,
)

Lines = Sequence[str]
"""The lines of a cell, from top to bottom."""


@dataclass(frozen=True)
class Row:
    """A row as printed: the first lines of its cells side by side, then the second ones."""

    cells: Sequence[Lines]
    is_header: bool = False
    path: tuple[str, ...] = ()


def printed(number: int, rows: Sequence[Row], *, caption: str = "", before: str = "") -> ParsedPage:
    """A page with `before`, a caption and a table whose structure is known."""
    text, blocks = "", []
    for kind, part in ((BlockKind.PARAGRAPH, before), (BlockKind.CAPTION, caption)):
        if part:
            blocks.append(Block(kind, len(text), len(text) + len(part)))
            text += part + "\n\n"
    start = len(text)
    cells: list[tuple[Cell, ...]] = []
    for row in rows:
        spans: list[list[tuple[int, int]]] = [[] for _ in row.cells]
        for depth in range(max(map(len, row.cells))):
            line = [(at, cell[depth]) for at, cell in enumerate(row.cells) if depth < len(cell)]
            for at, words in line:
                spans[at].append((len(text), len(text) + len(words)))
                text += words + " "
            text = text.rstrip() + "\n"
        cells.append(
            tuple(
                Cell(
                    " ".join(lines), tuple(places), (0, 0, 1, 1), (), row.path, at,
                    is_header=row.is_header,
                )
                for at, (lines, places) in enumerate(zip(row.cells, spans, strict=True))
            )
        )  # fmt: skip
    text = text.rstrip()
    blocks.append(Block(BlockKind.TABLE, start, len(text)))
    place = (start - len(caption) - 2, start - 2) if caption else None
    table = Table(start, len(text), (0, 0.1, 1, 0.9), tuple(cells), True, place)
    boxes = np.zeros((len(text), 4), np.float32)
    return ParsedPage(
        number, str(number), PageState.OK, text, boxes, 595, 842,
        blocks=tuple(blocks), tables=(table,),
    )  # fmt: skip


def table_chunks(*pages: ParsedPage) -> list[tuple[ChunkSpans, str]]:
    texts = {page.number: page.text for page in pages}
    return [
        (chunk, text_of(chunk.spans, texts))
        for chunk in chunk_pages(pages)
        if chunk.kind == "table"
    ]


def says_nothing_twice(chunk: ChunkSpans) -> bool:
    places = sorted((span.page, span.start, span.end) for span in chunk.spans)
    return all(a[0] != b[0] or a[2] <= b[1] for a, b in pairwise(places))


HEADERS = Row((("Region",), ("Mean", "yield"), ("Share",)), is_header=True)


def wrapped_row(number: int) -> Row:
    name = (f"District{number} between the", f"river{number} and the coast")
    return Row((name, (f"{number}.25",), ("about a", f"third{number}")), path=(" ".join(name),))


def test_a_wrapped_row_stays_whole_under_its_headers() -> None:
    rows = [HEADERS, *(wrapped_row(number) for number in range(100, 140))]
    parts = table_chunks(printed(1, rows, caption="Table 1. Yields."))
    assert len(parts) > 2
    for number in range(100, 140):
        whole = f"District{number} between the {number}.25 about a\nriver{number} and the coast"
        assert sum(f"{whole} third{number}" in text for _, text in parts) == 1
        assert sum(f"{number}.25" in text for _, text in parts) == 1
    for chunk, text in parts:
        assert text.startswith("Table 1. Yields.\n\nRegion Mean Share\nyield\n")
        assert says_nothing_twice(chunk)
        assert estimate_tokens(text) - 2 <= chunk.tokens <= MOST_TOKENS


def test_the_parts_of_a_long_table_are_about_equal() -> None:
    rows = [HEADERS, *(wrapped_row(number) for number in range(100, 140))]
    sizes = [chunk.tokens for chunk, _ in table_chunks(printed(1, rows))]
    assert min(sizes) > 0.6 * max(sizes)


def test_a_part_on_the_next_page_stands_under_the_headers_of_the_page_before() -> None:
    first = printed(1, [HEADERS, wrapped_row(100)], caption="Table 1. Yields.")
    second = printed(2, [wrapped_row(number) for number in range(101, 130)])
    second = replace(second, tables=(replace(second.tables[0], continues=True),))
    parts = table_chunks(first, second)
    assert len(parts) > 2
    for chunk, text in parts:
        assert text.startswith("Table 1. Yields.\n\nRegion Mean Share\nyield\n")
        assert "District" in text
        assert chunk.spans[0].page == 1
    assert [chunk.spans[-1].page for chunk, _ in parts] == [1, *[2] * (len(parts) - 1)]


def test_a_panel_and_its_own_headers_are_repeated() -> None:
    panel = Row((("Panel B: hills",),))
    own = Row((("Village",), ("Mean",), ("Rank",)), is_header=True)
    rows = [
        HEADERS,
        *(wrapped_row(number) for number in range(100, 104)),
        panel,
        own,
        *(
            replace(wrapped_row(number), path=("Panel B: hills", str(number)))
            for number in range(104, 140)
        ),
    ]
    parts = table_chunks(printed(1, rows))
    late = [text for _, text in parts if "District139" in text or "District125" in text]
    assert late
    for text in late:
        assert text.startswith("Panel B: hills\nVillage Mean Rank\nDistrict")
        assert "Region" not in text
    (only,) = [
        text for _, text in parts if "Panel B: hills\nVillage Mean Rank\nDistrict104" in text
    ]
    assert only.startswith("Region Mean Share")


@pytest.mark.parametrize("names", [3, 300])
def test_a_head_that_does_not_fit_is_shortened_not_lost(names: int) -> None:
    caption = "Table 1. " + "Very long words about what is shown below. " * 20
    head = Row([(f"Name{n}",) for n in range(names)], is_header=True)
    rows = [Row([(f"value{n}.{m}",) for m in range(3)]) for n in range(80)]
    parts = table_chunks(printed(1, [head, *rows], caption=caption.strip()))
    below = [each for each in parts if "value" in each[1] and "value0." not in each[1]]
    assert len(below) > 2
    for chunk, text in below:
        assert text.startswith("Table 1. Very long words about")
        assert "Name0" in text
        assert "Name2" in text
        head_tokens = estimate_tokens(text[: text.index("value")])
        assert LEAST_CAPTION_TOKENS < head_tokens <= MOST_HEAD_TOKENS + 2
        assert chunk.tokens <= MOST_TOKENS


def test_a_caption_that_reaches_into_the_table_is_not_said_twice() -> None:
    page = printed(1, [HEADERS, wrapped_row(100)], caption="Table 1. Yields.")
    (table,) = page.tables
    page = replace(page, tables=(replace(table, caption=(0, table.start + 6)),))
    ((chunk, text),) = table_chunks(page)
    assert says_nothing_twice(chunk)
    assert text.count("Region") == 1


def test_a_row_whose_cells_stand_in_two_blocks_is_one_row() -> None:
    page = printed(1, [HEADERS, *(wrapped_row(number) for number in range(100, 110))])
    (block,) = page.blocks
    numbers = "\n".join(map(str, range(200, 210)))
    text = f"{page.text}\n\nA paragraph between.\n\n{numbers}"
    (table,) = page.tables
    rows = [table.rows[0]]
    for row, number in zip(table.rows[1:], range(200, 210), strict=True):
        at = text.index(str(number))
        rows.append((*row, Cell(str(number), ((at, at + 3),), (0, 0, 1, 1), column=3)))
    page = replace(
        page,
        text=text,
        boxes=np.zeros((len(text), 4), np.float32),
        blocks=(
            block,
            Block(BlockKind.HEADING, block.end + 2, block.end + 22, 1),
            Block(BlockKind.TABLE, text.index(numbers), len(text)),
        ),
        tables=(replace(table, rows=tuple(rows), end=len(text)),),
    )
    for _, part in table_chunks(page):
        for number in range(100, 110):
            assert (f"District{number}" in part) == (f"\n{number + 100}" in part)


WORDS = st.text(alphabet="ab 1研", min_size=1, max_size=30).map(lambda text: text.strip() or "x")
CELLS = st.lists(st.lists(WORDS, min_size=1, max_size=4), min_size=1, max_size=4)


@given(
    st.lists(st.tuples(CELLS, st.booleans()), min_size=1, max_size=40), st.text("ab ", max_size=900)
)
def test_any_table_is_cut_into_whole_rows_within_the_limit(
    content: list[tuple[list[list[str]], bool]], caption: str
) -> None:
    rows = [Row(cells, is_header) for cells, is_header in content]
    page = printed(1, rows, caption=f"Table 1 {caption}".strip())
    parts = table_chunks(page)
    covered = [{at for s in chunk.spans for at in range(s.start, s.end)} for chunk, _ in parts]
    for chunk, text in parts:
        assert says_nothing_twice(chunk)
        assert 0 < chunk.tokens <= MOST_TOKENS
        assert text
    for row in page.tables[0].rows:
        ink = {at for cell in row for span in cell.spans for at in range(*span)}
        is_long = estimate_tokens(" ".join(cell.text for cell in row)) > MOST_TOKENS // 2
        assert is_long or any(ink <= places for places in covered)
        assert ink <= set().union(*covered)
