"""Answers as HTML: safe whatever a model or a document says, with a tag at each citation."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citations.anchoring import Anchor
from citations.citing import CitedEvidence
from citations.markers import MarkerParser, merged, read_markers
from citations.rendering import render_draft
from citations.segments import CiteSegment, Segment, TextSegment


def evidence(count: int = 9) -> dict[int, CitedEvidence]:
    anchor = Anchor("doc", "0" * 64, "lito-1", (), "excerpt")
    return {
        number: CitedEvidence(f"file{number}", f"<b>Paper</b> {number}", anchor)
        for number in range(1, count + 1)
    }


def render(text: str) -> str:
    known = evidence()
    return "\n".join(render_draft(read_markers(text, known), known, slug="p", key="run"))


@pytest.mark.parametrize(
    "hostile",
    [
        "<script>alert(1)</script>",
        "<img src=x onerror=alert(1)>",
        "![x](https://evil.example/a.png)",
        "![x][r]\n\n[r]: https://evil.example/a.png",
        "[click](javascript:alert(1))",
        "[click](https://evil.example)",
        "<https://evil.example>",
        '<a href="https://evil.example">x</a>',
        "`<img src=x>`",
        "```\n<script>\n```",
        "$<img src=x>$",
        "\\[<script>\\]",
        "| <script> |\n|---|\n| <img src=x> |",
        "\\[x\\] and <script>",
        "$$x$$ and <script>",
        "<!-- <script> -->",
        "&lt;script&gt;",
    ],
)
@pytest.mark.parametrize("verbatim", [False, True])
def test_nothing_written_becomes_markup_or_an_address(hostile: str, verbatim: bool) -> None:
    segments: list[Segment] = [TextSegment(hostile, verbatim), CiteSegment(1)]
    html = "".join(render_draft(segments, evidence(), slug="p", key="run"))
    without_tags = re.sub(r'<a class="cite" href="/p/p/[^"]*" data-card="/p/p/[^"]*"', "<a", html)
    assert not re.search(r"<(script|img|iframe|style|svg|object)", html, re.IGNORECASE)
    shown_as_text = re.sub(r"&lt;.*?&gt;", "", without_tags)
    assert "href=" not in shown_as_text
    assert "src=" not in shown_as_text
    assert html.count('class="cite"') == 1


def test_document_text_is_shown_letter_by_letter() -> None:
    text = "*not bold* [12] $x$ `a` # 1. <b> & ⸨1⸩"
    html = "".join(render_draft([TextSegment(text, verbatim=True)], evidence(), slug="p", key="k"))
    assert html == "<p>*not bold* [12] $x$ `a` # 1. &lt;b&gt; &amp; ⸨1⸩</p>"


def test_a_title_is_escaped_on_its_tag() -> None:
    assert "&lt;b&gt;Paper" in render("Warm [1].")
    assert "<b>" not in render("Warm [1].")


def test_a_tag_clings_to_its_word_and_neighbours_share_a_group() -> None:
    html = render("Warm [1] [2]. Cold [3].")
    assert html.count('<span class="cites">') == 2
    assert re.search(r'Warm\u2060<span class="cites"><a [^>]*>[^<]*</a><a ', html)


def test_more_than_three_tags_fold() -> None:
    html = render("Warm [1][2][3][4][5].")
    assert "+2</button>" in html
    shown, _, folded = html.partition('<span class="more-cites" hidden>')
    assert shown.count('class="cite"') == 3
    assert folded.count('class="cite"') == 2


def test_bold_text_before_a_tag_stays_bold() -> None:
    assert "<strong>Warm.</strong>\u2060" in render("**Warm.**[1] So")
    assert "<strong>变暖。</strong>\u2060" in render("**变暖。**[1]所以")


def test_each_top_level_block_is_one_string() -> None:
    known = evidence()
    text = "# Head\n\nOne [1].\n\n- a\n- b [2]\n\n| a |\n|---|\n| b |\n\n```\ncode\n```\n\n> quote"
    blocks = render_draft(read_markers(text, known), known, slug="p", key="k")
    assert [block[:4] for block in blocks] == ["<h3>", "<p>O", "<ul>", "<tab", "<pre", "<blo"]


def test_math_stays_readable_tex() -> None:
    assert '<span class="math inline">\\(x_1 &lt; 5\\)</span>' in render("So $x_1 < 5$ holds.")
    assert '<div class="math block">\\[E = mc^2\\]</div>' in render("$$\nE = mc^2\n$$")
    assert render("\\[E\\] and more") == '<p><span class="math block">\\[E\\]</span> and more</p>'
    assert "and more" in render("$$E$$ and more")
    assert "cost $5 and $10" in render("cost $5 and $10")


def test_a_tag_that_markdown_swallows_is_shown_all_the_same() -> None:
    html = render("| a |\n|---|\n| b | c [1] |\n")
    assert html.count('class="cite"') == 1


def test_tags_have_the_same_address_while_text_still_comes() -> None:
    known = evidence()
    text = "Warm [1]. Cold [2]. Wet [1]."
    parser = MarkerParser(known)
    seen: set[str] = set()
    segments = []
    for character in text:
        segments += parser.feed(character)
        html = "".join(render_draft(segments, known, slug="p", key="k"))
        seen |= set(re.findall(r'href="([^"]+)"', html))
    final = "".join(render_draft(merged([*segments, *parser.finish()]), known, slug="p", key="k"))
    assert seen == set(re.findall(r'href="([^"]+)"', final))
    assert len(seen) == 3


@given(
    st.lists(
        st.sampled_from(
            [
                "[1]",
                "[2]",
                "**",
                "*",
                "`",
                "$",
                "\n\n",
                "- ",
                "| ",
                "> ",
                "# ",
                "a",
                " ",
                "<b>",
                "\\",
                "⸨",
                "⸩",
                "[",
                "]",
                "(",
                "1",
                "“",
                "”",
            ]
        )
    )
)
@settings(max_examples=300, deadline=None)
def test_every_citation_shows_exactly_one_tag_and_no_placeholder(pieces: list[str]) -> None:
    known = evidence()
    segments = read_markers("".join(pieces), known)
    html = "".join(render_draft(segments, known, slug="p", key="k"))
    cites = sum(isinstance(part, CiteSegment) for part in segments)
    assert html.count('<a class="cite"') == cites
    assert not re.search("[\ue000-\ue002]", html)
