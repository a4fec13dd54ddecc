"""Parts of the page-level view: places over the page image, and the names of what was read."""

from itertools import pairwise

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from documents.as_read import PageAsRead
from documents.pages.page_text import BlockKind, Rect
from documents.reader import Sheet
from documents.tables.shown_tables import cropped

register = template.Library()

FAMILIES = {
    BlockKind.TITLE: "head",
    BlockKind.AUTHORS: "head",
    BlockKind.HEADING: "head",
    BlockKind.ABSTRACT: "body",
    BlockKind.PARAGRAPH: "body",
    BlockKind.LIST: "body",
    BlockKind.CAPTION: "side",
    BlockKind.FOOTNOTE: "side",
    BlockKind.TABLE: "figure",
    BlockKind.FORMULA: "figure",
    BlockKind.REFERENCE: "quiet",
    BlockKind.MARGIN: "quiet",
}
"""One colour for each family: more of them nobody tells apart."""


@register.filter
def family(kind: BlockKind | None) -> str:
    return FAMILIES[kind] if kind else "none"


@register.simple_tag
def block_name(kind: BlockKind | None, level: int = 0) -> str:
    """What a block is, for a person: `heading 2`."""
    if kind is None:
        return _("in no block")
    names = {
        BlockKind.TITLE: _("title"),
        BlockKind.AUTHORS: _("authors"),
        BlockKind.ABSTRACT: _("abstract"),
        BlockKind.HEADING: _("heading"),
        BlockKind.PARAGRAPH: _("paragraph"),
        BlockKind.LIST: pgettext("block", "list"),
        BlockKind.CAPTION: _("caption"),
        BlockKind.TABLE: _("table"),
        BlockKind.FORMULA: _("formula"),
        BlockKind.FOOTNOTE: _("footnote"),
        BlockKind.MARGIN: _("header or footer"),
        BlockKind.REFERENCE: _("reference"),
    }
    return f"{names[kind]} {level}" if level else names[kind]


@register.simple_tag
def passage_name(kind: str) -> str:
    """What a passage holds, for a person. Running text needs no name."""
    names = {
        "front_matter": _("title and authors"),
        "abstract": _("abstract"),
        "table": _("table"),
        "caption": _("caption"),
        "footnote": _("footnote"),
        "reference": _("reference, never cited"),
    }
    return names.get(kind, "")


@register.filter
def placed(rect: Rect) -> SafeString:
    """The rectangle's attributes in percent of the page."""
    x0, y0, x1, y1 = (100 * edge for edge in rect)
    edges = (x0, y0, x1 - x0, y1 - y0)
    return format_html('x="{}" y="{}" width="{}" height="{}"', *(f"{edge:.3f}%" for edge in edges))


@register.filter
def percent(fraction: float) -> str:
    return f"{100 * fraction:.3f}%"


@register.simple_tag
def crop(rect: Rect, sheet: Sheet) -> SafeString:
    """`viewBox`, `width` and `height` of an SVG that shows this region of the page alone."""
    x, y, width, height = cropped(rect, sheet.width, sheet.height)
    return format_html(
        'viewBox="{} {} {} {}" width="{}" height="{}"',
        *(f"{value:.1f}" for value in (x, y, width, height, width, height)),
    )


@register.simple_tag
def order_lines(read: PageAsRead) -> list[tuple[str, str, str, str]]:
    """From where each block ends to where the next begins, as percentages: x1, y1, x2, y2."""
    drawn = [block for block in read.blocks if block.areas]
    lines = []
    for block, following in pairwise(drawn):
        last, first = block.areas[-1], following.areas[0]
        lines.append((percent(last[0]), percent(last[3]), percent(first[0]), percent(first[1])))
    return lines
