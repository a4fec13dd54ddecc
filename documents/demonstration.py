"""The demo project: a few papers whose licence lets them come with Lito (`demo/LICENSES.md`)."""

import hashlib
import json
from pathlib import Path

from django.db import transaction
from django.utils.translation import get_language

from documents.models import Version
from documents.uploads import add_file
from projects.models import Membership, Project, User

FOLDER = Path(__file__).parent / "demo"
SLUG = "demo"
NAME = "Demo"


def create_demo(owner: User) -> tuple[Project, int]:
    """The demo project and how many papers were added now. What is there, or was removed, stays so.

    The papers are read by the workers.
    """
    with transaction.atomic():
        project, _made = Project.objects.get_or_create(
            slug=SLUG, defaults={"name": NAME, "created_by": owner}
        )
        Membership.objects.get_or_create(
            project=project, user=owner, defaults={"role": Membership.Role.OWNER}
        )
    missing = [path for path in sorted(FOLDER.glob("*.pdf")) if not _has(project, path)]
    for path in missing:
        add_file(project, path_or_upload=path, file_name=path.name, user=owner)
    return project, len(missing)


def suggested_questions(project: Project) -> list[str]:
    """Questions that the demo's papers answer, the reader's language first; elsewhere none."""
    if project.slug != SLUG:
        return []
    questions: dict[str, str] = json.loads((FOLDER / "questions.json").read_text("utf-8"))
    language = get_language() or "en"
    return sorted(questions.values(), key=lambda question: question != questions.get(language))


def _has(project: Project, path: Path) -> bool:
    sha256 = hashlib.sha256(path.read_bytes()).hexdigest()
    return Version.objects.filter(project=project, sha256=sha256).exists()
