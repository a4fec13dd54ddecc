"""How an exported file writes places and the list of references. Pure."""

from collections.abc import Sequence

from django.utils.translation import gettext as _

from chat.exporting import ExportedCitation, ExportedSource
from documents.catalogue.references import Reference

MOST_PEOPLE = 20


def place_words(citation: ExportedCitation) -> str:
    """ "1, p. 4 (iv)": the source's number and the page, by position and as printed."""
    if citation.page is None:
        return str(citation.number)
    page = _("p. %(number)d") % {"number": citation.page}
    return f"{citation.number}, {page}" + (f" ({citation.label})" if citation.label else "")


def reference_words(source: ExportedSource) -> str:
    """ "A. Lovelace, B. Babbage (1843). Notes. Journal 3(2), 1-9." as far as it is known."""
    one = source.reference
    when = f" ({one.year})" if one.year else ""
    parts = [f"{people_words(one)}{when}".strip(), source.title or one.title, _where(one)]
    words = " ".join(part.rstrip(".") + "." for part in parts if part)
    return words if not source.is_removed else f"{words} {_('(no longer in the project)')}"


def reference_address(reference: Reference) -> str:
    """Where the work itself is found; "" if no identifier is known."""
    if reference.doi:
        return f"https://doi.org/{reference.doi}"
    return f"https://arxiv.org/abs/{reference.arxiv_id}" if reference.arxiv_id else ""


def people_words(reference: Reference) -> str:
    names = [person.shown for person in reference.people]
    if len(names) > MOST_PEOPLE:
        names = [*names[: MOST_PEOPLE - 1], "…", names[-1]]
    return ", ".join(names)


def _where(reference: Reference) -> str:
    issue = f"({reference.issue})" if reference.issue else ""
    volume = f"{reference.volume}{issue}".strip()
    parts: Sequence[str] = (f"{reference.venue} {volume}".strip(), reference.pages)
    return ", ".join(part for part in parts if part)
