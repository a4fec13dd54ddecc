"""References, abstracts, contents and levels over pages."""

import numpy as np

from documents.pages.page_sections import in_sections
from documents.pages.page_text import Block, BlockKind, PageState, ParsedPage

K = BlockKind


def page(number: int, *pieces: tuple[BlockKind, str] | tuple[BlockKind, str, int]) -> ParsedPage:
    text, blocks = "", []
    for kind, part, *level in pieces:
        blocks.append(Block(kind, len(text), len(text) + len(part), level[0] if level else 0))
        text += part + "\n"
    boxes = np.zeros((len(text), 4), np.float32)
    return ParsedPage(number, "", PageState.OK, text, boxes, 595, 842, blocks=tuple(blocks))


def kinds(pages: list[ParsedPage]) -> list[list[BlockKind]]:
    return [[block.kind for block in each.blocks] for each in in_sections(pages)]


def levels(*headings: tuple[str, int]) -> list[int]:
    pages = [page(1, *((K.HEADING, words, level) for words, level in headings), (K.PARAGRAPH, "x"))]
    return [b.level for each in in_sections(pages) for b in each.blocks if b.kind is K.HEADING]


def test_references_go_on_over_pages_until_the_next_section() -> None:
    pages = [
        page(1, (K.HEADING, "References", 1), (K.PARAGRAPH, "Person A. Things. 2001.")),
        page(
            2,
            (K.LIST, "Person B. More. 2002."),
            (K.HEADING, "30. Kõlves K, Shaw D, Hawgood J. From", 1),
            (K.HEADING, "Nature", 3),
            (K.HEADING, "A. Proofs of the lemmas", 1),
            (K.PARAGRAPH, "We show."),
        ),
    ]
    assert kinds(pages) == [
        [K.HEADING, K.REFERENCE],
        [K.REFERENCE, K.REFERENCE, K.REFERENCE, K.HEADING, K.PARAGRAPH],
    ]


def test_references_without_a_heading_are_counted_on() -> None:
    pages = [
        page(
            1,
            (K.PARAGRAPH, "It ends."),
            (K.PARAGRAPH, "[4] Hu W. Phys. Rev."),
            (K.REFERENCE, "[5] Lee K. 2001."),
            (K.PARAGRAPH, "[6] Woo T. In press."),
            (K.PARAGRAPH, "[9] is another matter."),
        ),
    ]
    assert kinds(pages) == [[K.PARAGRAPH, K.REFERENCE, K.REFERENCE, K.REFERENCE, K.PARAGRAPH]]


def test_an_abstract_ends_with_its_page() -> None:
    pages = [
        page(1, (K.HEADING, "Abstract", 1), (K.PARAGRAPH, "We study.")),
        page(2, (K.PARAGRAPH, "The world is large.")),
    ]
    assert kinds(pages) == [[K.HEADING, K.ABSTRACT], [K.PARAGRAPH]]


def test_lines_of_a_table_of_contents_head_nothing() -> None:
    pages = [
        page(
            1,
            (K.HEADING, "目 录", 1),
            (K.HEADING, "第一章 总则", 1),
            (K.HEADING, "第二章 附则", 1),
            (K.HEADING, "第一章 总则", 1),
            (K.PARAGRAPH, "第一条 为了保障网络安全，制定本法。"),
        ),
    ]
    assert kinds(pages) == [[K.HEADING, K.LIST, K.LIST, K.HEADING, K.PARAGRAPH]]


def test_levels_follow_the_ways_of_numbering_that_the_document_uses() -> None:
    assert levels(("1 A", 1), ("1.1 B", 2), ("1.1.1 C", 3), ("2 D", 1)) == [1, 2, 3, 1]
    assert levels(("I. Scope", 1), ("A. Forms", 1), ("1. Means", 1), ("B. Names", 1)) == [
        1,
        2,
        3,
        2,
    ]
    assert levels(("第一章 总则", 1), ("第一节 规定", 2), ("第二章 附则", 1)) == [1, 2, 1]
    assert levels(("一、分析", 1), ("2.1 问题", 2), ("二、假设", 1), ("（一）样本", 2)) == [
        1,
        2,
        1,
        2,
    ]
    assert levels(("Methods", 1), ("Study area", 3), ("Results", 1)) == [1, 2, 1]
    assert levels(("A. First proofs", 1), ("B. Others", 1)) == [1, 1]


def test_reading_that_goes_on_later_places_pages_as_if_it_had_not_stopped() -> None:
    pages = [
        page(
            1, (K.HEADING, "I. Scope", 1), (K.HEADING, "References", 1), (K.PARAGRAPH, "A. 2001.")
        ),
        page(2, (K.PARAGRAPH, "B. 2002."), (K.HEADING, "Appendix", 1), (K.PARAGRAPH, "We show.")),
    ]
    whole = list(in_sections(pages))
    assert list(in_sections(pages[1:], earlier=whole[:1])) == whole[1:]
    assert list(in_sections(whole)) == whole
