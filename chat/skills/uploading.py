"""Skills of a project's own: uploaded as a `SKILL.md` or as a zip of its folder, never run.

That the user may do it is the caller's to check. Nothing of a zip is written anywhere: one text is
read out of it.
"""

import zipfile
import zlib
from io import BytesIO
from pathlib import PurePosixPath

from django.db import transaction
from django.utils.translation import gettext as _

from chat.models import ProjectSkill
from chat.skills.built_in import DEFAULT, built_in_skills
from chat.skills.choosing import UnknownSkillError
from chat.skills.reading import MOST_BYTES, Skill, SkillError, read_skill
from projects.models import AuditEvent, Project, User

MOST_UPLOADED = 500_000
"""Bytes of a zip."""
MOST_ENTRIES = 100
MOST_OWN = 40
"""Skills of one project."""
FILE = "SKILL.md"


@transaction.atomic
def upload_skill(project: Project, content: bytes, by: User) -> Skill:
    """Give the project this skill; one of its own with the same name is replaced.

    Raises `SkillError`, which says what is wrong.
    """
    text, folder = _unpacked(content)
    skill = read_skill(text, folder=folder)
    if skill.name in built_in_skills():
        raise SkillError(_("A skill of this name comes with Lito. Choose another name."))
    Project.objects.select_for_update().get(pk=project.pk)  # two uploads at once count as two
    own = ProjectSkill.objects.filter(project=project).exclude(text="")
    if own.exclude(name=skill.name).count() >= MOST_OWN:
        raise SkillError(_("A project can have %(most)s skills of its own.") % {"most": MOST_OWN})
    ProjectSkill.objects.update_or_create(
        project=project, name=skill.name, defaults={"text": text.decode(), "is_on": True}
    )
    AuditEvent.record("skill_uploaded", user=by, project=project, skill=skill.name)
    return skill


@transaction.atomic
def switch_skill(project: Project, name: str, by: User, *, on: bool) -> None:
    """Offer a skill in this project or not. Raises `UnknownSkillError`."""
    if name == DEFAULT:
        raise UnknownSkillError(name)
    if name in built_in_skills():
        ProjectSkill.objects.update_or_create(
            project=project, name=name, defaults={"text": "", "is_on": on}
        )
    elif not ProjectSkill.objects.filter(project=project, name=name).update(is_on=on):
        raise UnknownSkillError(name)
    action = "skill_switched_on" if on else "skill_switched_off"
    AuditEvent.record(action, user=by, project=project, skill=name)


@transaction.atomic
def remove_skill(project: Project, name: str, by: User) -> None:
    """Take one of the project's own away. Raises `UnknownSkillError`."""
    own = ProjectSkill.objects.filter(project=project, name=name).exclude(text="")
    if not own.delete()[0]:
        raise UnknownSkillError(name)
    AuditEvent.record("skill_removed", user=by, project=project, skill=name)


def _unpacked(content: bytes) -> tuple[bytes, str]:
    """The text of the `SKILL.md`, and the name of its folder if that is known."""
    if not content.startswith(b"PK"):
        return content, ""
    if len(content) > MOST_UPLOADED:
        raise SkillError(
            _("The zip is too large: at most %(most)s bytes.") % {"most": MOST_UPLOADED}
        )
    try:
        with zipfile.ZipFile(BytesIO(content)) as archive:
            entry = _entry(archive.infolist())
            with archive.open(entry) as opened:
                text = opened.read(MOST_BYTES + 1)
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError) as error:
        raise SkillError(_("The zip can't be read.")) from error
    return text, PurePosixPath(entry.filename).parent.name


def _entry(entries: list[zipfile.ZipInfo]) -> zipfile.ZipInfo:
    """The one `SKILL.md`, at the top or in one folder."""
    paths = [PurePosixPath(each.filename) for each in entries]
    if len(entries) > MOST_ENTRIES:
        raise SkillError(_("The zip has more than %(most)s files.") % {"most": MOST_ENTRIES})
    if any(
        path.is_absolute() or ".." in path.parts or "\\" in str(path) or ":" in str(path)
        for path in paths
    ):
        raise SkillError(_("The zip has paths that lead out of it."))
    found = [
        entry
        for entry, path in zip(entries, paths, strict=True)
        if path.name == FILE and len(path.parts) <= 2 and not entry.is_dir()
    ]
    if len(found) != 1:
        raise SkillError(_("The zip must have one SKILL.md, at its top or in one folder."))
    if found[0].compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise SkillError(_("The zip can't be read."))
    return found[0]
