"""The checks of a run's skill on its finished answer, and the papers it must not pass over."""

from collections.abc import Mapping, Sequence
from typing import Any

from chat.evidence_book import EvidenceBook
from chat.models import Run
from chat.skills.checks import look
from chat.skills.reading import Skill
from citations.segments import CiteSegment, Segment
from retrieval.evidence import Scope

MOST_CHOSEN = 10
"""So many chosen papers are a comparison; more are a library."""


def looked_at(
    run: Run,
    skill: Skill,
    segments: Sequence[Segment],
    *,
    scope: Scope,
    book: EvidenceBook,
    traces: Sequence[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """What the checks found, as JSON."""
    titles = {version.document_id: version.title for version in scope.versions}
    chosen = run.document_ids if len(run.document_ids) <= MOST_CHOSEN else []
    wanted = [*_named(traces), *chosen]
    named = {key: titles[key] for key in dict.fromkeys(wanted) if key in titles}
    evidence = book.cited()
    cited = {
        evidence[each.evidence].anchor.document
        for each in segments
        if isinstance(each, CiteSegment) and each.evidence in evidence
    }
    found = look(skill.checks, segments, named=named, cited=cited)
    return [each.as_json() for each in found]


def _named(traces: Sequence[Mapping[str, Any]]) -> list[str]:
    """Papers that the question or a search of the run named."""
    return [
        key for trace in traces for key in trace.get("search", {}).get("names", {}).get("found", ())
    ]
