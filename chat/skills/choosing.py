"""Which skills a project has, and which one a run works by."""

from collections.abc import Mapping

from chat.models import Run
from chat.skills.built_in import DEFAULT, built_in_skills
from chat.skills.reading import Skill
from projects.models import Project


class UnknownSkillError(Exception):
    """The project has no skill of this name, or has switched it off."""


def skills_in(project: Project) -> Mapping[str, Skill]:
    """By name, in the order in which they are offered."""
    return built_in_skills()


def skill_named(name: str, project: Project) -> Skill:
    """Raises `UnknownSkillError`."""
    try:
        return skills_in(project)[name]
    except KeyError:
        raise UnknownSkillError(name) from None


def skill_of(run: Run) -> Skill:
    """The skill that the run was begun with; if it is gone meanwhile, that for any question."""
    skills = skills_in(run.turn.conversation.project)
    return skills.get(run.skill) or skills[DEFAULT]
