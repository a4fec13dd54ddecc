"""The skills that come with Lito: the folders beside this file."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from chat.skills.reading import Skill, read_skill

DEFAULT = "question"
REWRITE = "rewrite"
ORDER = (DEFAULT, "review", "compare", "brief", REWRITE)


@cache
def built_in_skills() -> Mapping[str, Skill]:
    """By name, in the order in which they are offered."""
    here = Path(__file__).parent
    return {
        name: read_skill((here / name / "SKILL.md").read_bytes(), folder=name) for name in ORDER
    }
