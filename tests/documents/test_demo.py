import json

import pytest
from django.core.management import CommandError, call_command
from django.utils import translation

from documents.demonstration import FOLDER, SLUG, create_demo, suggested_questions
from documents.models import Document, Version
from documents.removing import remove
from projects.models import Membership, Project, User


@pytest.fixture
def admin(db: None) -> User:
    return User.objects.create_superuser("admin", password="right horse")


def test_the_demo_belongs_to_the_admin_and_is_made_once(admin: User) -> None:
    call_command("createdemo")
    call_command("createdemo")
    project = Project.objects.get(slug=SLUG)
    assert project.role_of(admin) == Membership.Role.OWNER
    papers = len(list(FOLDER.glob("*.pdf")))
    assert Version.objects.filter(project=project, state=Version.State.QUEUED).count() == papers
    assert papers >= 3


def test_a_paper_that_somebody_removed_from_the_demo_stays_removed(admin: User) -> None:
    project, added = create_demo(admin)
    first = Document.objects.order_by("pk").first()
    assert first is not None
    remove(first)
    assert create_demo(admin) == (project, 0)
    assert Document.objects.live().count() == added - 1


@pytest.mark.django_db
def test_without_an_admin_the_command_says_what_to_do() -> None:
    with pytest.raises(CommandError, match="createsuperuser"):
        call_command("createdemo")


def test_every_paper_has_its_licence_written_down() -> None:
    licences = (FOLDER / "LICENSES.md").read_text("utf-8")
    assert all(f"`{path.name}`" in licences for path in FOLDER.glob("*.pdf"))


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_the_reader_s_language_is_suggested_first(language: str, admin: User) -> None:
    project, _added = create_demo(admin)
    questions = json.loads((FOLDER / "questions.json").read_text("utf-8"))
    with translation.override(language):
        suggested = suggested_questions(project)
    assert suggested[0] == questions[language]
    assert sorted(suggested) == sorted(questions.values())


def test_other_projects_get_no_suggestions(project: Project) -> None:
    assert suggested_questions(project) == []
