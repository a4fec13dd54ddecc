"""The ways of working that a question may choose from, in the words of the reader's language."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import get_language

from chat.models import Run
from chat.skills.built_in import DEFAULT, REWRITE
from chat.skills.choosing import skill_of, skills_in
from chat.skills.reading import Skill
from chat.skills.wording import check_words
from projects.models import Project


@dataclass(frozen=True, slots=True)
class SkillChoice:
    name: str
    title: str
    when: str
    is_chosen: bool


def skill_choices(project: Project, *, follow_up: bool, chosen: str = "") -> Sequence[SkillChoice]:
    """A rewrite needs an answer before it. What is unknown is as if nothing had been chosen."""
    offered = [skill for skill in skills_in(project).values() if follow_up or skill.name != REWRITE]
    names = {skill.name for skill in offered}
    chosen = chosen if chosen in names else DEFAULT
    return [
        SkillChoice(
            skill.name,
            skill_title(skill),
            when_words(skill),
            skill.name == chosen,
        )
        for skill in offered
    ]


def shown_skill(run: Run) -> str:
    """What to call the way a run worked; "" for the plain one."""
    skill = skill_of(run)
    return "" if skill.name == DEFAULT else skill_title(skill)


def skill_title(skill: Skill) -> str:
    return (skill.title_zh if _in_chinese() else "") or skill.title


def when_words(skill: Skill) -> str:
    """When to use it, or else what it is."""
    chinese = (skill.when_zh or skill.description_zh) if _in_chinese() else ""
    return chinese or skill.when or skill.description


def _in_chinese() -> bool:
    return (get_language() or "").startswith("zh")


@dataclass(frozen=True, slots=True)
class ShownCheck:
    """What a check of the skill found in the finished answer, in a sentence."""

    words: str
    passed: bool


def shown_checks(run: Run) -> Sequence[ShownCheck]:
    told = run.trace.get("checks", [])
    checks = [ShownCheck(check_words(check), bool(check.get("passed"))) for check in told]
    return [check for check in checks if check.words]
