"""Every address with every kind of visitor. A new address that is not listed here fails."""

import re
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from django.db import connections
from django.http import HttpResponseBase, StreamingHttpResponse
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from projects.models import Installation, ModelEndpoint, User
from tests.projects.library_rows import ROLES, Rows

Statuses = tuple[int, int, int, int, int]
"""For anonymous, stranger, viewer, editor, owner."""

READERS: Statuses = (302, 404, 200, 200, 200)
ASKER: Statuses = (302, 404, 200, 404, 404)
EDITORS: Statuses = (302, 404, 403, 302, 302)
OWNERS: Statuses = (302, 404, 403, 403, 302)


@dataclass(frozen=True, slots=True)
class Address:
    """How to call a URL, and what each visitor gets.

    `names` are attributes of `Rows`, or after an equals sign what is meant.
    """

    statuses: Statuses
    names: tuple[str, ...] = ("project.slug",)
    method: str = "get"
    form: tuple[tuple[str, str], ...] = ()


FILE = ("project.slug", "version.public_id")
IMPORT = ("project.slug", "report.public_id")
PAPER = ("project.slug", "document.public_id")
PAGE = (*FILE, "page")
CONVERSATION = ("project.slug", "conversation.public_id")
RUN = ("project.slug", "run.public_id")
CITATION = ("project.slug", "citation.public_id")
MEMBER = ("project.slug", "viewer")

TABLE: dict[str, Address] = {
    "project_settings": Address((302, 404, 403, 403, 200)),
    "add_member": Address((302, 404, 403, 403, 422), method="post"),
    "change_member": Address(OWNERS, MEMBER, "post", (("role", "editor"),)),
    "remove_member": Address(OWNERS, MEMBER, "post"),
    "library": Address(READERS),
    "library_rows": Address(READERS),
    "upload": Address((302, 404, 403, 422, 422), method="post"),
    "retry_version": Address(EDITORS, FILE, "post"),
    "cancel_version": Address(EDITORS, FILE, "post"),
    "versions": Address(READERS, ("project.slug", "document.public_id")),
    "upload_version": Address(
        (302, 404, 403, 422, 422), ("project.slug", "document.public_id"), "post"
    ),
    "remove_version": Address(EDITORS, FILE, "post"),
    "remove_document": Address(EDITORS, ("project.slug", "document.public_id"), "post"),
    "import_library": Address((302, 404, 403, 200, 200)),
    "import_report": Address((302, 404, 403, 200, 200), IMPORT),
    "import_progress": Address((302, 404, 403, 200, 200), IMPORT),
    "cancel_import": Address(EDITORS, IMPORT, "post"),
    "settle_import": Address(EDITORS, IMPORT, "post"),
    "export_library": Address((302, 404, 200, 200, 200), ("project.slug", "=bib")),
    "export_paper": Address((302, 404, 200, 200, 200), (*PAPER, "=ris")),
    "paper": Address(READERS, PAPER),
    "edit_paper": Address((302, 404, 403, 422, 422), PAPER, "post"),
    "reset_paper_field": Address(EDITORS, (*PAPER, "=title"), "post"),
    "library_terms": Address(READERS),
    "add_library_term": Address((302, 404, 403, 422, 422), method="post"),
    "remove_library_term": Address((302, 404, 403, 404, 404), ("project.slug", "=1"), "post"),
    "search": Address(READERS),
    "missing_papers": Address(READERS),
    "open_passage": Address(READERS, FILE),
    "read": Address(READERS, FILE),
    "outline": Address(READERS, FILE),
    "original_file": Address(READERS, FILE),
    "page_image": Address(READERS, PAGE),
    "page_layer": Address(READERS, PAGE),
    "page_read": Address(READERS, PAGE),
    "find_page_read": Address((302, 404, 302, 302, 302), FILE),
    "open_citation": Address(ASKER, CITATION),
    "citation_card": Address(ASKER, CITATION),
    "citation_evidence": Address(ASKER, CITATION),
    "call_wrong": Address((302, 404, 302, 404, 404), CITATION, "post", (("wrong", "1"),)),
    "desk": Address(READERS),
    "ask": Address((302, 404, 422, 422, 422), method="post"),
    "share_conversation": Address((302, 404, 302, 404, 404), CONVERSATION, "post"),
    "unshare_conversation": Address((302, 404, 302, 404, 404), CONVERSATION, "post"),
    "shared_conversation": Address((302, 404, 404, 404, 404), CONVERSATION),
    "copy_answer": Address(ASKER, RUN),
    "tag_chosen": Address(EDITORS, method="post"),
    "tag_paper": Address(EDITORS, PAPER, "post"),
    "project_skills": Address((302, 404, 403, 403, 200)),
    "upload_project_skill": Address((302, 404, 403, 403, 422), method="post"),
    "switch_project_skill": Address(OWNERS, ("project.slug", "=review"), "post"),
    "remove_project_skill": Address((302, 404, 403, 403, 404), ("project.slug", "=review"), "post"),
    "choose_papers": Address(READERS),
    "conversations": Address(READERS),
    "go_to_turn": Address((302, 404, 302, 404, 404), RUN),
    "conversation": Address(ASKER, CONVERSATION),
    "export_conversation": Address(ASKER, (*CONVERSATION, "=docx")),
    "export_answer": Address(ASKER, (*RUN, "=md")),
    "ask_follow_up": Address((302, 404, 422, 404, 404), CONVERSATION, "post"),
    "rename_conversation": Address(
        (302, 404, 302, 404, 404), CONVERSATION, "post", (("title", "New"),)
    ),
    "delete_conversation": Address((302, 404, 302, 404, 404), CONVERSATION, "post"),
    "turn": Address(ASKER, RUN),
    "run_events": Address((404, 404, 200, 404, 404), RUN),
    "why_not": Address(ASKER, RUN),
    "stop_run": Address((302, 404, 302, 404, 404), RUN, "post"),
    "ask_beside": Address((302, 404, 422, 404, 404), RUN, "post"),
    "show_branch": Address((302, 404, 302, 404, 404), RUN, "post"),
    "retry_run": Address((302, 404, 302, 404, 404), RUN, "post"),
}
OPEN = {"healthz", "login", "logout", "set_language", "set_theme"}
ACCOUNT = {"home", "change_password", "create_project"}
ADMIN = {
    "administration",
    "create_person",
    "switch_person",
    "renew_password",
    "change_installation",
    "click_signals",
    "keyword_indexes",
    "check_keyword_index",
    "embedding_models",
    "pause_embedding",
    "chat_models",
    "set_chat_model",
    "remove_chat_model",
    "test_chat_model",
    "chat_model_check",
    "set_budget",
}
ABOUT_A_PERSON = {"switch_person", "renew_password"}
ABOUT_A_PROJECT = {"check_keyword_index"}
ABOUT_A_MODEL = {"remove_chat_model", "test_chat_model", "chat_model_check"}
READ_BY_ADMINS = {
    "administration",
    "click_signals",
    "embedding_models",
    "keyword_indexes",
    "chat_models",
    "chat_model_check",
}

STREAMS = {"run_events"}
"""Views that close the database connection before they stream."""


def cases(names: Iterable[str]) -> list[ParameterSet]:
    return [
        pytest.param(name, role, status, id=f"{name}-{role}")
        for name in names
        for role, status in zip(ROLES, TABLE[name].statuses, strict=True)
    ]


def test_every_address_is_in_the_table() -> None:
    assert set(_names(get_resolver())) == {*TABLE, *OPEN, *ACCOUNT, *ADMIN}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("name", "role", "status"), cases(sorted(STREAMS)))
def test_a_stream_is_for_its_asker_alone(
    name: str, role: str, status: int, rows: Rows, client: Client, redis: object
) -> None:
    sign_in(client, rows, role)
    url = reverse(name, args=[value_of(rows, each) for each in TABLE[name].names])
    response = in_another_thread(partial(client.get, url))
    assert response.status_code == status
    assert (response["Content-Type"] == "text/event-stream") is (status == 200)


@pytest.mark.parametrize(
    ("name", "role", "status"), cases(name for name in TABLE if name not in STREAMS)
)
def test_each_visitor_gets_what_the_table_says(
    name: str, role: str, status: int, rows: Rows, client: Client, redis: object
) -> None:
    address = TABLE[name]
    sign_in(client, rows, role)
    url = reverse(name, args=[value_of(rows, each) for each in address.names])
    response = getattr(client, address.method)(url, dict(address.form))
    read_to_the_end(response)
    assert response.status_code == status
    if role == "anonymous":
        assert response["Location"] == f"{reverse('login')}?next={url}"


@pytest.mark.parametrize("name", sorted(TABLE))
def test_a_foreign_project_looks_like_one_that_does_not_exist(
    name: str, rows: Rows, client: Client
) -> None:
    address = TABLE[name]
    sign_in(client, rows, "stranger")
    values = [value_of(rows, each) for each in address.names]
    call: Callable[..., object] = getattr(client, address.method)
    foreign = call(reverse(name, args=values))
    missing = call(reverse(name, args=["no-such-project", *values[1:]]))
    assert foreign.status_code == missing.status_code == 404  # type: ignore[attr-defined]
    assert foreign.content == missing.content  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", ["read", "page_read", "page_image", "page_layer", "original_file"])
def test_a_removed_paper_can_not_be_read_by_its_address(
    name: str, rows: Rows, client: Client
) -> None:
    from documents.removing import remove

    sign_in(client, rows, "owner")
    url = reverse(name, args=[value_of(rows, each) for each in TABLE[name].names])
    response = client.get(url)
    read_to_the_end(response)
    assert response.status_code == 200
    remove(rows.document)
    assert client.get(url).status_code == 404


def test_a_page_image_in_the_browser_is_asked_for_again_after_access_ends(
    rows: Rows, client: Client
) -> None:
    sign_in(client, rows, "viewer")
    url = reverse("page_image", args=(rows.project.slug, rows.version.public_id, 1))
    first = client.get(url)
    assert "no-cache" in first["Cache-Control"]
    again = client.get(url, headers={"If-None-Match": first["ETag"]})
    assert again.status_code == 304
    rows.project.memberships.filter(user=rows.people["viewer"]).delete()
    assert client.get(url, headers={"If-None-Match": first["ETag"]}).status_code == 404


@pytest.mark.parametrize("name", sorted(ACCOUNT))
def test_pages_of_an_account_want_an_account(name: str, client: Client, db: None) -> None:
    assert client.get(reverse(name))["Location"].startswith(reverse("login"))


@pytest.mark.parametrize("name", sorted(ADMIN))
def test_administration_is_hidden_from_others(name: str, rows: Rows, client: Client) -> None:
    method = client.get if name in READ_BY_ADMINS else client.post
    about = {
        **dict.fromkeys(ABOUT_A_PERSON, rows.people["viewer"].public_id),
        **dict.fromkeys(ABOUT_A_PROJECT, rows.project.slug),
        **dict.fromkeys(ABOUT_A_MODEL, ModelEndpoint.objects.create(model="lemon-1").pk),
    }
    url = reverse(name, args=[about[name]] if name in about else [])
    assert method(url).status_code == 302
    sign_in(client, rows, "owner")
    assert method(url).status_code == 404
    client.force_login(User.objects.create_user("boss", is_staff=True))
    assert method(url).status_code in (200, 302, 422)


def test_a_new_one_time_password_is_shown_once_and_replaces_the_old_one(
    rows: Rows, client: Client
) -> None:
    reader = Client()
    reader.force_login(rows.people["viewer"])
    client.force_login(User.objects.create_user("boss", is_staff=True))
    url = reverse("renew_password", args=[rows.people["viewer"].public_id])
    response = client.post(url)
    found = re.search(r"<code>(\w+)</code>", response.content.decode())
    assert found is not None
    assert response["Cache-Control"] == "no-store"
    person = User.objects.get(username="viewer")
    assert person.check_password(found[1])
    assert person.must_change_password
    assert reader.get(reverse("home"))["Location"].startswith(reverse("login"))
    assert found[1] not in client.get(reverse("administration")).content.decode()


def test_an_admin_changes_the_own_password_by_its_own_page(client: Client, db: None) -> None:
    boss = User.objects.create_user("boss", password="lantern", is_staff=True)
    client.force_login(boss)
    response = client.post(reverse("renew_password", args=[boss.public_id]))
    assert response["Location"] == reverse("change_password")
    boss.refresh_from_db()
    assert boss.check_password("lantern")


def test_creating_projects_can_be_kept_to_admins(rows: Rows, client: Client) -> None:
    sign_in(client, rows, "stranger")
    assert client.get(reverse("create_project")).status_code == 200
    installation = Installation.load()
    installation.anyone_may_create_projects = False
    installation.save()
    assert client.get(reverse("create_project")).status_code == 403
    client.force_login(User.objects.create_user("boss", is_staff=True))
    assert client.get(reverse("create_project")).status_code == 200


def test_a_one_time_password_opens_only_the_page_where_it_is_replaced(
    rows: Rows, client: Client
) -> None:
    person = rows.people["owner"]
    person.must_change_password = True
    person.save()
    sign_in(client, rows, "owner")
    library = reverse("library", args=(rows.project.slug,))
    assert client.get(library)["Location"] == reverse("change_password")
    words = "lantern-riverbed-42"
    changed = client.post(
        reverse("change_password"), {"new_password1": words, "new_password2": words}
    )
    assert changed["Location"] == reverse("home")
    assert client.get(library).status_code == 200


def read_to_the_end(response: HttpResponseBase) -> None:
    """So that the client closes the file and leaves the database alone."""
    if isinstance(response, StreamingHttpResponse):
        for _ in response:
            pass


def in_another_thread(call: Callable[[], Any]) -> Any:
    """Call an asynchronous view: a browser in this process keeps an event loop in this thread."""

    def called() -> Any:
        try:
            return call()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as executor:
        return executor.submit(called).result()


def sign_in(client: Client, rows: Rows, role: str) -> None:
    if role != "anonymous":
        client.force_login(rows.people[role])


def value_of(rows: Rows, path: str) -> str | int:
    if path == "page":
        return 1
    if path.startswith("="):
        return path[1:]
    if path == "viewer":
        return rows.people["viewer"].public_id
    first, second = path.split(".")
    return str(getattr(getattr(rows, first), second))


def _names(resolver: URLResolver) -> Iterator[str]:
    for pattern in resolver.url_patterns:
        if isinstance(pattern, URLPattern):
            assert pattern.name, f"{pattern.pattern} has no name"
            yield pattern.name
        else:
            yield from _names(pattern)
