"""Small parts of every page: icons and times."""

from datetime import datetime
from functools import lru_cache

from django import template
from django.templatetags.static import static
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

register = template.Library()

MINUTE, HOUR, DAY, WEEK = 60, 3600, 86_400, 604_800


@register.simple_tag
@lru_cache(maxsize=512)
def icon(name: str, css_class: str = "") -> SafeString:
    """A Lucide icon of the sprite. It says nothing to a screen reader: put words beside it."""
    return format_html(
        '<svg class="icon{}" aria-hidden="true"><use href="{}#{}"/></svg>',
        f" {css_class}" if css_class else "",
        static("icons/sprite.svg"),
        name,
    )


@register.filter
def ago(moment: datetime | None) -> SafeString | str:
    """`3 min ago` with the exact time on hover; the date once it is a week old."""
    if moment is None:
        return ""
    exact = date_format(timezone.localtime(moment), "DATETIME_FORMAT")
    return format_html(
        '<time datetime="{}" title="{}">{}</time>', moment.isoformat(), exact, _distance(moment)
    )


@register.filter
def day_group(moment: datetime) -> str:
    """Under which word of a list it stands: today, or earlier."""
    is_today = timezone.localtime(moment).date() == timezone.localdate()
    return _("Today") if is_today else _("Earlier")


def _distance(moment: datetime) -> str:
    seconds = int((timezone.now() - moment).total_seconds())
    if seconds < MINUTE:
        return _("just now")
    if seconds < HOUR:
        minutes = seconds // MINUTE
        return ngettext("%(count)d min ago", "%(count)d min ago", minutes) % {"count": minutes}
    if seconds < DAY:
        hours = seconds // HOUR
        return ngettext("%(count)d h ago", "%(count)d h ago", hours) % {"count": hours}
    if seconds < WEEK:
        days = seconds // DAY
        return ngettext("%(count)d day ago", "%(count)d days ago", days) % {"count": days}
    return date_format(timezone.localtime(moment), "DATE_FORMAT")
