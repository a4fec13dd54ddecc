"""Which sentences of a passage may stand alone, and how they look then."""

import pytest

from chat.quotable import PageText, may_stand_alone, quotable_sentences, shown
from documents.pages.page_text import Block, BlockKind, Span
from retrieval.evidence import Evidence, ScopedVersion

VERSION = ScopedVersion("file", "document", 1, "0" * 64, "p1", "A title")


def evidence(text: str, spans: tuple[Span, ...]) -> Evidence:
    return Evidence(1, VERSION, spans, ("Results",), "text", text, 1.0)


@pytest.mark.parametrize(
    "text",
    [
        "Buyers pay a premium of 8.1 % to sellers with a good record (p < 0.05).",
        "However, no effect was found in the second study [12].",
        "“Quality uncertainty” describes markets in which buyers know less.",
        "研究表明，信誉良好的卖家可以获得更高的价格溢价。",
        "We call this the “lemons problem.”",
    ],
)
def test_whole_statements_may_stand_alone(text: str) -> None:
    assert may_stand_alone(text)


@pytest.mark.parametrize(
    "text",
    [
        "Introduction",
        "and the price falls when buyers know less about it.",
        "Buyers pay a premium to sellers with",
        "Figure 3. The premium that buyers pay to good sellers in the market.",
        "Table 2 shows the results of all the regressions that we ran.",
        "图 3 展示了不同卖家所获得的价格溢价情况。",
        "Correspondence should be sent to a.b@example.org at the institute.",
        "12. Akerlof, G. A., The market for lemons, Quarterly Journal of Economics.",
        "12.3 45.6 78.9 (0.1) 3.4 5.6 7.8 9.0 1.2 3.4 5.6.",
        "See https://example.org for the data and code of this study.",
        "Yes, it did.",
        "© 2024 The Authors. All rights reserved by the publisher of this work.",
    ],
)
def test_fragments_captions_and_front_matter_may_not(text: str) -> None:
    assert not may_stand_alone(text)


@pytest.mark.parametrize(
    ("raw", "page", "looks"),
    [
        ("a dynamic com-\npiler", "", "a dynamic compiler"),
        ("the well-\nknown rule", "A well-known rule.", "the well-known rule"),
        ("soft\u00adhyphen\u00ad\nated", "", "softhyphenated"),
        ("two\nlines  and   spaces", "", "two lines and spaces"),
        ("中文的\n换行，\n没有空格", "", "中文的换行，没有空格"),
        ("使用 BERT\n模型", "", "使用 BERT 模型"),
    ],
)
def test_lines_are_joined_as_a_reader_would(raw: str, page: str, looks: str) -> None:
    assert shown(raw, page) == looks


def test_only_body_text_is_quoted_and_spans_lead_back_to_the_page() -> None:
    text = (
        "Prices and reputation\n"
        "Good sellers earn a premium on this market. Bad ones leave it soon after."
    )
    heading = len("Prices and reputation")
    blocks = (
        Block(BlockKind.HEADING, 0, heading, 1),
        Block(BlockKind.PARAGRAPH, heading + 1, len(text)),
    )
    found = quotable_sentences(
        3, evidence(text, (Span(2, 0, len(text)),)), {2: PageText(text, blocks)}
    )
    assert [each.number for each in found] == [3] * len(found)
    for each in found:
        span = each.spans[0]
        assert text[span.start : span.end] == each.text
        assert span.start > heading


@pytest.mark.parametrize("kind", [BlockKind.CAPTION, BlockKind.REFERENCE, BlockKind.TITLE])
def test_captions_references_and_titles_are_never_quoted(kind: BlockKind) -> None:
    text = "Good sellers earn a premium of eight percent on this market."
    page = PageText(text, (Block(kind, 0, len(text)),))
    assert quotable_sentences(1, evidence(text, (Span(1, 0, len(text)),)), {1: page}) == []


def test_a_sentence_over_a_page_break_has_a_span_on_each_page() -> None:
    first, second = "Good sellers earn a premium", "of eight percent on this market."
    pages = {1: PageText(first, ()), 2: PageText(second, ())}
    spans = (Span(1, 0, len(first)), Span(2, 0, len(second)))
    (found,) = quotable_sentences(1, evidence(f"{first}\n{second}", spans), pages)
    assert found.spans == spans
    assert found.text == f"{first} {second}"
