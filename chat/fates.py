"""What became of the citations of the answer that a run rewrote."""

from typing import Any

from django.db.models import F

from citations.models import Answer
from citations.restoring import retention


def fates(earlier: Answer, answer: Answer) -> list[dict[str, Any]]:
    """What a rewrite did to each citation of the answer before it. JSON values."""
    verbatim = set(earlier.citations.filter(quote=F("claim")).values_list("public_id", flat=True))
    claims = set(answer.citations.values_list("claim", flat=True))
    found = list(retention(earlier, answer))
    for fate in found:
        # A sentence that was quoted whole and is gone was dropped, whatever else its paper says.
        gone = fate["citation"] in verbatim and fate["claim"] not in claims
        if fate["fate"] == "merged" and gone:
            fate.update(fate="dropped", now=None, now_number=None)
    return found
