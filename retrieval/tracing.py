"""The record of a search, as JSON values: what each step found, and what became of each paper."""

from collections.abc import Collection, Sequence
from typing import Any

from retrieval.evidence import Evidence, Scope
from retrieval.passages import Cuts
from retrieval.planning import Plan
from retrieval.recall import Recalled

GIVEN = "given"
CUT = "cut"
NOT_RECALLED = "not_recalled"


def trace_of(
    plan: Plan,
    recalled: Recalled,
    *,
    evidence: Sequence[Evidence],
    cuts: Cuts,
    scope: Scope,
    strays: Collection[int],
) -> dict[str, Any]:
    """The trace of one search. A paper that was `cut` says `by` what:

    `reference_list` or `heading` (nothing else of it was found), `stray_keywords` (only chance
    hits), `candidates` or `limit` (others ranked before it).
    """
    given = {each.version.parsed_id: each.number for each in reversed(evidence)}
    return {
        "plan": "model" if any(query.origin == "model" for query in plan.queries) else "words",
        "queries": [each.as_trace() for each in recalled.queries],
        "vectors": recalled.vectors_note or "ok",
        "fused": len(recalled.ranking),
        "cuts": dict(cuts.counts),
        "given": len(evidence),
        "papers": [
            {
                "document": version.document_id,
                "file_id": version.file_id,
                "title": version.title,
                **_status(version.parsed_id, given, cuts, strays),
            }
            for version in scope.versions
        ],
    }


def _status(
    reading: int, given: dict[int, int], cuts: Cuts, strays: Collection[int]
) -> dict[str, Any]:
    if reading in given:
        return {"status": GIVEN, "evidence": given[reading]}
    if reading in cuts.readings:
        return {"status": CUT, "by": cuts.readings[reading]}
    if reading in strays:
        return {"status": CUT, "by": "stray_keywords"}
    return {"status": NOT_RECALLED}
