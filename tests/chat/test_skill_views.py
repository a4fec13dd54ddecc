"""Owners switch skills of a project and bring their own; what is off or foreign can't be chosen."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from chat.models import Run
from chat.skill_choices import skill_choices
from projects.models import Membership, Project, User
from tests.chat.libraries import Library

HAIKU = """---
name: haiku
description: Answers in three lines.
metadata:
  title: Haiku <b>
  title-zh: 俳句
---
Write three lines, each with its citation.
"""


def url(name: str, *args: str) -> str:
    return reverse(name, args=("library", *args))


@pytest.fixture
def owner(library: Library) -> Client:
    user = User.objects.create(username="owner")
    Membership.objects.create(project=library.project, user=user, role=Membership.Role.OWNER)
    client = Client()
    client.force_login(user)
    return client


def upload(client: Client, content: bytes, name: str = "SKILL.md") -> tuple[int, str]:
    response = client.post(
        url("upload_project_skill"), {"skill": SimpleUploadedFile(name, content)}
    )
    return response.status_code, response.content.decode()


def offered(project: Project) -> set[str]:
    return {choice.name for choice in skill_choices(project, follow_up=True)}


def test_a_skill_of_their_own_is_chosen_switched_off_and_removed(
    library: Library, owner: Client
) -> None:
    elsewhere = Project.objects.create(
        slug="elsewhere", name="Elsewhere", created_by=library.reader
    )
    assert upload(owner, HAIKU.encode())[0] == 302
    assert "Haiku &lt;b&gt;" in owner.get(url("project_skills")).content.decode()
    assert "haiku" in offered(library.project)
    assert "haiku" not in offered(elsewhere)
    reader = Client()
    reader.force_login(library.reader)
    assert reader.post(url("ask"), {"question": "Why?", "skill": "haiku"}).status_code == 302
    assert Run.objects.get().skill == "haiku"
    owner.post(url("switch_project_skill", "haiku"))
    assert "haiku" not in offered(library.project)
    assert reader.post(url("ask"), {"question": "Why?", "skill": "haiku"}).status_code == 422
    owner.post(url("switch_project_skill", "haiku"), {"on": "1"})
    assert "haiku" in offered(library.project)
    owner.post(url("remove_project_skill", "haiku"))
    assert "haiku" not in offered(library.project)
    assert owner.post(url("remove_project_skill", "haiku")).status_code == 404


def test_those_that_come_with_lito_are_switched_but_for_the_plain_one(
    library: Library, owner: Client
) -> None:
    owner.post(url("switch_project_skill", "review"))
    assert "review" not in offered(library.project)
    assert owner.post(url("switch_project_skill", "question")).status_code == 404
    assert "question" in offered(library.project)
    assert owner.post(url("switch_project_skill", "nonsense")).status_code == 404


@pytest.mark.parametrize(
    ("content", "word"),
    [
        (b"", "front matter"),
        (b"\xff\xfe", "UTF-8"),
        (b"PK\x03\x04 no zip", "zip"),
        (HAIKU.replace("haiku", "review").encode(), "comes with Lito"),
        (HAIKU.encode() + b"x" * 30_000, "too long"),
    ],
)
def test_what_is_no_skill_is_refused_in_words(
    library: Library, owner: Client, content: bytes, word: str
) -> None:
    status, page = upload(owner, content)
    assert status == 422
    assert word in page.partition('role="alert"')[2]
