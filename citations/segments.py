"""An answer is a list of segments: text, and places where sources are cited. Pure data.

The same segments feed the stream, the refreshed page and the reopened page, so all three are
rendered by the same code and are equal byte for byte.
"""

from dataclasses import dataclass
from typing import Any, Literal


@dataclass(frozen=True, slots=True)
class TextSegment:
    """A run of the answer's text. `verbatim` text comes from a document: shown, never interpreted.

    Other text is Markdown.
    """

    text: str
    verbatim: bool = False


@dataclass(frozen=True, slots=True)
class CiteSegment:
    """One place that cites one source. `evidence` is the run's number for it, never shown."""

    evidence: int


Segment = TextSegment | CiteSegment


def segments_to_json(segments: list[Segment]) -> list[dict[str, Any]]:
    return [
        {"cite": segment.evidence}
        if isinstance(segment, CiteSegment)
        else {"text": segment.text, **({"verbatim": True} if segment.verbatim else {})}
        for segment in segments
    ]


def segments_from_json(value: list[dict[str, Any]]) -> list[Segment]:
    return [
        CiteSegment(part["cite"])
        if "cite" in part
        else TextSegment(part["text"], part.get("verbatim", False))
        for part in value
    ]


LocationStatus = Literal[
    "matched",
    "ambiguous",
    "missing_quote",
    "not_found",
    "unsupported_claim",
    "no_text",
    "unsupported_rotation",
    "busy",
    "failed",
    "removed",
    "newer_version",
    "locating",
]
