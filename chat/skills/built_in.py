"""The skills that come with Lito: the folders beside this file."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from chat.skills.reading import Skill, read_skill

DEFAULT = "question"
BRIEF = "brief"
REWRITE = "rewrite"
BY_PAPER = frozenset({"review", "compare"})
"""Those that set papers beside each other."""
ORDER = (DEFAULT, "review", "compare", BRIEF, REWRITE)


@cache
def built_in_skills() -> Mapping[str, Skill]:
    """By name, in the order in which they are offered."""
    here = Path(__file__).parent
    return {
        name: read_skill((here / name / "SKILL.md").read_bytes(), folder=name) for name in ORDER
    }
