"""The index on disk: whole generations, readable by many, found out when damaged."""

import contextlib
import shutil
from pathlib import Path

import pytest

from retrieval.bm25 import Index
from retrieval.growing import with_added, with_removed
from retrieval.index_files import KEPT_OPEN, MANIFEST, IndexUnreadableError, open_index, save_index
from retrieval.segments import IndexedDocument

QUERY = ["cell", "wall", "cell"]


def sample(first: int = 0, count: int = 6) -> list[IndexedDocument]:
    words = ["cell", "wall", "root", "leaf", "stem"]
    return [
        IndexedDocument(
            number,
            [(number * 10 + part, [words[(number + part) % 5], words[part]]) for part in (0, 1)],
        )
        for number in range(first, first + count)
    ]


def test_what_was_saved_is_what_is_opened(tmp_path: Path) -> None:
    index = with_removed(with_added(Index(), sample()), [2])
    save_index(index, tmp_path, changes=(7, 3))

    stored = open_index(tmp_path)

    assert stored.changes == (7, 3)
    assert stored.index.documents == index.documents
    assert stored.index.average_idf == index.average_idf
    assert stored.index.search(QUERY, limit=20) == index.search(QUERY, limit=20)


def test_a_new_generation_writes_no_old_segment_again(tmp_path: Path) -> None:
    first = save_index(with_added(Index(), sample()), tmp_path, changes=(1, 1))
    before = {path.name for path in tmp_path.glob("segment-*")}

    grown = with_removed(with_added(first.index, sample(first=6, count=1)), [0])
    second = save_index(grown, tmp_path, changes=(2, 2), base=first)

    after = {path.name for path in tmp_path.glob("segment-*")}
    assert before < after
    assert len(after) == 2
    assert second.index.search(QUERY, limit=20) == grown.search(QUERY, limit=20)


def test_a_reader_of_the_generation_before_reads_on(tmp_path: Path) -> None:
    first = save_index(with_added(Index(), sample()), tmp_path, changes=(1, 1))
    expected = first.index.search(QUERY, limit=20)
    for number in range(3):
        save_index(with_added(Index(), sample(count=number + 1)), tmp_path, changes=(number, 1))

    assert first.index.search(QUERY, limit=20) == expected
    assert len(list(tmp_path.glob("segment-*"))) == 2  # this generation and the one before


def test_an_empty_index_can_be_kept(tmp_path: Path) -> None:
    save_index(Index(), tmp_path, changes=(0, 0))

    assert open_index(tmp_path).index.search(QUERY, limit=5) == []


def test_no_index_is_said_to_be_unreadable(tmp_path: Path) -> None:
    with pytest.raises(IndexUnreadableError):
        open_index(tmp_path / "nowhere")


@pytest.mark.parametrize("damage", ["cut", "gone", "manifest", "format"])
def test_a_damaged_index_is_found_out(tmp_path: Path, damage: str) -> None:
    save_index(with_added(Index(), sample()), tmp_path, changes=(1, 1))
    [segment] = tmp_path.glob("segment-*")
    manifest = tmp_path / MANIFEST
    match damage:
        case "cut":
            segment.write_bytes(segment.read_bytes()[:-9])
        case "gone":
            segment.unlink()
        case "manifest":
            manifest.write_text("{")
        case "format":
            manifest.write_text(manifest.read_text().replace('"format": 2', '"format": 999'))
    copy = tmp_path.rename(
        tmp_path.with_name(f"copy-{damage}")
    )  # another process: nothing kept open

    with pytest.raises(IndexUnreadableError):
        open_index(copy)


def test_a_process_that_opens_many_indexes_keeps_few_files_open(tmp_path: Path) -> None:
    save_index(with_added(Index(), sample()), tmp_path / "0", changes=(1, 1))
    for number in range(1, 3 * KEPT_OPEN):
        shutil.copytree(tmp_path / "0", tmp_path / str(number))
        assert open_index(tmp_path / str(number)).index.search(QUERY, limit=3)

    mapped = [link for link in _open_files() if link.startswith(str(tmp_path))]
    assert len(mapped) <= 2 * KEPT_OPEN
    assert open_index(tmp_path / "0").index.search(QUERY, limit=3)


def _open_files() -> list[str]:
    found = []
    for link in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            found.append(str(link.readlink()))
    return found
