from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pytest_django import Settings

from tests.documents.pdf_making import make_pdf

if TYPE_CHECKING:
    from projects.models import Project, User


@pytest.fixture
def user(db: None) -> "User":
    from projects.models import User

    return User.objects.create_user("ada", password="right horse")


@pytest.fixture
def project(user: "User") -> "Project":
    return _new_project("papers", user)


@pytest.fixture
def other_project(user: "User") -> "Project":
    return _new_project("other", user)


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    """Three pages of text."""
    return make_pdf(tmp_path / "growth.pdf")


@pytest.fixture(autouse=True)
def own_files(tmp_path: Path, settings: Settings) -> Path:
    """Files of one test are seen by no other."""
    settings.LITO_FILES = tmp_path / "files"
    return tmp_path / "files"


def _new_project(slug: str, owner: "User") -> "Project":
    from projects.models import Membership, Project

    project = Project.objects.create(slug=slug, name=slug.title(), created_by=owner)
    Membership.objects.create(project=project, user=owner, role=Membership.Role.OWNER)
    return project
