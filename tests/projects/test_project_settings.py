"""What an owner can switch for a project."""

import pytest
from django.test import Client

from projects.models import Membership, Project, User


@pytest.mark.django_db
def test_an_owner_switches_ocr_off_and_on_again(client: Client) -> None:
    owner = User.objects.create_user("ada", password="right horse")
    project = Project.objects.create(slug="papers", name="Papers", created_by=owner)
    Membership.objects.create(project=project, user=owner, role=Membership.Role.OWNER)
    client.force_login(owner)
    page = client.get("/p/papers/settings/").content.decode()
    assert 'name="ocr"' in page
    sendings: tuple[tuple[dict[str, str], bool], ...] = (({}, False), ({"ocr": "on"}, True))
    for sent, wanted in sendings:
        answer = client.post("/p/papers/settings/", {"name": "Papers", **sent})
        assert answer.status_code == 302
        project.refresh_from_db()
        assert project.ocr is wanted


@pytest.mark.django_db
def test_a_new_project_reads_scans(client: Client) -> None:
    client.force_login(User.objects.create_user("ada", password="right horse"))
    client.post("/new-project/", {"name": "Lemons", "description": ""})
    assert Project.objects.get(name="Lemons").ocr
