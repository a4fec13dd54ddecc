"""Formulas in answers: set by local files, only where there are any, and nothing else by them."""

import time
from collections.abc import Callable

from playwright.sync_api import Page, expect

from chat.branches import add_turn
from chat.models import Run
from citations.anchoring import Anchor
from citations.citing import CitedEvidence, save_answer
from citations.segments import CiteSegment, TextSegment
from documents.pages.page_text import Span
from tests.browser.visiting import Site

Visit = Callable[..., Page]
RICH = r"""The premium is $p = \frac{a_1 + \sqrt{b}}{2}$ in all years.

$$\sum_{i=1}^{n} x_i^2 \leq \begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}$$

It costs $5 and $6, and \(\alpha \in \mathbb{R}\),
\[ \int_0^1 \pmb{x}\,dx \quad \fcolorbox{red}{blue}{a} \]
"""
HOSTILE = (
    r"\href{javascript:alert(1)}{x}",
    r"\includegraphics{https://evil.example/x.png}",
    r"\htmlStyle{position:fixed}{x}",
    r"\url{https://evil.example}",
    r"\htmlData{run=1}{x}",
)
BOMBS = {
    "expansion": r"\def\a{\b\b}\def\b{\c\c}\def\c{\d\d}\def\d{\e\e}\def\e{\f\f}\def\f{\g\g}"
    r"\def\g{\h\h}\def\h{xx}\a\a\a\a",
    "loop": r"\def\a{\a\a}\a",
    "broken": r"\frac{1",
    "unknown": r"\nosuchcommand{x}",
    "long": "x+" * 1_500 + "x",
}


def answered(site: Site, text: str) -> None:
    """A turn whose answer says `text` and cites the paper at its end."""
    version = site.rows.version
    anchor = Anchor(
        version.document.public_id, version.sha256, "by-hand", (Span(1, 0, 10),), "Markets fo"
    )
    answer = save_answer(
        project=site.rows.project,
        segments=[TextSegment(text), CiteSegment(1)],
        evidence={1: CitedEvidence(version.public_id, version.document.title, anchor)},
        owner=site.rows.people["viewer"],
    )
    turn = add_turn(site.rows.conversation, "Which formula?", answer=answer)
    Run.objects.create(turn=turn, state=Run.State.DONE, outcome="answered")


def test_without_a_formula_nothing_is_loaded_for_any(visit: Visit, site: Site) -> None:
    page = visit(site.conversation)
    page.wait_for_timeout(300)
    assert not page.evaluate(
        "performance.getEntriesByType('resource').some(e => /katex/.test(e.name))"
    )


def test_formulas_are_set_and_read_aloud_and_prices_stay_prices(visit: Visit, site: Site) -> None:
    answered(site, RICH)
    page = visit(site.conversation)
    answer = page.locator("#turn-2 .answer")
    expect(answer.locator(".katex")).to_have_count(4)
    expect(answer.locator("math")).to_have_count(4)
    expect(answer).to_contain_text("It costs $5 and $6")
    assert page.evaluate("document.fonts.ready.then(() => document.fonts.check('16px KaTeX_Main'))")


def test_a_formula_can_do_nothing_but_be_one(visit: Visit, site: Site) -> None:
    answered(site, "Before $x^2$.\n\n" + "\n\n".join(f"a ${tex}$ b" for tex in HOSTILE) + " after.")
    page = visit(site.conversation)
    answer = page.locator("#turn-2 .answer")
    expect(answer.locator(".katex").first).to_be_attached()
    assert answer.locator(".math a, .math img, .math [data-run], .math [style*=fixed]").count() == 0
    expect(answer).to_contain_text("after.")


def test_what_can_not_be_set_stays_as_it_is_written_and_takes_no_time(
    visit: Visit, site: Site
) -> None:
    answered(site, "\n\n".join(f"{name}: $${tex}$$ end" for name, tex in BOMBS.items()) + "\n\n$y$")
    started = time.perf_counter()
    page = visit(site.conversation)
    expect(page.locator("#turn-2 .answer .katex")).to_have_count(1)
    assert time.perf_counter() - started < 15
    expect(page.locator("#turn-2 .answer")).to_contain_text(r"\nosuchcommand{x}")


def test_the_sentence_of_a_citation_is_underlined_with_its_formula(
    visit: Visit, site: Site
) -> None:
    answered(site, r"Other words. The premium is $p = \frac{a}{2}$ in all years.")
    page = visit(site.conversation)
    expect(page.locator("#turn-2 .katex")).to_have_count(1)
    page.hover("#turn-2 a.cite")
    page.locator(".card [data-card-status]").wait_for()
    covered = page.evaluate("[...CSS.highlights.get('covered')].map(String).join()")
    assert covered.startswith("The premium is")
    assert covered.rstrip(" .").endswith("in all years")
