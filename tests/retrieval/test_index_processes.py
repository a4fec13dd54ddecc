"""One index, many processes: readers while one writes, writers that are killed, full disks."""

import os
import resource
import shutil
import signal
import time
from functools import partial
from pathlib import Path

import pytest
from django.conf import LazySettings
from django.db import connections

from documents.chunks.tokens import keyword_tokens
from projects.models import Project
from retrieval import keyword_index
from retrieval.bm25 import Index
from retrieval.growing import tidied, with_added, with_removed
from retrieval.index_checking import check
from retrieval.index_files import MANIFEST, damaged_files, open_index, save_index
from retrieval.models import KeywordIndex
from retrieval.segments import IndexedDocument
from tests.child_processes import killed_before, outcome, start
from tests.retrieval.papers import add_paper, new_project

LIVE = 9
"""Documents of each generation: number g holds g to g + 8."""


def paper(number: int) -> IndexedDocument:
    chunks = [(number * 10 + part, ["all", f"own{number}", f"part{part}"]) for part in range(3)]
    return IndexedDocument(number, chunks)


def first_generation(folder: Path) -> None:
    index = Index()
    for number in range(LIVE):
        index = with_added(index, [paper(number)])
    save_index(index, folder, changes=(0, 0))


def next_generation(folder: Path) -> None:
    stored = open_index(folder)
    number = stored.changes[0] + 1
    index = with_removed(stored.index, [number - 1])
    index = tidied(with_added(index, [paper(number + LIVE - 1)]))
    save_index(index, folder, changes=(number, number), base=stored)


def generation_in(folder: Path) -> int:
    """The number of the generation, whose content must be that of just this one."""
    stored = open_index(folder)
    number = stored.changes[0]
    assert stored.changes == (number, number)
    hits = stored.index.search(["all"], limit=99)
    documents = range(number, number + LIVE)
    assert {hit.chunk for hit in hits} == {
        document * 10 + part for document in documents for part in range(3)
    }
    [best, *_] = stored.index.search([f"own{number}"], limit=9)
    assert best.chunk == number * 10
    return number


def test_a_writer_killed_before_any_of_its_file_operations_loses_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    first_generation(folder)
    for _ in range(12):  # so that there are old files to remove and segments to merge
        next_generation(folder)
    kills = 0
    while True:
        before = generation_in(folder)
        if not killed_before(kills + 1, lambda: next_generation(folder)):
            break
        kills += 1
        copy = shutil.copytree(folder, tmp_path / f"after-{kills}")
        assert generation_in(copy) in (before, before + 1)
        assert damaged_files(copy) == []

    assert kills > 10
    next_generation(folder)
    kept = _present(folder)
    next_generation(folder)
    assert {path.name for path in folder.iterdir()} <= {MANIFEST} | kept | _present(folder)


def _present(folder: Path) -> set[str]:
    return {entry["file"] for entry in open_index(folder).entries.values()}


def test_a_writer_killed_at_any_moment_loses_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "index"
    first_generation(folder)

    def write_on() -> None:
        while True:
            next_generation(folder)

    before = 0
    for wait in range(25):
        writer = start(write_on)
        time.sleep(0.004 * (wait + 1))
        os.kill(writer, signal.SIGKILL)
        assert outcome(writer) == -signal.SIGKILL
        now = generation_in(folder)
        assert now >= before
        before = now
    assert before > 10


def test_readers_see_whole_generations_while_one_writes_and_merges(tmp_path: Path) -> None:
    first_generation(tmp_path)

    def write() -> None:
        for _ in range(150):
            next_generation(tmp_path)

    def read() -> None:
        seen = [generation_in(tmp_path)]
        while seen[-1] < 150:
            seen.append(generation_in(tmp_path))
        assert seen == sorted(seen)
        assert len(set(seen)) > 10

    children = [start(read), start(read), start(write)]
    assert [outcome(child) for child in children] == [0, 0, 0]


def _with_files_of_at_most(size: int) -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def test_a_disk_that_takes_no_more_leaves_the_generation_before_and_no_rest(
    tmp_path: Path,
) -> None:
    first_generation(tmp_path)
    files = {path.name for path in tmp_path.iterdir()}
    large = IndexedDocument(99, [(99, [f"word{number}" for number in range(20_000)])])

    def write() -> None:
        stored = open_index(tmp_path)
        _with_files_of_at_most(50_000)
        with pytest.raises(OSError, match="too large"):
            save_index(with_added(stored.index, [large]), tmp_path, changes=(1, 1), base=stored)

    assert outcome(start(write)) == 0
    assert generation_in(tmp_path) == 0
    assert {path.name for path in tmp_path.iterdir()} == files
    assert damaged_files(tmp_path) == []


@pytest.fixture
def project(transactional_db: None) -> Project:
    project = new_project()
    add_paper(project, "Roots", [("text", "", "Roots drink water.")], embedded=False)
    return project


def _found(project: Project, query: str) -> int:
    index = keyword_index.keyword_index(project)
    return len(index.search(keyword_tokens(query), limit=999))


def test_search_works_without_room_for_the_index_and_says_so(
    project: Project, settings: LazySettings, tmp_path: Path
) -> None:
    blocked = tmp_path / "no-folder"
    blocked.write_text("a file stands where the folder would be")
    settings.LITO_INDEXES = str(blocked)

    assert _found(project, "water") == 1
    assert KeywordIndex.objects.get(project=project).problem
    add_paper(project, "Leaves", [("text", "", "Leaves lose water.")], embedded=False)
    assert _found(project, "water") == 2

    settings.LITO_INDEXES = str(tmp_path / "room")
    add_paper(project, "Stems", [("text", "", "Stems lead water.")], embedded=False)
    assert _found(project, "water") == 3
    assert KeywordIndex.objects.get(project=project).problem == ""
    assert check(project).agrees


def test_writers_in_several_processes_keep_every_paper(project: Project) -> None:
    connections.close_all()  # a connection is one process's own

    def add(writer: int) -> None:
        for number in range(6):
            text = f"Water of writer {writer}, time {number}."
            add_paper(project, f"{writer}-{number}", [("text", "", text)], embedded=False)
            assert _found(project, "water") >= number + 2
            keyword_index.follow_documents(project, tidy=True)
        connections.close_all()

    writers = [start(partial(add, writer)) for writer in range(3)]

    assert [outcome(writer) for writer in writers] == [0, 0, 0]
    assert _found(project, "water") == 19
    assert check(project).agrees


def test_a_killed_writer_gives_the_project_free(project: Project) -> None:
    keyword_index.keyword_index(project)
    generation = open_index(keyword_index.folder_of(project)).generation
    add_paper(project, "Leaves", [("text", "", "Leaves lose water.")], embedded=False)
    connections.close_all()

    def write_and_die() -> None:
        with keyword_index.locked(project):
            folder = keyword_index.folder_of(project)
            (folder / "segment-0123456789abcdef.bin").write_bytes(b"half")
            os.kill(os.getpid(), signal.SIGKILL)

    assert outcome(start(write_and_die)) == -signal.SIGKILL
    assert _found(project, "water") == 2
    folder = keyword_index.folder_of(project)
    assert open_index(folder).generation != generation
    assert not (folder / "segment-0123456789abcdef.bin").exists()
    assert (folder / MANIFEST).is_file()
