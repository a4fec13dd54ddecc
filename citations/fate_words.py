"""What became of a citation, in words."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

LONGEST_CLAIM = 90


def fate_sentence(fate: Mapping[str, Any]) -> str:
    """One sentence about an entry of `citations.restoring.retention`."""
    words = {"number": fate["number"], "label": fate["label"], "now": fate.get("now_number")}
    sentences = {
        "kept": _("[%(number)d] %(label)s: kept."),
        "moved": _("[%(number)d] %(label)s: now stands behind another statement."),
        "merged": _("[%(number)d] %(label)s: joined with [%(now)s]."),
        "dropped": _("[%(number)d] %(label)s: dropped."),
    }
    sentence = sentences[fate["fate"]] % words
    claim = " ".join(str(fate.get("claim", "")).split())
    if fate["fate"] != "dropped" or not claim:
        return sentence
    shown = claim if len(claim) <= LONGEST_CLAIM else claim[: LONGEST_CLAIM - 1].rstrip() + "…"
    return f"{sentence} {_('It stood behind: “%(claim)s”') % {'claim': shown}}"
