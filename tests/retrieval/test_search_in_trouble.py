"""Searches while the embedding service dies, with very long needs, and very many at once."""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from documents.vectors import embedding
from projects.models import Project
from retrieval.evidence import SearchResult
from retrieval.scope import project_scope
from retrieval.search import search
from tests.retrieval.papers import add_paper, new_project
from tests.waiting import until

pytestmark = pytest.mark.django_db
ICE = [
    ("text", "", "Sea ice has declined since records began."),
    ("text", "", "Bears travel over thinner floes."),
]


@pytest.fixture(autouse=True)
def embedders_anew() -> Iterator[None]:
    forget()
    yield
    forget()


def forget() -> None:
    embedding.forget_embedders()
    embedding._query_vector.cache_clear()


@pytest.fixture
def service(settings: Any) -> "Iterator[subprocess.Popen[bytes]]":
    """A running embedding service that this process asks."""
    with tempfile.TemporaryDirectory(prefix="lito-s-") as folder:
        path = Path(folder) / "e.sock"
        command = [
            sys.executable,
            "-m",
            "documents.vectors.embedding_service",
            "--socket",
            str(path),
        ]
        process = subprocess.Popen(command)
        settings.LITO_EMBEDDING_IN_PROCESS = False
        settings.LITO_EMBEDDING_SOCKET = str(path)
        forget()
        yield process
        process.kill()
        process.wait(timeout=20)


def asked(need: str, project: Project) -> SearchResult:
    return search(need, scope=project_scope(project))


def is_ready() -> bool:
    try:
        embedding.embed_query("ready?")
    except embedding.EmbedderUnavailableError:
        return False
    return True


# httpcore forgets to close a Unix socket that nobody listens at.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_service_that_is_killed_leaves_the_words_and_says_so(
    service: "subprocess.Popen[bytes]",
) -> None:
    until(is_ready, 60)
    project = new_project()
    add_paper(project, "Ice", ICE)
    assert asked("declined ice", project).trace.vectors == "ok"
    service.kill()
    service.wait(timeout=20)
    started = time.monotonic()
    found = asked("records of ice", project)
    assert time.monotonic() - started < 15
    assert "declined" in found.evidence[0].text
    assert "embedding service" in found.trace.vectors or "reached" in found.trace.vectors
    assert asked("declined ice", project).trace.vectors == "ok"  # its vector is remembered


@pytest.mark.parametrize("letters", ["sea ice and bears ", "海冰范围缩小", "𝛽\u0000\ud835 "])
def test_a_need_of_ten_thousand_characters_is_searched(letters: str) -> None:
    project = new_project()
    add_paper(project, "Ice", ICE)
    found = asked((letters * 10_000)[:10_000], project)
    assert found.trace.vectors == "ok"


def test_a_project_without_any_vector_is_searched_by_words() -> None:
    add_paper(new_project("other"), "Elsewhere", ICE)  # so that there is a space
    project = new_project()
    add_paper(project, "Ice", ICE, embedded=False)
    assert "declined" in asked("declined ice", project).evidence[0].text


@pytest.mark.django_db(transaction=True)
def test_fifty_searches_at_once_all_find_it() -> None:
    project = new_project()
    for number in range(4):
        add_paper(project, f"Ice {number}", [(*ICE[0][:2], f"{ICE[0][2]} Part {number}."), ICE[1]])

    def ask(number: int) -> tuple[str, str]:
        try:
            found = asked(f"declined ice {number}", project)
            return found.evidence[0].text[:7], found.trace.vectors
        finally:
            connection.close()

    with ThreadPoolExecutor(50) as pool:
        answers = list(pool.map(ask, range(50)))
    assert set(answers) == {("Sea ice", "ok")}
