"""Addresses with anything behind the question mark: a plain answer, never an error of ours."""

from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import reverse

from chat.streaming import valid_id
from projects.models import User
from tests.projects.library_rows import Rows
from tests.projects.test_access import (
    ACCOUNT,
    ADMIN,
    OPEN,
    TABLE,
    in_another_thread,
    read_to_the_end,
    sign_in,
    value_of,
)

if TYPE_CHECKING:
    from redis import Redis

PARAMETERS = ("page", "width", "number", "citation", "q", "after", "next", "language", "v")
READ_BY = {
    "library": ("page", "q"),
    "library_rows": ("page",),
    "read": ("page",),
    "why_not": ("q", "fate", "page"),
    "missing_papers": ("page", "q", "name"),
    "search": ("page", "q", "since", "title", "paper", "language", "part"),
    "open_passage": ("at", "of", "q"),
    "open_citation": ("page",),
    "login": ("next",),
}
"""Where one parameter may decide before another is looked at."""
VALUES = (
    "",
    "0",
    "-1",
    "1.5",
    "9" * 5000,
    "0" * 4999 + "1",
    "4294967296",
    "999999999999999999999",
    "²",
    "٣",
    "1\x00",
    "\x00",
    "a/b",
    "../../etc/passwd",
    "%2e%2e%2f",
    "' OR 1=1 --",
    "<script>alert(1)</script>",
    "\ud7ff\U0010ffff",
    "[x",
    "http://[",
    "/sign-in/",
    "/sign-in/?next=/sign-in/",
    "99999999999999999999-1",
    "٣-٣",
    "x" * 3000,
)
RAW = (
    "%",
    "%ff%fe",
    "page=%ff",
    "q=%00%ff",
    "citation=%0d%0aSet-Cookie:a=b",
    "&&&=&",
    "page",
    "=1",
)
READ = {name for name, address in TABLE.items() if address.method == "get"}
PLAIN = {"healthz", "login", "home", "change_password", "create_project", "administration"}
PATHS = (
    "{0}",
    "static/{0}",
    "p/{0}/library/",
    "p/lemons/files/{0}/",
    "p/lemons/files/{0}/pages/1/",
    "p/lemons/files/{file}/pages/{0}/",
    "p/lemons/citations/{0}/card/",
    "p/lemons/runs/{0}/",
    "p/lemons/conversations/{0}/",
)
OWNED = {"project_settings", "import_library", "import_report", "import_progress", "project_skills"}
"""Pages that a viewer may not see."""
FINE = {200, 302, 304, 404, 422}


def queries(url_name: str) -> list[str]:
    """Every value in all parameters at once, and alone in those that the page reads."""
    together = [urlencode(dict.fromkeys(PARAMETERS, value)) for value in VALUES]
    alone = [urlencode({name: value}) for name in READ_BY.get(url_name, ()) for value in VALUES]
    return [*together, *alone, *RAW]


def address(rows: Rows, name: str) -> str:
    names = TABLE[name].names if name in TABLE else ()
    return reverse(name, args=[value_of(rows, each) for each in names])


def test_every_address_that_may_be_read_is_swept() -> None:
    posted = {name for name in TABLE if name not in READ}
    posted |= {"logout", "set_language", "set_theme"} | (ADMIN - {"administration"})
    assert READ | PLAIN | posted == {*TABLE, *OPEN, *ACCOUNT, *ADMIN}


@pytest.mark.parametrize("name", sorted((READ | PLAIN) - {"run_events"}))
def test_no_query_breaks_a_page(name: str, rows: Rows, client: Client, redis: object) -> None:
    User.objects.filter(pk=rows.people["viewer"].pk).update(is_staff=True)
    sign_in(client, rows, "owner" if name in OWNED else "viewer")
    client.raise_request_exception = False
    url = address(rows, name)
    for query in queries(name):
        response = client.get(f"{url}?{query}")
        read_to_the_end(response)
        assert response.status_code in FINE, (query[:80], response.status_code)
        assert "Set-Cookie: a=b" not in str(response.headers)


@pytest.mark.django_db(transaction=True)
def test_no_query_and_no_event_id_breaks_a_stream(
    rows: Rows, client: Client, redis: "Redis"
) -> None:
    sign_in(client, rows, "viewer")
    url = address(rows, "run_events")
    for value in VALUES:
        response = in_another_thread(partial(client.get, f"{url}?{urlencode({'after': value})}"))
        assert response.status_code == 200
        assert redis.xread({"nothing": valid_id(value)}) in ([], {}), "Redis takes any id"


@pytest.mark.parametrize("number", ["0", "2", "9" * 20, "9" * 5000])
@pytest.mark.parametrize("name", ["page_image", "page_layer"])
def test_a_page_that_a_file_has_not_is_missing(
    name: str, number: str, rows: Rows, client: Client
) -> None:
    sign_in(client, rows, "viewer")
    first = address(rows, name)
    assert client.get(first.replace("/pages/1/", f"/pages/{number}/")).status_code == 404


def test_a_citation_that_can_not_be_an_address_is_missing(rows: Rows, client: Client) -> None:
    sign_in(client, rows, "viewer")
    url = address(rows, "read")
    assert client.get(f"{url}?citation=a/b").status_code == 404
    good = client.get(f"{url}?citation={rows.citation.public_id}")
    assert good["Location"] == address(rows, "open_citation")


def test_a_wide_wish_gets_the_widest_image_and_a_strange_one_the_usual(
    rows: Rows, client: Client
) -> None:
    sign_in(client, rows, "viewer")
    url = address(rows, "page_image")

    def tag(width: str) -> str:
        return client.get(url, {"width": width})["ETag"]

    assert tag("9" * 5000) == tag("2200") != tag("240")
    assert tag("wide") == tag("1000")


def test_signing_in_never_leads_back_to_signing_in(rows: Rows, client: Client) -> None:
    sign_in(client, rows, "viewer")
    door = reverse("login")
    assert client.get(f"{door}?next={door}")["Location"] == reverse("home")
    library = address(rows, "library")
    assert client.get(f"{door}?next={library}")["Location"] == library


@pytest.mark.parametrize("part", ["x" * 5000, "%00", "%ff", "a%2Fb", "..%2f..", "²"])
def test_no_part_of_a_path_breaks_a_page(
    part: str, rows: Rows, client: Client, redis: object
) -> None:
    sign_in(client, rows, "viewer")
    client.raise_request_exception = False
    for pattern in PATHS:
        path = "/" + pattern.format(part, file=rows.version.public_id)
        assert client.get(path).status_code in {301, 404}, pattern
