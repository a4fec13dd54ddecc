"""Workers that are killed in the middle, with SIGKILL: whoever comes next goes on from there."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection

from documents import ingestion
from documents.ingestion import Outcome
from documents.models import Change, Chunk, ChunkVector, Page, ParsedFile, Version
from documents.pages.page_text import ParsedPage
from documents.parsing import PARSER
from documents.reading_labels import Label
from documents.refining import refined
from documents.rereading import OUR_WAY, WayOfReading, reread
from documents.uploads import add_file
from documents.watching import take_unfinished
from projects.models import Project
from tests.documents.other_parser import NAME, OTHER
from tests.documents.pdf_making import make_pdf
from tests.documents.scans import write_scan

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("redis")]

ROOT = Path(__file__).resolve().parents[2]
PAGES = 160
PATIENCE = 60


@pytest.fixture
def version(project: Project, tmp_path: Path) -> Version:
    path = make_pdf(tmp_path / "long.pdf", pages=PAGES)
    return add_file(project, path_or_upload=path, file_name="a.pdf", user=None).version


@contextmanager
def worker(recipe: str, version: Version) -> Iterator[subprocess.Popen[bytes]]:
    """A real process that does `recipe` over this test's database; killed at the latest here."""
    database = connection.settings_dict
    host, port, name = database["HOST"], database["PORT"], database["NAME"]
    at = f"/{host}" if host.startswith("/") else f"{host}:{port}"
    environment = os.environ | {
        "DATABASE_URL": f"postgres://{at}/{name}",
        "PGUSER": database["USER"],
        "PGPASSWORD": database["PASSWORD"],
    }
    command = [sys.executable, "-m", "tests.documents.recipe_process", recipe]
    command += [str(version.pk), str(settings.LITO_FILES)]
    process = subprocess.Popen(command, cwd=ROOT, env=environment, start_new_session=True)
    try:
        yield process
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def until(condition: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert process.poll() is None, "the worker ended before it could be killed"
        assert time.monotonic() < deadline
        time.sleep(0.02)


def stored(parser: str) -> list[int]:
    """The keys of the stored pages, in order."""
    pages = Page.objects.filter(parsed__parser=parser).order_by("number")
    return list(pages.values_list("pk", flat=True))


def test_a_file_whose_worker_was_killed_is_read_on(version: Version) -> None:
    with worker("parse", version) as process:
        until(lambda: len(stored(PARSER)) >= 8, process)
    kept = stored(PARSER)
    assert len(kept) < PAGES
    assert take_unfinished() == [(version.pk, "parsing")]
    assert ingestion.parse_version(version.pk) is Outcome.DONE
    pages = stored(PARSER)
    assert pages[: len(kept)] == kept
    assert len(pages) == PAGES
    assert Change.objects.filter(kind="added").count() == 1


def test_vectors_that_a_killed_worker_made_are_kept(version: Version) -> None:
    ingestion.parse_version(version.pk)
    with worker("index", version) as process:
        until(ChunkVector.objects.exists, process)
    kept = set(ChunkVector.objects.values_list("pk", flat=True))
    version.refresh_from_db()
    assert version.state == Version.State.INDEXING
    assert ingestion.index_version(version.pk) is Outcome.DONE
    assert kept <= set(ChunkVector.objects.values_list("pk", flat=True))
    chunks = Chunk.objects.exclude(kind="reference").count()
    assert ChunkVector.objects.count() == chunks > len(kept)
    version.refresh_from_db()
    assert version.state == Version.State.READY


def test_a_better_reading_whose_worker_was_killed_is_finished_and_swapped_to_once(
    version: Version,
) -> None:
    ingestion.parse_version(version.pk)
    Version.objects.filter(pk=version.pk).update(state=Version.State.READY)
    with worker("reread", version) as process:
        until(lambda: len(stored(NAME)) >= 8, process)
    kept = stored(NAME)
    assert len(kept) < PAGES
    version.refresh_from_db()
    assert version.parsed is not None
    assert (version.parsed.parser, version.state) == (PARSER, Version.State.READY)
    assert version in Version.objects.live()
    assert reread(version.pk, way=OTHER) is Outcome.DONE
    pages = stored(NAME)
    assert pages[: len(kept)] == kept
    assert len(pages) == PAGES
    assert Change.objects.filter(kind="swapped").count() == 1
    assert not ParsedFile.objects.exclude(claimed_by="").exists()


@pytest.mark.slow
def test_scans_that_a_killed_worker_has_read_are_not_read_again(
    project: Project, tmp_path: Path
) -> None:
    path = write_scan(tmp_path / "scans.pdf", ("text", *["english"] * 5))
    version = add_file(project, path_or_upload=path, file_name="a.pdf", user=None).version
    ingestion.parse_version(version.pk)
    ingestion.index_version(version.pk)
    label = f"{PARSER}+ocr"
    with worker("refine", version) as process:
        until(lambda: len(stored(label)) >= 3, process)
        (reader,) = children_of(process.pid)
    until_gone(reader)
    kept = stored(label)
    assert len(kept) < 6
    read: list[int] = []

    def counting(
        path: Path, text_tier: ParsedFile, wanted: Label, start: int
    ) -> Iterator[ParsedPage]:
        for page in refined(path, text_tier, wanted, start):
            read.append(page.number)
            yield page

    way = WayOfReading(PARSER, OUR_WAY.pages, counting)
    assert reread(version.pk, way=way) is Outcome.DONE
    assert read == list(range(len(kept) + 1, 7))
    assert stored(label)[: len(kept)] == kept
    states = Page.objects.filter(parsed__parser=label).order_by("number")
    assert list(states.values_list("state", flat=True)) == ["ok", *["ocr"] * 5]
    version.refresh_from_db()
    assert version.parsed is not None
    assert version.parsed.parser == label
    assert Change.objects.filter(kind="swapped").count() == 1


def children_of(parent: int) -> list[int]:
    """The children of a process that read by OCR."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    named = [(int(pid), Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")) for pid in children]
    return [pid for pid, words in named if b"ocr" in words]


def until_gone(pid: int) -> None:
    deadline = time.monotonic() + PATIENCE
    while Path(f"/proc/{pid}").exists() and "\nState:\tZ" not in _status(pid):
        assert time.monotonic() < deadline, "the child works on for nobody"
        time.sleep(0.05)


def _status(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return "\nState:\tZ"
