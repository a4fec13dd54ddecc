"""Titles, names, self-citations and licences are never quoted as if they stated something."""

from pathlib import Path

import pytest

from chat.front_matter import is_front_matter, is_front_matter_block, names_title
from chat.quotable import PageText, quotable_sentences
from documents.pages.page_text import Block, BlockKind, Span
from documents.parsing import parse_file
from retrieval.evidence import Evidence, ScopedVersion

TITLE = "Exposure to climate-related stressors undermines mental health in the Kurdistan Region"


def quoted(text: str, *, title: str = TITLE, blocks: tuple[Block, ...] = ()) -> list[str]:
    version = ScopedVersion("file", "document", 1, "0" * 64, "p1", title)
    evidence = Evidence(1, version, (Span(1, 0, len(text)),), (), "text", text, 1.0)
    found = quotable_sentences(1, evidence, {1: PageText(text, blocks)})
    return [each.text for each in found]


@pytest.mark.parametrize(
    "text",
    [
        "Ruiz A, Lee BC, Okoro D and Silva E (2020) Shade lowers the yield of cocoa farms.",
        "Citation: Ruiz A, Lee BC (2020) Shade and the yield of cocoa in wet years.",
        "How to cite this article: Ruiz A, Lee BC and Okoro D, shade and cocoa farms.",
        "Department of Botany, University of Leeds, Leeds, United Kingdom.",
        "Ana Ruiz 1,2, Bo Chen Lee 1*, Dayo Okoro 3 and Eva Silva 2.",
        "On the Interpretability of Artificial Neural Networks: A Survey.",
        "This is an open access article distributed under terms that permit use.",
        "Permission to make digital copies of this work is granted without a fee.",
        "No distribution or reproduction is permitted which does not comply with these terms.",
        "Academic Editor: the editor of this issue handled the paper in three rounds.",
        "Keywords: shade, cocoa, yield, drought, farms, smallholders and rain.",
        "Publisher’s note: the publisher remains neutral with regard to claims in maps.",
        "引用格式：某某. 遮荫对可可产量的影响[J]. 农业研究。",
        "关键词：遮荫；可可；产量；干旱；小农户；降雨量。",
    ],
)
def test_what_stands_around_the_text_is_told(text: str) -> None:
    assert is_front_matter(text)
    assert quoted(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Ruiz and Lee (2020) found that shade lowers the yield of cocoa in wet years.",
        "Farmers in Ghana, Ivory Coast and Nigeria grow two thirds of the world's cocoa.",
        "The licence fee that farmers pay rose by a tenth within two years.",
        "Nach dem Ende des Krieges sank die Zahl der Bauern im Norden des Landes.",
        "In total 1,204 articles were received by the editors during the first year.",
        "The sample received the first dose and accepted the second one a month later.",
        "研究使用 BERT、GPT 和 SPECTER 模型对论文进行分类，效果良好。",
    ],
)
def test_what_the_text_states_is_not_taken_for_it(text: str) -> None:
    assert not is_front_matter(text)
    assert quoted(text) == [text]


def test_the_title_itself_is_never_an_answer() -> None:
    assert quoted(f"{TITLE}: a cross-sectional study.") == []
    assert names_title(
        "Exposure to\nClimate-Related Stressors undermines mental\nhealth.", TITLE[:62]
    )
    stated = "Buyers in a market for lemons pay less than those who know the seller."
    assert quoted(stated, title="Market for lemons") == [stated]


def test_every_sentence_of_a_licence_is_left_out_with_it() -> None:
    licence = (
        "© 2026 Ruiz and Lee. This is an open-access article. The use of it in other forums is "
        "fine, provided that the original authors are credited."
    )
    stated = "Shade lowers the yield of cocoa farms in wet years."
    text = f"{licence}\n{stated}"
    blocks = (
        Block(BlockKind.PARAGRAPH, 0, len(licence)),
        Block(BlockKind.PARAGRAPH, len(licence) + 1, len(text)),
    )
    assert is_front_matter_block(licence)
    assert quoted(text, blocks=blocks) == [stated]
    assert not is_front_matter_block(
        "Shade lowers yields. " * 40 + "Data are licensed under CC BY."
    )


def test_the_first_page_of_a_paper_is_quoted_from_its_abstract_alone(corpus: Path) -> None:
    page = parse_file(corpus / "papers" / "en_med_PMC12832621.pdf").pages[0]
    version = ScopedVersion("file", "document", 1, "0" * 64, "p1", TITLE)
    evidence = Evidence(1, version, (Span(1, 0, len(page.text)),), (), "text", page.text, 1.0)
    found = quotable_sentences(1, evidence, {1: PageText(page.text, page.blocks)})
    texts = [each.text for each in found]
    assert any("climate-induced homelessness" in text for text in texts)
    for outside in ("Kizilhan JI", "Commons", "copyright", "reproduction", "undermines mental"):
        assert not any(outside in text for text in texts), outside
