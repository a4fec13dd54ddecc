"""What each status of a location says to the reader. The one place for these sentences.

Every sentence says what was tried and what the reader can do; none says more than was checked.
"""

from dataclasses import dataclass
from typing import Literal

from django.utils.translation import gettext as _

from citations.matching import MOST_PLACES

Tone = Literal["good", "plain", "warn", "bad"]


@dataclass(frozen=True, slots=True)
class StatusWords:
    """A short name, a full sentence, the icon beside it and how loud it is."""

    name: str
    sentence: str
    icon: str
    tone: Tone


def status_words(status: str, *, page: int | None = None, places: int = 0) -> StatusWords:
    """The words for `status`. `page` is physical; `places` counts what `ambiguous` found."""
    where = {"page": page, "places": places}
    found = _on_a_page(where) if page else _anywhere(where)
    return found.get(status) or _always(where).get(status) or _always(where)["failed"]


def _always(where: dict[str, int | None]) -> dict[str, StatusWords]:
    return {
        "matched": StatusWords(
            _("Place confirmed"),
            _(
                "These words stand exactly once on the page. Whether they support the statement is"
                " yours to judge."
            ),
            "circle-check",
            "good",
        ),
        "ambiguous": StatusWords(
            _("Several places"),
            _several(where["places"] or 0),
            "list",
            "warn",
        ),
        "missing_quote": StatusWords(
            _("No words to look for"),
            _(
                "This citation carries neither a quotation nor a page, so no place can be looked"
                " up. The paper can be read."
            ),
            "circle-dashed",
            "plain",
        ),
        "busy": StatusWords(
            _("Not checked yet"),
            _("The checker has too much to do right now. Try again in a moment; reading goes on."),
            "clock",
            "plain",
        ),
        "failed": StatusWords(
            _("Could not be checked"),
            _(
                "Looking for this place broke off. Nothing is marked; the paper can be read, and"
                " you can try again."
            ),
            "circle-alert",
            "bad",
        ),
        "removed": StatusWords(
            _("Removed from the project"),
            _(
                "This paper is no longer in the project. The excerpt that the answer used is kept"
                " here."
            ),
            "unlink",
            "warn",
        ),
        "newer_version": StatusWords(
            _("Earlier version"),
            _("The citation opens the version that the answer used. The paper has a newer one."),
            "history",
            "plain",
        ),
        "locating": StatusWords(
            _("Looking for the place"),
            _("The passage is being looked for on the page."),
            "loader",
            "plain",
        ),
    }


def _on_a_page(where: dict[str, int | None]) -> dict[str, StatusWords]:
    return {
        "not_found": StatusWords(
            _("Place not confirmed"),
            _(
                "These words were looked for on page %(page)d and do not stand there exactly."
                " Nothing is marked; the page can be read."
            )
            % where,
            "circle-dashed",
            "plain",
        ),
        "unsupported_claim": StatusWords(
            _("Place not confirmed"),
            _(
                "This statement paraphrases the page; no sentence on page %(page)d could be"
                " confirmed. This speaks of the page, not of the whole paper."
            )
            % where,
            "circle-dashed",
            "plain",
        ),
        "no_text": StatusWords(
            _("No text to mark"),
            _(
                "Page %(page)d has no text that could be searched, so nothing can be marked. The"
                " page image can be read."
            )
            % where,
            "scan-text",
            "warn",
        ),
        "unsupported_rotation": StatusWords(
            _("Can't be marked"),
            _(
                "The text of page %(page)d can't be placed reliably, so nothing is marked. The page"
                " can be read."
            )
            % where,
            "scan-text",
            "warn",
        ),
    }


def _anywhere(_where: dict[str, int | None]) -> dict[str, StatusWords]:
    return {
        "not_found": StatusWords(
            _("Place not confirmed"),
            _(
                "These words were looked for in the whole paper and do not stand there exactly."
                " Nothing is marked; the paper can be read."
            ),
            "circle-dashed",
            "plain",
        ),
        "unsupported_claim": StatusWords(
            _("Place not confirmed"),
            _(
                "No sentence could be confirmed for this statement. Nothing is marked; the paper"
                " can be read."
            ),
            "circle-dashed",
            "plain",
        ),
        "no_text": StatusWords(
            _("No text to mark"),
            _(
                "The file has no text that could be searched, so nothing can be marked. Its"
                " pages can be read."
            ),
            "scan-text",
            "warn",
        ),
        "unsupported_rotation": StatusWords(
            _("Can't be marked"),
            _(
                "The text of this paper can't be placed reliably, so nothing is marked. Its"
                " pages can be read."
            ),
            "scan-text",
            "warn",
        ),
    }


def _several(places: int) -> str:
    if places < MOST_PLACES:
        return _(
            "These words stand in %(places)d places. All are listed; none is chosen for you."
        ) % {"places": places}
    return _(
        "These words stand in %(places)d places or more. The first are listed; none is chosen."
    ) % {"places": places}


def reason_words(reason: str) -> str:
    """Why, as a sentence behind the status; nothing for a reason that only a log needs."""
    sentences = {
        "no_model": _("Without a language model only direct quotations can be placed."),
        "none_chosen": _("The model chose no sentence of the page."),
        "not_confirmed": _("What the model chose does not stand there word for word."),
        "part_offered": _("Only a part of the cited text could be shown to the model."),
        "too_many_parts": _("A place joins at most three parts of a quotation with omissions."),
        "no_such_page": _("The file has no such page."),
        "not_read": _("The file has not been read yet."),
        "gone": _("The file or the model is no longer there."),
        "garbled": _("The file gives its letters wrong codes."),
        "failed": _("The page could not be read."),
        "pending": _("The page has not been read yet."),
        "rate_limited": _("The model is busy."),
        "project_budget": _("This project's tokens for the month are used up."),
        "user_budget": _("Your tokens for the month are used up."),
        "timeout": _("The model did not answer in time."),
        "unreachable": _("The model's server can't be reached."),
    }
    return sentences.get(reason, "")


def drift_words(drift: str) -> str:
    """A sentence if the words of the evidence are not in the present reading of the file."""
    if drift != "drifted":
        return ""
    return _(
        "The paper was read anew since, and this passage now reads otherwise. The excerpt is as the"
        " answer used it."
    )
