"""Which skills a project has, and which one a run works by."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from chat.models import ProjectSkill, Run
from chat.skills.built_in import DEFAULT, built_in_skills
from chat.skills.reading import Skill, SkillError, read_skill
from projects.models import Project


class UnknownSkillError(Exception):
    """The project has no skill of this name, or has switched it off."""


@dataclass(frozen=True, slots=True)
class ListedSkill:
    """A skill as those see it who switch it on and off; the one for any question is always on."""

    skill: Skill
    is_on: bool
    is_own: bool

    @property
    def can_be_switched(self) -> bool:
        return self.skill.name != DEFAULT


def listed_skills(project: Project) -> Sequence[ListedSkill]:
    """Those that come with Lito, then the project's own by name, switched on or not."""
    rows = {row.name: row for row in ProjectSkill.objects.filter(project=project)}
    listed = [
        ListedSkill(skill, name == DEFAULT or name not in rows or rows[name].is_on, is_own=False)
        for name, skill in built_in_skills().items()
    ]
    for name, row in rows.items():
        if name not in built_in_skills() and (own := _own(row)):
            listed.append(ListedSkill(own, row.is_on, is_own=True))
    return listed


def skills_in(project: Project) -> Mapping[str, Skill]:
    """Those that are switched on, by name, in the order in which they are offered."""
    return {each.skill.name: each.skill for each in listed_skills(project) if each.is_on}


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


def _own(row: ProjectSkill) -> Skill | None:
    """None if it was stored by a Lito that took what this one refuses."""
    try:
        return read_skill(row.text.encode(), folder=row.name)
    except SkillError:
        return None
