"""Ask a model where a claim stands on its pages, and keep the answer in the waiting row."""

from datetime import timedelta
from functools import partial

from django.utils import timezone

from citations.locating import Located, forbidden_on, missed_on
from citations.models import Citation, Location
from citations.pages import searchable_pages
from citations.selecting import PART_OFFERED, select_on_page
from documents.models import Version
from llm.configured import light_model
from llm.metered import Metered
from llm.port import ChatModel, ModelError, Usage
from projects.models import ModelEndpoint
from projects.token_counts import over_budget, record_use

MOST_PAGES = 3
BUSY_CODES = frozenset({"rate_limited", "timeout"})
ABANDONED_AFTER = timedelta(seconds=10)
"""A card that waits asks about twice a second; its row was given up if nobody did for so long."""


class NobodyWaitsError(Exception):
    """The hover has left: no request is made for it."""


def cited_pages(citation: Citation) -> list[int]:
    """The reliable pages of a citation: its page source, else those of its evidence in order."""
    if citation.source.pdf_page is not None:
        return [citation.source.pdf_page]
    spans = citation.anchor.get("spans") or []
    return list(dict.fromkeys(int(span[0]) for span in spans))


def locate_claim(location: Location, citation: Citation) -> None:
    """Ask the model where the claim stands and write the answer into the waiting row."""
    version = citation.source.version
    model = light_model(citation.answer.project_id)
    if version is None or version.parsed is None or model is None:
        write_location(location, Located("failed", reason="gone"))
        return
    if not version.parsed.complete:
        write_location(location, Located("failed", reason="not_read"))
        return
    if whose := over_budget(citation.answer.project, location.user):
        write_location(location, Located("failed", reason=f"{whose}_budget"))
        return
    counted = Metered(model, partial(_count, location, citation, model.name))
    try:
        write_location(location, _selected(location, citation, version, counted))
    except NobodyWaitsError:
        Location.objects.filter(pk=location.pk, status="locating").delete()
    except ModelError as problem:
        is_busy = problem.code in BUSY_CODES
        write_location(location, Located("busy" if is_busy else "failed", reason=problem.code))


def _count(
    location: Location, citation: Citation, model: str, usage: Usage, *, is_estimate: bool
) -> None:
    """A look for a claim counts for the one who looks, and as part of the answer's run."""
    record_use(
        project_id=citation.answer.project_id,
        user_id=location.user_id,
        run=citation.answer.key or "",
        role=ModelEndpoint.Role.LIGHT,
        model=model,
        prompt_tokens=usage.prompt_tokens,
        completion_tokens=usage.completion_tokens,
        is_estimate=is_estimate,
    )


def _selected(
    location: Location, citation: Citation, version: Version, model: ChatModel
) -> Located:
    """What the model chose on the first page that has it. Raises `NobodyWaitsError`."""
    cited = cited_pages(citation)
    pages = cited[:MOST_PAGES]
    loaded = searchable_pages(version, {near for page in pages for near in around(page)})
    wanted = [p for p in loaded if p.number in pages]
    if forbidden := forbidden_on(wanted):
        return forbidden
    result = Located("unsupported_claim", reason="none_chosen")
    for page in wanted:
        if not page.folded:
            continue
        near = [p for p in loaded if p.number in around(page.number)]
        result = select_on_page(
            citation.claim,
            near,
            page=page.number,
            model=model,
            before_request=partial(_ensure_awaited, location),
        )
        if result.status == "matched":
            return result
    if len(cited) > MOST_PAGES:
        result = Located("unsupported_claim", reason=PART_OFFERED)
    return missed_on(wanted) or result


def _ensure_awaited(location: Location) -> None:
    since = timezone.now() - ABANDONED_AFTER
    if not Location.objects.filter(pk=location.pk, asked_at__gt=since).exists():
        raise NobodyWaitsError


def around(page: int) -> range:
    """A page and its neighbours: a quote may run over a page break."""
    return range(page - 1, page + 2)


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
