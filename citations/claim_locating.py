"""Ask a model where a claim stands on its pages, and keep the answer in the waiting row."""

from collections.abc import Sequence

from django.utils import timezone

from citations.locating import Located
from citations.models import Citation, Location
from citations.pages import searchable_pages
from citations.searchable_page import SearchablePage
from citations.selecting import select_on_page
from documents.models import Version
from documents.page_text import PageState
from llm.configured import light_model
from llm.port import ChatModel, ModelError

MOST_PAGES = 3
UNREADABLE = frozenset({PageState.NO_TEXT, PageState.FAILED, PageState.GARBLED, PageState.PENDING})
BUSY_CODES = frozenset({"rate_limited", "timeout"})


def cited_pages(citation: Citation) -> list[int]:
    """The reliable pages of a citation: its page source, else those of its evidence in order."""
    if citation.source.pdf_page is not None:
        return [citation.source.pdf_page]
    spans = citation.anchor.get("spans") or []
    return list(dict.fromkeys(int(span[0]) for span in spans))


def locate_claim(location: Location, citation: Citation) -> None:
    """Ask the model where the claim stands and write the answer into the waiting row."""
    version = citation.source.version
    model = light_model()
    if version is None or version.parsed_id is None or model is None:
        write_location(location, Located("failed", reason="gone"))
        return
    try:
        write_location(location, _selected(citation, version, model))
    except ModelError as problem:
        is_busy = problem.code in BUSY_CODES
        write_location(location, Located("busy" if is_busy else "failed", reason=problem.code))


def _selected(citation: Citation, version: Version, model: ChatModel) -> Located:
    pages = cited_pages(citation)[:MOST_PAGES]
    loaded = searchable_pages(version, {near for page in pages for near in around(page)})
    if forbidden := forbidden_on([p for p in loaded if p.number in pages]):
        return forbidden
    result = Located("unsupported_claim", reason="none_chosen")
    for page in pages:
        near = [p for p in loaded if p.number in around(page)]
        if not any(p.number == page and p.folded for p in near):
            continue
        result = select_on_page(citation.claim, near, page=page, model=model)
        if result.status == "matched":
            return result
    return result


def around(page: int) -> range:
    """A page and its neighbours: a quote may run over a page break."""
    return range(page - 1, page + 2)


def forbidden_on(pages: Sequence[SearchablePage]) -> Located | None:
    """Why no page of the evidence can carry a highlight; None if one can."""
    if not pages:
        return Located("not_found", reason="no_such_page")
    if all(page.state == PageState.UNSUPPORTED_ROTATION for page in pages):
        return Located("unsupported_rotation", reason=pages[0].reason)
    if all(page.state in UNREADABLE or not page.folded for page in pages):
        return Located("no_text", reason=pages[0].reason or str(pages[0].state))
    return None


def write_location(location: Location, located: Located) -> None:
    """Put a result into a row that was waiting for it."""
    Location.objects.filter(pk=location.pk).update(
        **stored_values(located), created_at=timezone.now()
    )


def stored_values(located: Located) -> dict[str, object]:
    """The fields of a row that hold a result."""
    found = located.as_json()
    return {
        "status": located.status,
        "places": found["places"],
        "nearest": found["nearest"],
        "reason": located.reason[:300],
    }
