"""An answer as safe HTML, one string for each top-level block.

One function serves the stream, the refreshed and the reopened page, so all three are equal byte for
byte. A model's text is Markdown without raw HTML, pictures or links; text of documents is shown as
it is and never interpreted.
"""

import html
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial

import nh3
from django.urls import reverse
from django.utils.translation import ngettext
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from mdit_py_plugins.dollarmath import dollarmath_plugin

from citations.citing import CitedSource, citable, citation_id, identity_of, numbers_by_appearance
from citations.labels import clean_title, short_label
from citations.models import Answer
from citations.segments import CiteSegment, Segment, segments_from_json

MOST_TAGS = 3
PLACEHOLDER = re.compile("⸨(\ue000|\ue001)([0-9]+)\ue002⸩")
TAG, DATA, END = "\ue000", "\ue001", "\ue002"
TAG_RUN = re.compile(f"[ \t\n]*((?:⸨{TAG}[0-9]+{END}⸩[ \t\n]*)+)")
RESERVED = str.maketrans("", "", TAG + DATA + END)
SHALLOWEST_HEADING = 3
DEEPEST_HEADING = 6
DROPPED_RULES = ("code", "html_block", "reference", "html_inline", "autolink")
TAGS = {
    "p", "ul", "ol", "li", "strong", "em", "s", "code", "pre", "blockquote", "hr", "br",
    "h3", "h4", "h5", "h6", "table", "thead", "tbody", "tr", "th", "td", "span", "div",
}  # fmt: skip
ATTRIBUTES = {"ol": {"start"}}
CLASSES = {"span": {"math", "inline", "block"}, "div": {"math", "block"}}
WORD_JOINER = "\u2060"


@dataclass(frozen=True, slots=True)
class ShownSource:
    """A source as a reader sees it. `label` is on the tag, `title` is the cleaned whole title."""

    number: int
    label: str
    title: str
    pdf_page: int | None = None


@dataclass(frozen=True, slots=True)
class TagUrls:
    """Where a tag leads: `page` opens the reader, `card` is the fragment shown on hover."""

    page: str
    card: str


def render_draft(
    segments: Sequence[Segment], evidence: Mapping[int, CitedSource], *, slug: str, key: str
) -> list[str]:
    """The blocks of an answer that is still being written. `key` is the public id of the run."""
    known = citable(segments, evidence)
    return render_segments(
        known,
        shown_sources(known, evidence),
        urls=lambda ordinal: tag_urls(slug, citation_id(key, ordinal)),
    )


def render_answer(answer: Answer, *, slug: str) -> list[str]:
    """The blocks of a stored answer, from its rows alone."""
    citations = list(answer.citations.select_related("source").order_by("ordinal"))
    shown = {
        citation.evidence: ShownSource(
            citation.source.number,
            citation.source.label,
            clean_title(citation.source.title),
            citation.source.pdf_page,
        )
        for citation in citations
    }
    ids = [citation.public_id for citation in citations]
    return render_segments(
        segments_from_json(answer.segments),
        shown,
        urls=lambda ordinal: tag_urls(slug, ids[ordinal]),
    )


def shown_sources(
    segments: Sequence[Segment], evidence: Mapping[int, CitedSource]
) -> dict[int, ShownSource]:
    """Each cited number of the run and how its source is shown."""
    numbers = numbers_by_appearance(segments, evidence)
    return {
        run_number: ShownSource(
            numbers[identity_of(source)],
            short_label(source.title[:500])[:80],
            clean_title(source.title[:500]),
            source.pdf_page,
        )
        for run_number, source in evidence.items()
        if identity_of(source) in numbers
    }


@lru_cache(maxsize=4096)
def tag_urls(slug: str, citation: str) -> TagUrls:
    return TagUrls(
        reverse("open_citation", args=(slug, citation)),
        reverse("citation_card", args=(slug, citation)),
    )


def render_segments(
    segments: Sequence[Segment],
    shown: Mapping[int, ShownSource],
    *,
    urls: Callable[[int], TagUrls],
) -> list[str]:
    """Safe HTML, one string for each top-level block. Every cite segment must be in `shown`."""
    verbatim: list[str] = []
    cites: list[int] = []
    parts: list[str] = []
    for segment in segments:
        if isinstance(segment, CiteSegment):
            parts.append(f"⸨{TAG}{len(cites)}{END}⸩")
            cites.append(segment.evidence)
        elif segment.verbatim:
            parts.append(f"⸨{DATA}{len(verbatim)}{END}⸩")
            verbatim.append(html.escape(segment.text.translate(RESERVED), quote=False))
        else:
            parts.append(segment.text.translate(RESERVED))
    tags = [_tag(shown[number], urls(ordinal)) for ordinal, number in enumerate(cites)]
    blocks = list(_markdown_blocks("".join(parts)))
    return [
        _filled(block, tags, verbatim)
        for block in (*blocks, *_swallowed("".join(blocks), len(tags), len(verbatim)))
    ]


def _swallowed(rendered: str, tags: int, verbatim: int) -> list[str]:
    """A block for what Markdown dropped, as it drops cells beyond a table's width."""
    shown = set(PLACEHOLDER.findall(rendered))
    wanted = [(DATA, str(at)) for at in range(verbatim)] + [(TAG, str(at)) for at in range(tags)]
    lost = [f"⸨{kind}{at}{END}⸩" for kind, at in wanted if (kind, at) not in shown]
    return [f"<p>{' '.join(lost)}</p>"] if lost else []


def _tag(source: ShownSource, urls: TagUrls) -> str:
    return (
        f'<a class="cite" href="{html.escape(urls.page)}" data-card="{html.escape(urls.card)}"'
        f' data-source="{source.number}">{html.escape(source.label)}</a>'
    )


def _filled(block: str, tags: Sequence[str], verbatim: Sequence[str]) -> str:
    """Put tags and document text in place of their placeholders."""

    def run_of_tags(found: re.Match[str]) -> str:
        ordinals = [int(number) for _, number in PLACEHOLDER.findall(found[1])]
        space = " " if found[0][-1].isspace() else ""
        return WORD_JOINER + _group([tags[ordinal] for ordinal in ordinals]) + space

    block = TAG_RUN.sub(run_of_tags, block)
    return PLACEHOLDER.sub(lambda found: verbatim[int(found[2])], block)


def _group(tags: Sequence[str]) -> str:
    """Tags side by side; those beyond the third wait behind a button."""
    if len(tags) <= MOST_TAGS:
        return f'<span class="cites">{"".join(tags)}</span>'
    rest = tags[MOST_TAGS:]
    words = ngettext("%(count)d more source", "%(count)d more sources", len(rest))
    words = html.escape(words % {"count": len(rest)})
    return (
        f'<span class="cites">{"".join(tags[:MOST_TAGS])}'
        f'<button type="button" class="cites-more" aria-expanded="false" aria-label="{words}">'
        f'+{len(rest)}</button><span class="more-cites" hidden>{"".join(rest)}</span></span>'
    )


def _markdown_blocks(text: str) -> Iterator[str]:
    markdown = answer_markdown()
    tokens = markdown.parse(text)
    start = 0
    for at, token in enumerate(tokens):
        if token.tag in {"h1", "h2", "h3", "h4", "h5", "h6"}:
            level = min(int(token.tag[1]) + SHALLOWEST_HEADING - 1, DEEPEST_HEADING)
            token.tag = f"h{level}"
        if token.level == 0 and token.nesting != 1:
            block = _clean(markdown.renderer.render(tokens[start : at + 1], markdown.options, {}))
            start = at + 1
            if block.strip():
                yield block.strip()


_clean = partial(
    nh3.clean, tags=TAGS, attributes=ATTRIBUTES, allowed_classes=CLASSES, link_rel=None
)


@cache
def answer_markdown() -> MarkdownIt:
    """The parser of a model's text. Its link and image tokens are there to be shown as words."""
    markdown = MarkdownIt("commonmark", {"html": False, "typographer": False})
    markdown.enable(["table", "strikethrough"]).disable(list(DROPPED_RULES))
    markdown.use(dollarmath_plugin, allow_space=False, allow_digits=False, double_inline=True)
    markdown.inline.ruler.before("escape", "math_brackets", _bracketed_math)
    for rule in ("link_open", "link_close"):
        markdown.add_render_rule(rule, _nothing)
    markdown.add_render_rule("image", _words_of_image)
    markdown.add_render_rule("math_inline", _inline_math)
    markdown.add_render_rule("math_inline_double", _display_math)
    markdown.add_render_rule("math_block", _block_math)
    return markdown


def _inline_math(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, *_rest: object
) -> str:
    """The formula as TeX between its delimiters: readable as it is, and set by KaTeX if loaded."""
    return f'<span class="math inline">\\({html.escape(tokens[index].content.strip())}\\)</span>'


def _display_math(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, *_rest: object
) -> str:
    return f'<span class="math block">\\[{html.escape(tokens[index].content.strip())}\\]</span>'


def _bracketed_math(state: StateInline, silent: bool) -> bool:  # noqa: FBT001
    r"""The inline rule for `\(...\)` and `\[...\]`."""
    opener = state.src[state.pos : state.pos + 2]
    closer = {"\\(": "\\)", "\\[": "\\]"}.get(opener)
    end = state.src.find(closer, state.pos + 2, state.posMax) if closer else -1
    if end <= state.pos + 2:
        return False
    if not silent:
        kind = "math_inline" if opener == "\\(" else "math_inline_double"
        state.push(kind, "math", 0).content = state.src[state.pos + 2 : end]
    state.pos = end + 2
    return True


def _block_math(renderer: RendererHTML, tokens: Sequence[Token], index: int, *_rest: object) -> str:
    return f'<div class="math block">\\[{html.escape(tokens[index].content.strip())}\\]</div>\n'


def _nothing(renderer: RendererHTML, tokens: Sequence[Token], index: int, *_rest: object) -> str:
    """Links show their words only: a model never writes an address."""
    return ""


def _words_of_image(
    renderer: RendererHTML, tokens: Sequence[Token], index: int, *_rest: object
) -> str:
    return html.escape(tokens[index].content)
