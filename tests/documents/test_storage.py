import hashlib
import io
import os
import time
from pathlib import Path

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from pytest_django import Settings

from documents import storage
from documents.inspecting import RefusedFileError

CONTENT = b"%PDF-1.7 something" * 1000
DIGEST = hashlib.sha256(CONTENT).hexdigest()


def files_under(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("source", ["path", "upload", "stream"])
def test_a_file_is_kept_under_its_hash_whatever_it_came_as(source: str, tmp_path: Path) -> None:
    given = tmp_path / "a paper.pdf"
    given.write_bytes(CONTENT)
    uploads: dict[str, storage.Upload] = {
        "path": given,
        "upload": SimpleUploadedFile("../../etc/passwd", CONTENT),
        "stream": io.BytesIO(CONTENT),
    }
    stored = storage.store(uploads[source])
    assert (stored.sha256, stored.size) == (DIGEST, len(CONTENT))
    assert stored.path == storage.file_path(DIGEST)
    assert stored.path.read_bytes() == CONTENT


def test_the_same_bytes_are_kept_once(own_files: Path) -> None:
    storage.store(io.BytesIO(CONTENT))
    storage.store(io.BytesIO(CONTENT))
    assert len(files_under(own_files)) == 1


def test_a_file_that_is_too_large_is_refused_before_it_was_read_to_its_end(
    settings: Settings, own_files: Path
) -> None:
    settings.LITO_MAX_UPLOAD_BYTES = 3 * 1024 * 1024
    stream = io.BytesIO(b"x" * (20 * 1024 * 1024))
    with pytest.raises(RefusedFileError) as refusal:
        storage.store(stream)
    assert refusal.value.code == "too_large"
    assert "3 MB" in refusal.value.message
    assert stream.tell() < 5 * 1024 * 1024
    assert files_under(own_files) == []


def test_what_was_received_and_not_kept_is_gone(own_files: Path) -> None:
    with storage.receive(io.BytesIO(CONTENT)) as incoming:
        assert incoming.path.read_bytes() == CONTENT
    assert files_under(own_files) == []


@pytest.mark.parametrize("digest", ["", "../../etc/passwd", "A" * 64, "a" * 63, "a" * 64 + "\n"])
def test_only_a_hash_leads_to_a_path(digest: str) -> None:
    with pytest.raises(ValueError, match="SHA-256"):
        storage.file_path(digest)


def test_deleting_twice_is_as_good_as_once() -> None:
    stored = storage.store(io.BytesIO(CONTENT))
    storage.delete(DIGEST)
    storage.delete(DIGEST)
    assert not stored.path.exists()


def test_only_what_dead_processes_left_is_swept(own_files: Path) -> None:
    old, new = own_files / "incoming/old.pdf", own_files / "incoming/new.pdf"
    old.parent.mkdir(parents=True)
    for path in (old, new):
        path.write_bytes(b"half")
    yesterday = time.time() - 2 * storage.STALE_SECONDS
    os.utime(old, (yesterday, yesterday))
    assert storage.sweep_incoming() == 1
    assert files_under(own_files) == [new]
