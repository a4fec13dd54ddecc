"""Parts of the reader: image sizes, marks over a page, what a page's state means."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import urlencode

from django import template
from django.urls import reverse
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from documents.library import author_line as joined_authors
from documents.models import Version
from documents.pages.marks import Marks
from documents.pages.page_text import PageState
from documents.pages.text_lines import TextLine
from documents.reader import Sheet
from documents.rendering import WIDTHS

register = template.Library()

STEPS = WIDTHS[1:]


@register.filter
def author_line(authors: list[Any]) -> str:
    return joined_authors(authors)


@register.simple_tag
def querystring_of(**parts: str | int) -> str:
    """`q=lemons&page=2`, without parts that say nothing."""
    return urlencode({name: value for name, value in parts.items() if value not in ("", 1)})


@register.simple_tag
def page_srcset(version: Version, number: int) -> SafeString:
    """`src` and `srcset` of a page image."""
    base = reverse("page_image", args=(version.project.slug, version.public_id, number))
    steps = ", ".join(f"{base}?width={width} {width}w" for width in STEPS)
    return format_html('src="{}?width={}" srcset="{}"', base, STEPS[1], steps)


@register.simple_tag
def page_marks(marks: Marks, sheet: Sheet, css_class: str = "") -> SafeString | str:
    """Marker-pen rectangles in percent of the page, drawn only where text was confirmed."""
    rects = marks.rects.get(sheet.number)
    if not rects:
        return ""
    drawn = format_html_join(
        "",
        '<rect x="{}%" y="{}%" width="{}%" height="{}%" rx="2.5" />',
        (
            (_percent(x0), _percent(y0), _percent(x1 - x0), _percent(y1 - y0))
            for x0, y0, x1, y1 in rects
        ),
    )
    named = f"mark-pen {css_class}" if css_class else "mark-pen"
    return format_html('<svg class="{}" aria-hidden="true">{}</svg>', named, drawn)


@register.simple_tag
def page_text(sheet: Sheet, lines: Sequence[TextLine]) -> SafeString:
    """The page's text as an SVG that lies unseen over the image, to be selected."""
    size = f'viewBox="0 0 {sheet.width:.2f} {sheet.height:.2f}" preserveAspectRatio="none"'
    drawn = "".join(_drawn(line) for line in lines)
    return mark_safe(f'<svg class="layer" {size}>{drawn}</svg>')  # noqa: S308  # escaped in _drawn


def _drawn(line: TextLine) -> str:
    turn = f' transform="rotate({line.turn} {line.x:.2f} {line.y:.2f})"' if line.turn else ""
    words = "".join(
        f'<tspan x="{word.x:.2f}" textLength="{word.length:.2f}" lengthAdjust="spacingAndGlyphs">'
        f"{escape(word.text)}</tspan>"
        for word in line.words
    )
    joint = "" if line.joint == " " else f' data-joint="{line.joint}"'
    return f'<text y="{line.y:.2f}" font-size="{line.size:.2f}"{turn}{joint}>{words}\n</text>'


@register.simple_tag
def continues(marks: Marks, sheet: Sheet) -> SafeString | str:
    following = marks.next_page(sheet.number)
    if following is None:
        return ""
    words = _("continues on p. %(page)d") % {"page": following}
    return format_html('· <a href="#page-{}" data-go="{}">{}</a>', following, following, words)


@register.simple_tag
def state_words(sheet: Sheet) -> str:
    words = {
        PageState.PENDING: _("not read yet"),
        PageState.NO_TEXT: _("no text on this page"),
        PageState.OCR: _("scan, read by OCR"),
        PageState.UNSUPPORTED_ROTATION: _("text at an angle, can't be marked"),
        PageState.GARBLED: _("its text can't be used"),
        PageState.FAILED: _("could not be read"),
    }
    return words.get(sheet.state, "")


def _percent(fraction: float) -> str:
    return f"{fraction * 100:.3f}"
