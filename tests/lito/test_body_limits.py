"""Bodies too large, against a real uvicorn: refused before they are sent, let alone kept."""

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import uvicorn
from django.test import Client
from pytest_django import Settings

from tests.live import free_port

if TYPE_CHECKING:
    from projects.models import Project

MB = 1024 * 1024
MOST = 4 * MB
UPLOAD = "/p/papers/library/upload/"
ENDLESS = 10_000 * MB

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]


@pytest.fixture(autouse=True)
def _limits(settings: Settings, tmp_path: Path) -> None:
    settings.LITO_MAX_UPLOAD_BYTES = MOST
    settings.LITO_FILES = tmp_path / "files"


@pytest.fixture
def project() -> "Project":
    from projects.models import Project, User

    project = Project.objects.create(
        slug="papers", name="Papers", created_by=User.objects.create_user("owner")
    )
    for role in ("viewer", "editor"):
        project.memberships.create(user=User.objects.create_user(role), role=role)
    User.objects.create_user("stranger")
    return project


@pytest.fixture
def port() -> Iterator[int]:
    """A real server of this very process, on the test's database."""
    from lito.asgi import application

    port = free_port()
    config = uvicorn.Config(application, port=port, log_config=None, lifespan="off", loop="asyncio")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    deadline = time.monotonic() + 30
    while not server.started:
        assert time.monotonic() < deadline, "uvicorn does not start"
        time.sleep(0.02)
    yield port
    server.should_exit = True
    thread.join(30)


def cookies(name: str) -> dict[str, str]:
    """Headers of a signed-in person, whose form would be taken."""
    from projects.models import User

    if name == "anonymous":
        return {}
    client = Client(enforce_csrf_checks=True)
    client.force_login(User.objects.get(username=name))
    client.get("/p/papers/library/")
    client.get("/password/")
    sent = "; ".join(f"{key}={morsel.value}" for key, morsel in client.cookies.items())
    token = client.cookies["csrftoken"].value
    return {"Cookie": sent, "X-CSRFToken": token}


@contextmanager
def connected(port: int) -> Iterator[http.client.HTTPConnection]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    yield connection
    connection.close()


def declared(port: int, path: str, size: int, headers: dict[str, str]) -> http.client.HTTPResponse:
    """The answer to a request that says how much it brings and sends nothing of it."""
    with connected(port) as connection:
        connection.putrequest("POST", path)
        for name, value in {**headers, "Content-Length": str(size)}.items():
            connection.putheader(name, value)
        connection.endheaders()
        response = connection.getresponse()
        response.read_text = response.read().decode()  # type: ignore[attr-defined]
        return response


@pytest.mark.parametrize(
    ("who", "status"), [("anonymous", 302), ("stranger", 403), ("viewer", 403), ("editor", 413)]
)
def test_a_huge_file_is_refused_before_any_of_it_is_sent(
    who: str, status: int, port: int, project: "Project"
) -> None:
    response = declared(port, UPLOAD, ENDLESS, cookies(who))
    assert response.status == status
    if who == "anonymous":
        assert response.headers["Location"] == "/sign-in/?next=/p/papers/library/"
    assert response.headers["X-Content-Type-Options"] == "nosniff"


def test_what_an_editor_may_send_nobody_else_may(port: int, project: "Project") -> None:
    for who in ("anonymous", "stranger", "viewer"):
        assert declared(port, UPLOAD, MOST, cookies(who)).status in (302, 403)


def test_a_project_that_does_not_exist_is_refused_like_a_foreign_one(
    port: int, project: "Project"
) -> None:
    headers = cookies("stranger")
    foreign = declared(port, UPLOAD, ENDLESS, headers)
    missing = declared(port, UPLOAD.replace("papers", "nothing"), ENDLESS, headers)
    assert foreign.status == missing.status == 403
    assert foreign.read_text == missing.read_text  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", ["/sign-in/", "/p/papers/ask/", "/nowhere/", "/healthz"])
def test_every_other_address_takes_a_form_and_no_more(
    path: str, port: int, project: "Project"
) -> None:
    assert declared(port, path, ENDLESS, cookies("editor")).status == 413
    assert declared(port, path, ENDLESS, {}).status == 413


def test_the_sentence_says_what_to_do_in_the_person_s_language(
    port: int, project: "Project"
) -> None:
    headers = cookies("editor")
    page = declared(port, UPLOAD, ENDLESS, headers)
    assert "This file is larger than 4 MB." in page.read_text  # type: ignore[attr-defined]
    assert "default-src" in page.headers["Content-Security-Policy"]
    words = declared(port, UPLOAD, ENDLESS, {**headers, "X-Requested-With": "lito"})
    assert words.headers["Content-Type"].startswith("text/plain")
    assert words.read_text.startswith("This file is larger than 4 MB.")  # type: ignore[attr-defined]
    chinese = declared(
        port, UPLOAD, ENDLESS, {**headers, "X-Requested-With": "lito", "Accept-Language": "zh-CN"}
    )
    assert "4 MB" in chinese.read_text  # type: ignore[attr-defined]
    assert "larger" not in chinese.read_text  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("who", "status", "most"), [("anonymous", 302, 3 * MB), ("editor", 413, MOST + MB)]
)
def test_a_body_without_a_declared_length_is_cut_off_when_it_has_become_too_long(
    who: str, status: int, most: int, port: int, project: "Project"
) -> None:
    with connected(port) as connection:
        connection.putrequest("POST", UPLOAD)
        for name, value in {**cookies(who), "Transfer-Encoding": "chunked"}.items():
            connection.putheader(name, value)
        connection.endheaders()
        block = b"%x\r\n%s\r\n" % (64 * 1024, b"x" * 64 * 1024)
        sent = 0
        while not _has_answered(connection.sock):
            assert sent < most + 16 * MB, "nobody stops this"  # what sockets and server hold
            connection.send(block)
            sent += 64 * 1024
            time.sleep(0.001)
        assert connection.getresponse().status == status


def test_a_file_of_the_right_size_is_taken(port: int, project: "Project", tmp_path: Path) -> None:
    from documents.models import Version
    from tests.documents.pdf_making import make_pdf

    body, kind = multipart("lemons.pdf", padded(make_pdf(tmp_path / "a.pdf"), MOST))
    with connected(port) as connection:
        connection.request("POST", UPLOAD, body, {**cookies("editor"), "Content-Type": kind})
        response = connection.getresponse()
        assert response.status == 302, response.read()[-500:]
    assert Version.objects.get().size == MOST


def test_a_file_a_little_too_large_is_refused_by_name(
    port: int, project: "Project", tmp_path: Path
) -> None:
    from tests.documents.pdf_making import make_pdf

    body, kind = multipart("lemons.pdf", padded(make_pdf(tmp_path / "a.pdf"), MOST + 1))
    with connected(port) as connection:
        connection.request("POST", UPLOAD, body, {**cookies("editor"), "Content-Type": kind})
        response = connection.getresponse()
        assert response.status == 422
        text = response.read().decode()
    assert "lemons.pdf" in text
    assert "larger than 4 MB" in text


def test_requests_after_a_refused_one_are_answered(port: int, project: "Project") -> None:
    assert declared(port, UPLOAD, ENDLESS, cookies("editor")).status == 413
    with connected(port) as connection:
        connection.request("GET", "/healthz")
        assert json.loads(connection.getresponse().read())["database"] is True


def multipart(name: str, content: bytes) -> tuple[bytes, str]:
    head = f'--b\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n'
    head += "Content-Type: application/pdf\r\n\r\n"
    return head.encode() + content + b"\r\n--b--\r\n", "multipart/form-data; boundary=b"


def padded(path: Path, size: int) -> bytes:
    """The PDF with a comment in front of its end, so that it has exactly `size` bytes."""
    content = path.read_bytes()
    return content + b"\n%" + b"x" * (size - len(content) - 2)


def _has_answered(sock: socket.socket) -> bool:
    sock.setblocking(False)
    try:
        return bool(sock.recv(1, socket.MSG_PEEK))
    except BlockingIOError:
        return False
    finally:
        sock.setblocking(True)
