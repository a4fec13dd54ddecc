"""What became of the citations of the answer that a run rewrote, and why."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from django.db.models import F

from citations.models import Answer
from citations.restoring import LEFT_OUT, retention


@dataclass(frozen=True, slots=True)
class Rewritten:
    """The answer that a run was about.

    `lost` says by ordinal why citations could not be carried; `unwanted` are the source numbers
    that the reader asked to have taken out.
    """

    answer: Answer
    lost: Mapping[int, str] = field(default_factory=dict)
    unwanted: frozenset[int] = frozenset()

    def to_json(self) -> dict[str, Any]:
        lost = {str(ordinal): reason for ordinal, reason in self.lost.items()}
        return {"answer": self.answer.pk, "lost": lost, "unwanted": sorted(self.unwanted)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self | None:
        """None if there is none, or if the answer is gone."""
        answer = Answer.objects.filter(pk=value.get("answer") or 0).first()
        if answer is None:
            return None
        lost = {int(ordinal): reason for ordinal, reason in value.get("lost", {}).items()}
        return cls(answer, lost, frozenset(value.get("unwanted", ())))


def fates(rewritten: Rewritten, answer: Answer, *, finished: bool = True) -> list[dict[str, Any]]:
    """What a rewrite did to each citation of the answer before it. JSON values.

    `finished`: the rewrite came to its end; else what is missing may only not be written yet.
    """
    earlier = rewritten.answer
    verbatim = set(earlier.citations.filter(quote=F("claim")).values_list("public_id", flat=True))
    claims = set(answer.citations.values_list("claim", flat=True))
    found = list(retention(earlier, answer, lost=rewritten.lost))
    for fate in found:
        # A sentence that was quoted whole and is gone was dropped, whatever else its paper says.
        gone = fate["citation"] in verbatim and fate["claim"] not in claims
        if fate["fate"] == "merged" and gone:
            fate.update(fate="dropped", reason=LEFT_OUT, now=None, now_number=None)
        if fate["reason"] == LEFT_OUT and fate["number"] in rewritten.unwanted:
            fate["reason"] = "asked"
        elif fate["reason"] == LEFT_OUT and not finished:
            fate["reason"] = "unfinished"
    return found
