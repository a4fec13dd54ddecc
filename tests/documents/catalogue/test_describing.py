"""Fields of a paper with their sources: what wins, what is kept, what a person may change."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from documents.catalogue.bibliography import DOI_RECORD, IMPORT, describe_document, say
from documents.catalogue.describing import described_fields, edit, field_labels, reset
from documents.models import Document, ParsedFile, Version
from projects.models import Membership, Project, User
from tests.projects.library_rows import new_version

READ = {
    "title": {"value": "On dikes", "from": "first_page"},
    "authors": {"value": ["Ada Berg", "Carl Moss"], "from": "first_page"},
    "doi": {"value": "10.1000/dikes", "from": "first_page"},
}


@pytest.fixture
def version(project: Project, pdf: Path) -> Version:
    made = new_version(project, pdf, title="growth", text="On dikes")
    ParsedFile.objects.filter(versions=made).update(metadata=READ)
    made.refresh_from_db()
    _read_again(made)
    return made


@pytest.fixture
def document(version: Version) -> Document:
    return Document.objects.get(pk=version.document_id)


def test_a_value_entered_by_hand_outlives_reading_anew(
    version: Version, document: Document
) -> None:
    edit(document, {"title": "On high dikes", "year": 1999})
    _read_again(version)
    document.refresh_from_db()
    assert (document.title, document.year) == ("On high dikes", 1999)
    assert document.provenance["title"] == "user"
    assert document.authors == ["Ada Berg", "Carl Moss"]


def test_taking_a_value_back_shows_what_was_read(document: Document) -> None:
    edit(document, {"title": "On high dikes"})
    reset(document, "title")
    assert (document.title, document.provenance["title"]) == ("On dikes", "first_page")


def test_a_field_may_be_left_empty_by_hand(version: Version, document: Document) -> None:
    edit(document, {"doi": ""})
    _read_again(version)
    document.refresh_from_db()
    assert document.doi == ""
    assert document.provenance["doi"] == "user"


@pytest.mark.parametrize(
    ("sources", "title"),
    [
        ([], "On dikes"),
        ([IMPORT], "from import"),
        ([IMPORT, DOI_RECORD], "from doi_record"),
        ([DOI_RECORD, IMPORT], "from doi_record"),
        ([IMPORT, "user", DOI_RECORD], "from user"),
    ],
)
def test_a_person_beats_a_doi_beats_an_import_beats_the_file(
    document: Document, sources: list[str], title: str
) -> None:
    for source in sources:
        say(document, source, {"title": f"from {source}"})
    document.refresh_from_db()
    assert document.title == title


def test_what_the_other_sources_say_is_shown_beside(document: Document) -> None:
    edit(document, {"title": "On high dikes"})
    shown = {field.name: field for field in described_fields(document)}
    assert shown["title"].is_by_hand
    assert [other.value for other in shown["title"].others] == ["On dikes"]
    assert shown["venue"].source == ""


def test_every_field_has_a_label() -> None:
    assert list(field_labels()) == [
        "title", "authors", "year", "venue", "doi", "arxiv_id", "language",
    ]  # fmt: skip


def test_saving_the_form_changes_only_what_was_edited(
    client: Client, user: User, document: Document
) -> None:
    client.force_login(user)
    page = client.get(_url("paper", document)).content.decode()
    assert "read on the first page" in page
    typed = _typed(document) | {"year": "2001", "authors": "Ada Berg\r\nCarl Moss"}
    assert client.post(_url("edit_paper", document), typed).status_code == 302
    document.refresh_from_db()
    assert document.said["user"] == {"year": 2001}


def test_an_old_page_does_not_undo_what_another_person_changed(
    client: Client, user: User, document: Document
) -> None:
    client.force_login(user)
    old_page = _typed(document)
    edit(document, {"venue": "Journal of Dikes"})
    client.post(_url("edit_paper", document), old_page | {"year": "2001"})
    document.refresh_from_db()
    assert (document.venue, document.year) == ("Journal of Dikes", 2001)


@pytest.mark.parametrize(
    ("field", "typed", "sentence"),
    [
        ("title", "  ", "has to have a title"),
        ("title", "x" * 501, "at most 500"),
        ("year", "MMXX", "four digits"),
        ("year", "20201", "four digits"),
        ("year", "２０２０", "four digits"),
        ("year", "0999", "from 1000"),
        ("doi", "see page 1", "10.1000/xyz123"),
        ("arxiv_id", "12", "2301.01234"),
        ("language", "English!", "two letters"),
        ("authors", "x" * 201, "One name in each line"),
        ("venue", "a\0b", "Null characters"),
    ],
)
def test_a_wrong_value_is_refused_with_a_reason_and_nothing_is_saved(
    client: Client, user: User, document: Document, field: str, typed: str, sentence: str
) -> None:
    client.force_login(user)
    values = _typed(document) | {"venue": "Journal of Dikes"} | {field: typed}
    response = client.post(_url("edit_paper", document), values)
    assert response.status_code == 422
    assert sentence.lower() in response.content.decode().lower()
    document.refresh_from_db()
    assert (document.title, document.venue, document.said) == ("On dikes", "", {})


@pytest.mark.parametrize(
    ("field", "typed", "stored"),
    [
        ("doi", "https://doi.org/10.1000/ABC", "10.1000/abc"),
        ("doi", "doi: 10.1000/abc", "10.1000/abc"),
        ("arxiv_id", "https://arxiv.org/abs/2301.01234v2", "2301.01234v2"),
        ("arxiv_id", "https://arxiv.org/pdf/2301.01234.pdf", "2301.01234"),
        ("language", "EN", "en"),
        ("title", "On\nhigh  dikes", "On high dikes"),
        ("authors", " Ada Berg \n\n李四", ["Ada Berg", "李四"]),
    ],
)
def test_values_are_brought_into_one_form(
    client: Client, user: User, document: Document, field: str, typed: str, stored: Any
) -> None:
    client.force_login(user)
    client.post(_url("edit_paper", document), _typed(document) | {field: typed})
    document.refresh_from_db()
    assert getattr(document, field) == stored


def test_a_viewer_sees_the_fields_and_no_form(client: Client, document: Document) -> None:
    viewer = User.objects.create_user("viewer")
    document.project.memberships.create(user=viewer, role=Membership.Role.VIEWER)
    client.force_login(viewer)
    page = client.get(_url("paper", document)).content.decode()
    assert "On dikes" in page
    assert "edit/" not in page
    assert client.post(_url("edit_paper", document), _typed(document)).status_code == 403


def test_titles_are_shown_as_text(client: Client, user: User, document: Document) -> None:
    edit(document, {"title": "<img src=x onerror=alert(1)>"})
    client.force_login(user)
    page = client.get(_url("paper", document)).content.decode()
    assert "<img src=x" not in page
    assert "&lt;img src=x" in page


def _typed(document: Document) -> dict[str, str]:
    """What a browser sends of the page as it is now."""
    shown = {
        "title": document.title,
        "authors": "\r\n".join(document.authors),
        "year": str(document.year or ""),
        "venue": document.venue,
        "doi": document.doi,
        "arxiv_id": document.arxiv_id,
        "language": document.language,
    }
    return shown | {f"initial-{name}": value for name, value in shown.items()}


def _url(name: str, document: Document) -> str:
    return reverse(name, args=(document.project.slug, document.public_id))


def _read_again(version: Version) -> None:
    assert version.parsed is not None
    describe_document(version, version.parsed)
