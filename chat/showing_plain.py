"""A run's answer without a browser: as JSON for other tools, and as plain text."""

from typing import Any

from chat.events import Noticed, event_from_json
from chat.models import Run
from chat.skills.wording import check_words
from chat.wording import error_words, notice_words, state_words
from citations.marker_forms import escape_brackets
from citations.models import Answer, Citation
from citations.placing import place_citation
from citations.segments import CiteSegment, segments_from_json
from projects.models import User


def answer_as_json(run: Run) -> dict[str, Any]:
    """The documented shape of `ask --json`."""
    answer = run.turn.answer
    citations = _citations(answer)
    user = run.turn.conversation.user
    return {
        "answer": answer_text(answer, citations) if answer else "",
        "status": _status(run),
        "sources": _sources(answer) if answer else [],
        "citations": [_citation(citation, user) for citation in citations],
        "usage": run.usage,
        "run": run.public_id,
        "model": run.model,
        "retention": run.retention,
        "notices": _notices(run),
        "skill": run.skill,
        "checks": run.trace.get("checks", []),
        "error": {"code": run.error_code, "message": run.error} if run.error_code else None,
    }


def answer_as_text(run: Run) -> str:
    """The answer with its source list, to be read in a terminal."""
    answer = run.turn.answer
    lines = [answer_text(answer, _citations(answer)).strip()] if answer else []
    if answer and (sources := list(answer.sources.order_by("number"))):
        pages = _pages_by_source(answer)
        lines.append("")
        lines += [f"[{each.number}] {each.title}{pages.get(each.number, '')}" for each in sources]
    lines += [f"({notice})" for notice in _notices(run)]
    lines += [f"({check_words(check)})" for check in run.trace.get("checks", [])]
    return "\n".join([*lines, f"run {run.public_id}"])


def answer_text(answer: Answer, citations: list[Citation]) -> str:
    """The answer with the numbers that a reader sees; a paper's own [12] is spelt ⟦12⟧."""
    numbers = {citation.ordinal: citation.source.number for citation in citations}
    parts: list[str] = []
    ordinal = 0
    for segment in segments_from_json(answer.segments):
        if isinstance(segment, CiteSegment):
            parts.append(
                f" [{numbers[ordinal]}]" if not _follows_cite(parts) else f"[{numbers[ordinal]}]"
            )
            ordinal += 1
        else:
            parts.append(escape_brackets(segment.text) if segment.verbatim else segment.text)
    return "".join(parts)


def _follows_cite(parts: list[str]) -> bool:
    return bool(parts) and (parts[-1].endswith(("]", " ")))


def _citations(answer: Answer | None) -> list[Citation]:
    if answer is None:
        return []
    found = answer.citations.select_related("source__version__document")
    return list(found.order_by("ordinal"))


def _status(run: Run) -> str:
    if run.state == Run.State.DONE:
        return run.outcome or "answered"
    return run.state


def _sources(answer: Answer) -> list[dict[str, Any]]:
    return [
        {
            "number": source.number,
            "document": source.version.document.public_id if source.version else None,
            "title": source.title,
            "identity": source.identity,
            "pdf_page": source.pdf_page,
        }
        for source in answer.sources.select_related("version__document").order_by("number")
    ]


def _citation(citation: Citation, user: User) -> dict[str, Any]:
    """A quote is located here and now; a paraphrase waits for someone to look at it."""
    location = None
    if citation.quote:
        placed = place_citation(citation, user)
        location = {
            "status": placed.status,
            "places": placed.places,
            "nearest": placed.nearest,
            "reason": placed.reason,
        }
    return {
        "id": citation.public_id,
        "number": citation.source.number,
        "claim": citation.claim,
        "quote": citation.quote,
        "anchor": citation.anchor,
        "location": location,
    }


def _notices(run: Run) -> list[str]:
    stored = [event_from_json(notice) for notice in run.trace.get("notices", [])]
    words = [notice_words(notice) for notice in stored if isinstance(notice, Noticed)]
    return [each for each in (*words, state_words(run.state), error_words(run.error_code)) if each]


def _pages_by_source(answer: Answer) -> dict[int, str]:
    pages: dict[int, set[int]] = {}
    for citation in answer.citations.select_related("source"):
        for span in citation.anchor.get("spans", [])[:1]:
            pages.setdefault(citation.source.number, set()).add(int(span[0]))
    return {
        number: ", p. " + ", ".join(str(page) for page in sorted(found))
        for number, found in pages.items()
    }
