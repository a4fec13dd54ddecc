"""What a rewrite did to the citations, in one line."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

register = template.Library()


@register.filter
def dropped(retention: Sequence[Mapping[str, Any]]) -> int:
    """How many citations are gone without a successor."""
    return sum(fate["fate"] == "dropped" for fate in retention)


@register.filter
def in_one_line(retention: Sequence[Mapping[str, Any]]) -> str:
    """`4 of 7 citations kept, 1 merged, 2 dropped`. One that moved is kept."""
    counts = Counter(fate["fate"] for fate in retention)
    total = len(retention)
    parts = [
        ngettext(
            "%(kept)d of %(total)d citation kept", "%(kept)d of %(total)d citations kept", total
        )
        % {"kept": counts["kept"] + counts["moved"], "total": total}
    ]
    if counts["merged"]:
        parts.append(_("%(count)d merged") % {"count": counts["merged"]})
    if counts["dropped"]:
        parts.append(_("%(count)d dropped") % {"count": counts["dropped"]})
    return _(", ").join(parts)
