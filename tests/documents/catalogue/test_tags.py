"""Tags: written by editors, read by all, and a way to choose papers."""

import pytest
from django.test import Client
from django.urls import reverse

from chat.scoping import paper_choices
from documents.catalogue.tags import MOST_TAGS, add_tag, set_tags, tag_counts, tags_in
from documents.library import library_page
from documents.models import Document
from projects.models import Membership, Project, User
from tests.retrieval.papers import add_paper, new_project

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    made = new_project()
    for title in ("Lemons", "Reputation", "蓝莓"):
        add_paper(made, title, [("text", "A", "Words.")], embedded=False)
    return made


def paper(title: str) -> Document:
    return Document.objects.get(title=title)


def member(project: Project, role: str) -> Client:
    user, _ = User.objects.get_or_create(username=role)
    Membership.objects.create(project=project, user=user, role=role)
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("", []),
        (" , ,\n", []),
        ("a\0b, c\u202ed", ["a b", "c d"]),
        ("x" * 60, ["x" * 40]),
        (",".join(map(str, range(99))), [str(n) for n in range(MOST_TAGS)]),
    ],
)
def test_odd_lists_of_tags_are_read_calmly(text: str, tags: list[str]) -> None:
    assert tags_in(text) == tags


def test_a_tag_is_written_as_its_project_writes_it_already(project: Project) -> None:
    set_tags(paper("Lemons"), "Trade, 综述")
    set_tags(paper("Reputation"), "trade")
    assert tag_counts(project) == {"Trade": 2, "综述": 1}
    set_tags(paper("Reputation"), "")
    assert tag_counts(project) == {"Trade": 1, "综述": 1}


def test_many_papers_are_tagged_at_once_and_only_those_of_the_project(project: Project) -> None:
    elsewhere = new_project("elsewhere")
    add_paper(elsewhere, "Not ours", [("text", "A", "Words.")], embedded=False)
    ids = list(Document.objects.values_list("public_id", flat=True))
    assert add_tag(project, ids, "seen") == 3
    assert add_tag(project, ids, "Seen") == 0
    assert paper("Not ours").tags == []
    full = paper("Lemons")
    set_tags(full, ",".join(f"tag {n}" for n in range(MOST_TAGS)))
    assert add_tag(project, [full.public_id], "one more") == 0


def test_the_library_and_the_choice_of_papers_find_tags(project: Project) -> None:
    set_tags(paper("Lemons"), "market")
    set_tags(paper("蓝莓"), "market, 水果")
    assert [row.document.title for row in library_page(project, query="水果").rows] == ["蓝莓"]
    choices = paper_choices(project, [], query="market")
    assert {row.title for row in choices.rows} == {"Lemons", "蓝莓"}
    assert [(tag.name, tag.count) for tag in choices.tags] == [("market", 2), ("水果", 1)]
    assert choices.tags[1].papers == paper("蓝莓").public_id


def test_editors_tag_papers_and_viewers_read_the_tags(project: Project) -> None:
    editor, viewer = member(project, "editor"), member(project, "viewer")
    lemons = paper("Lemons")
    page = reverse("paper", args=("library", lemons.public_id))
    editor.post(reverse("tag_paper", args=("library", lemons.public_id)), {"tags": "<b>, trade"})
    assert "&lt;b&gt;, trade" in viewer.get(page).content.decode()
    assert "&lt;b&gt;" in viewer.get(reverse("library", args=("library",))).content.decode()
    tagging = reverse("tag_chosen", args=("library",))
    chosen = {"scope": paper("Reputation").public_id, "tag": "Trade"}
    listed = editor.post(tagging, chosen, headers={"HX-Request": "true"}).content.decode()
    assert "#trade" in listed
    assert tag_counts(project)["trade"] == 2
    assert viewer.post(tagging, chosen).status_code == 403
    picker = reverse("choose_papers", args=("library",))
    assert "scope-new-tag" in editor.post(picker, headers={"HX-Request": "true"}).content.decode()
    assert (
        "scope-new-tag" not in viewer.post(picker, headers={"HX-Request": "true"}).content.decode()
    )
