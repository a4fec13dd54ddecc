"""What a reader is told about skills: their names, and what the checks of an answer found."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from chat.skills.checks import LENGTH, PAPERS, PARAGRAPHS
from chat.skills.reading import Skill

MOST_NAMED = 5


def skill_title(skill: Skill) -> str:
    return (skill.title_zh if _is_chinese() else "") or skill.title


def skill_description(skill: Skill) -> str:
    return (skill.description_zh if _is_chinese() else "") or skill.description


def skill_when(skill: Skill) -> str:
    """When to use it; may be empty."""
    return (skill.when_zh if _is_chinese() else "") or skill.when


def check_words(check: Mapping[str, Any]) -> str:
    """A sentence for a check that an answer has failed or passed. Unknown checks are silent."""
    found = [str(each) for each in check.get("found", ())]
    if check.get("passed"):
        return {
            PARAGRAPHS: _("Every paragraph has a citation."),
            PAPERS: _("Every paper that was named is cited."),
            LENGTH: _("The length keeps to its bound."),
        }.get(check["name"], "")
    named = "; ".join(f"“{each}”" for each in found[:MOST_NAMED])
    if check["name"] == PARAGRAPHS:
        return ngettext(
            "%(n)d paragraph has no citation: %(which)s",
            "%(n)d paragraphs have no citation: %(which)s",
            len(found),
        ) % {"n": len(found), "which": named}
    if check["name"] == PAPERS:
        return _("Named, but not cited: %(which)s") % {"which": named}
    if check["name"] == LENGTH:
        told = {"words": "".join(found), "most": check.get("bound", 0)}
        return _("Longer than it should be: %(words)s words, at most %(most)s.") % told
    return ""


def _is_chinese() -> bool:
    return (get_language() or "").startswith("zh")
