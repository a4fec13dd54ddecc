"""What a reader is told about a run, from the codes that are stored, in the reader's language."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from chat.events import Noticed, ToolEnded, ToolStarted

LONGEST_CLAIM = 160
STILL_ANSWERING = gettext_lazy("The last question is still being answered. Stop it, or wait.")
_DROPPED_BECAUSE = {
    "left_out": gettext_lazy("[%(number)s] %(label)s: dropped, with the statement “%(claim)s”"),
    "asked": gettext_lazy("[%(number)s] %(label)s: dropped, as you asked."),
    "unfinished": gettext_lazy("[%(number)s] %(label)s: not written yet when the answer ended."),
    "removed": gettext_lazy("[%(number)s] %(label)s: dropped, the paper left this project."),
    "no_access": gettext_lazy("[%(number)s] %(label)s: dropped, you can no longer read the paper."),
    "out_of_scope": gettext_lazy(
        "[%(number)s] %(label)s: dropped, the paper is outside the chosen scope."
    ),
}
"""By the reasons of `chat.fates`."""


@dataclass(frozen=True, slots=True)
class ShownStep:
    text: str
    detail: str = ""


def step_words(step: ToolStarted | ToolEnded) -> ShownStep:
    """One quiet line: what is being done, and what it gave."""
    query = str(step.arguments.get("query", ""))
    if isinstance(step, ToolStarted):
        texts = {
            "search": _("Searching the library"),
            "list_papers": _("Looking at the list of papers"),
        }
        return ShownStep(texts.get(step.tool, _("Working")), query)
    found = step.found
    if "error" in found:
        return ShownStep(_("A step did not work; trying another way"), "")
    if step.tool == "search":
        return ShownStep(_search_words(found), query)
    papers = int(found.get("papers", 0))
    return ShownStep(ngettext("%(n)d paper", "%(n)d papers", papers) % {"n": papers})


def _search_words(found: Mapping[str, Any]) -> str:
    passages, papers = int(found.get("passages", 0)), int(found.get("papers", 0))
    if not passages:
        return _("Searched the library: nothing found")
    return _("Searched the library: %(passages)s from %(papers)s") % {
        "passages": ngettext("%(n)d passage", "%(n)d passages", passages) % {"n": passages},
        "papers": ngettext("%(n)d paper", "%(n)d papers", papers) % {"n": papers},
    }


def shown_steps(steps: Iterable[ToolStarted | ToolEnded]) -> list[ShownStep]:
    """Finished steps, and the one that is going on."""
    shown: list[ShownStep] = []
    running: ToolStarted | None = None
    for step in steps:
        if isinstance(step, ToolEnded):
            shown.append(step_words(step))
            running = None
        else:
            running = step
    return [*shown, step_words(running)] if running else shown


def notice_words(notice: Noticed) -> str:
    """A sentence under the answer. Unknown codes are silent."""
    if notice.code == "limit":
        return _limit_words(str(notice.detail.get("limit", "")))
    if notice.code.startswith("whole"):
        return _whole_words(notice.code, notice.detail)
    if notice.code == "not_carried":
        count = int(notice.detail.get("count", 0))
        return ngettext(
            "%(n)d earlier source could not be carried over: removed or out of reach.",
            "%(n)d earlier sources could not be carried over: removed or out of reach.",
            count,
        ) % {"n": count}
    sentences = {
        "no_search": _("This answer does not rest on what the papers of this project say."),
        "keywords_only": _(
            "The search went by keywords alone: the embedding service did not answer."
        ),
        "unknown_numbers": _(
            "The model cited passages that it was never given. Those citations were left out."
        ),
        "history_cut": _("The oldest turns of this conversation no longer fit and were left out."),
        "earlier_stands": _("This attempt did not get to its end. The answer from before stands."),
        "none_kept": _("None of the citations of the answer before it is in this one."),
    }
    return sentences.get(notice.code, "")


def _whole_words(code: str, detail: Mapping[str, Any]) -> str:
    """What was read whole, and what was not."""
    papers, pages = int(detail.get("papers", 0)), detail.get("pages", 0)
    sentences = {
        "whole_too_many": _(
            "%(papers)s papers are too many to be read in full (at most %(most)s). "
            "They were searched instead. Choose some of them to have these read in full."
        ),
        "whole_too_long": _(
            "“%(title)s” is too long to be read in full beside the others (about %(tokens)s "
            "tokens, %(most)s for all papers together). It was searched instead."
        ),
        "whole_no_text": _("“%(title)s” has no text yet, so it could not be read in full."),
        "whole_gaps": _("“%(title)s”: pages without text were not read (%(pages)s)."),
        "whole_needs_model": _(
            "Papers can be read in full by a language model only. They were searched instead."
        ),
    }
    if code == "whole":
        return _("Read in full: %(papers)s, %(pages)s.") % {
            "papers": ngettext("%(n)d paper", "%(n)d papers", papers) % {"n": papers},
            "pages": ngettext("%(n)d page", "%(n)d pages", int(pages)) % {"n": int(pages)},
        }
    shown = ", ".join(map(str, pages)) if isinstance(pages, list) else pages
    return sentences.get(code, "") % {**detail, "pages": shown}


def fate_words(fate: Mapping[str, Any]) -> str:
    """What a rewrite did to one citation of the answer before it, and why."""
    why = str(fate.get("reason") or "")
    sentences = {
        "kept": _("[%(number)s] %(label)s: kept."),
        "moved": _("[%(number)s] %(label)s: now beside another statement."),
        "merged": _("[%(number)s] %(label)s: joined with another citation of the same paper."),
        "dropped": _DROPPED_BECAUSE.get(why, _DROPPED_BECAUSE["left_out"]),
    }
    claim = str(fate.get("claim", ""))
    shortened = claim if len(claim) <= LONGEST_CLAIM else claim[: LONGEST_CLAIM - 1] + "…"
    return str(sentences.get(str(fate.get("fate")), "")) % {
        "number": fate.get("number", ""),
        "label": fate.get("label", ""),
        "claim": shortened,
    }


def _limit_words(limit: str) -> str:
    reasons = {
        "steps": _("the number of steps"),
        "tokens": _("the number of tokens"),
        "seconds": _("the time"),
        "repeats": _("repeated searches"),
    }
    return _("Answered from the evidence so far: a limit was reached (%(limit)s).") % {
        "limit": reasons.get(limit, limit)
    }


def state_words(state: str) -> str:
    """What a run's end means for the reader, if it was not a plain end."""
    return {
        "stopped": _("Stopped. What was written so far is kept."),
        "interrupted": _("The answer was interrupted. What was written so far is kept."),
    }.get(state, "")


def error_words(code: str) -> str:
    """What went wrong and what to do, by the stable code of a failed run."""
    sentences = {
        "unreachable": _("The model's server can't be reached. Try again, or tell an admin."),
        "timeout": _("The model did not answer in time. Try again."),
        "rate_limited": _("The model is busy or its quota is used up. Try again later."),
        "unauthorized": _("The model's server did not accept the key. Tell an admin."),
        "no_such_model": _("The server does not have the configured model. Tell an admin."),
        "context_too_long": _(
            "The conversation is too long for this model. Start a new one, or ask about less."
        ),
        "whole_too_long": _(
            "The papers are too long for this model when read in full. Ask again without reading "
            "them in full: then they are searched. An admin can lower what may be read in full."
        ),
        "bad_request": _("The model's server refused the request. Tell an admin."),
        "server_error": _("The model's server failed. Try again later."),
        "cut_off": _("The connection to the model broke. What was written so far is kept."),
        "empty": _("The model gave an empty answer. Try again, or choose another model."),
        "bad_reply": _("The model did not reply in the form that was asked for. Try again."),
        "filtered": _("The model's server withheld the answer."),
        "project_budget": _("This project's tokens for the month are used up. Tell an admin."),
        "user_budget": _("Your tokens for the month are used up. Tell an admin."),
        "no_access": _("You can no longer read this project."),
        "internal": _("Something failed inside Lito. It was logged. Try again."),
    }
    return sentences.get(code, sentences["internal"]) if code else ""


def model_notice(*, is_language_model: bool) -> str:
    """Said plainly beside the question box while no language model is set up."""
    if is_language_model:
        return ""
    return _(
        "No language model is set up: answers are sentences quoted word for word from the papers, "
        "each with its place, or “not found”."
    )
