"""Upload, ask, hover, click, rewrite: the whole of it, in a browser, on real papers."""

from collections import Counter
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.journeys.pdfium import letters, letters_under
from tests.journeys.person import Researcher
from tests.live import LiveStack

ENGLISH = (
    "en_med_PMC12832621.pdf",
    "Which climate-related stressors are associated with depression and anxiety?",
    "Shorten it, keep the citations",
)
CHINESE = (
    "zh_pair1_decarbonization.pdf",
    "数字化对碳排放强度有什么影响？",
    "缩短一些，保留引用",
)


@pytest.mark.parametrize(
    ("name", "question", "shorten"), [ENGLISH, CHINESE], ids=["english", "chinese"]
)
def test_every_citation_of_an_answer_leads_to_its_words_on_the_page(
    page: Page, live_stack: LiveStack, corpus: Path, name: str, question: str, shorten: str
) -> None:
    file = corpus / "papers" / name
    researcher = Researcher(page, live_stack, f"reader-{name[:2]}")
    researcher.create_project(f"Journey {name[:2]}")
    researcher.upload([file], ready=1)

    turn = researcher.ask(question)
    tags = turn.locator(".answer a.cite")
    shown = tags.count()
    assert shown >= 2, "the answer cites too little to be checked"
    for index in range(shown):
        _hover_and_click(page, researcher, tags.nth(index), file)

    shorter = researcher.follow_up(shorten, turn=2)
    kept = shorter.locator(".answer a.cite")
    assert 0 < kept.count() < shown
    assert len(shorter.locator(".answer").inner_text()) < len(turn.locator(".answer").inner_text())
    _hover_and_click(page, researcher, kept.first, file)


def _hover_and_click(page: Page, researcher: Researcher, tag: Locator, file: Path) -> None:
    tag.scroll_into_view_if_needed()
    tag.hover()
    card = page.locator("[data-card-status=matched]")
    expect(card).to_be_visible(timeout=10_000)
    quoted = letters(card.get_attribute("data-quote") or "")
    assert len(quoted) > 10, "the card names no quotation"

    tag.click()
    drawn = researcher.drawn()
    under = "".join(letters_under(file, sheet.page, sheet.rects) for sheet in drawn)
    assert _same_letters(under, quoted), f"marked {under!r}, cited {quoted!r}"
    page.mouse.move(2, 2)
    page.keyboard.press("Escape")


def _same_letters(under: str, quoted: str) -> bool:
    """Equal but for at most 2 % of the letters: PDFium splits some ligatures in another way."""
    here, there = Counter(under), Counter(quoted)
    apart = (here - there).total() + (there - here).total()
    return apart <= max(2, 0.02 * len(quoted))
