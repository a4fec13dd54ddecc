"""Files on disk, each under the name of its own hash. A name given by a person is never used.

A file comes in under `incoming/`, is hashed while it is written, and moves to its place in one
step: whoever sees a file at `file_path(sha256)` sees all of it.
"""

import hashlib
import os
import re
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.core.files.base import File
from django.db import connection

from documents.inspecting import RefusedFileError, too_large_sentence

Upload = Path | File[Any] | BinaryIO
BLOCK_BYTES = 1024 * 1024
STALE_SECONDS = 24 * 3600
"""An incoming file so old was left behind by a process that died."""

_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A whole file: where it stands, its hash, its bytes."""

    path: Path
    sha256: str
    size: int


def file_path(sha256: str) -> Path:
    """Where the file with this hash stands, whether it is there or not."""
    if not _SHA256.fullmatch(sha256):
        raise ValueError("not a SHA-256 in lower-case hexadecimal digits")
    return Path(settings.LITO_FILES) / sha256[:2] / f"{sha256}.pdf"


@contextmanager
def receive(upload: Upload) -> Iterator[StoredFile]:
    """Write `upload` to a file of its own that is gone afterwards unless `keep` moved it.

    Raises `RefusedFileError("too_large")` as soon as one byte too many has come.
    """
    folder = Path(settings.LITO_FILES) / "incoming"
    folder.mkdir(parents=True, exist_ok=True)
    descriptor, name = tempfile.mkstemp(dir=folder, suffix=".pdf")
    path = Path(name)
    try:
        digest, size = hashlib.sha256(), 0
        with os.fdopen(descriptor, "wb") as target:
            for block in _blocks(upload):
                size += len(block)
                _check_size(size)
                digest.update(block)
                target.write(block)
            target.flush()
            os.fsync(target.fileno())
        yield StoredFile(path, digest.hexdigest(), size)
    finally:
        path.unlink(missing_ok=True)


def keep(incoming: StoredFile) -> StoredFile:
    """Move a received file to its place. The same bytes are kept once."""
    path = file_path(incoming.sha256)
    if not path.is_file() or path.stat().st_size != incoming.size:
        path.parent.mkdir(parents=True, exist_ok=True)
        incoming.path.replace(path)
        _sync_folder(path.parent)
    return StoredFile(path, incoming.sha256, incoming.size)


def store(upload: Upload) -> StoredFile:
    """Receive and keep in one go."""
    with receive(upload) as incoming:
        return keep(incoming)


def lock(sha256: str) -> None:
    """Until this transaction ends, nobody else adds or deletes the file with this hash."""
    key = int.from_bytes(bytes.fromhex(sha256[:16]), signed=True)
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [key])


def delete(sha256: str) -> None:
    """Delete the file with this hash, if there is one. The caller knows that nobody needs it."""
    file_path(sha256).unlink(missing_ok=True)


def stored_hashes() -> set[str]:
    """The hashes of all files that are kept here."""
    names = (path.stem for path in Path(settings.LITO_FILES).glob("[0-9a-f][0-9a-f]/*.pdf"))
    return {name for name in names if _SHA256.fullmatch(name)}


def sweep_incoming(now: float | None = None) -> int:
    """Delete what dead processes left in `incoming/`; return how many files that were."""
    oldest = (time.time() if now is None else now) - STALE_SECONDS
    swept = 0
    for path in (Path(settings.LITO_FILES) / "incoming").glob("*"):
        try:
            if path.stat().st_mtime < oldest:
                path.unlink()
                swept += 1
        except FileNotFoundError:
            continue
    return swept


def _check_size(size: int) -> None:
    if size > settings.LITO_MAX_UPLOAD_BYTES:
        raise RefusedFileError("too_large", too_large_sentence())


def _blocks(upload: Upload) -> Iterator[bytes]:
    if isinstance(upload, Path):
        with upload.open("rb") as source:
            yield from _read(source)
    elif isinstance(upload, File):
        yield from upload.chunks(BLOCK_BYTES)
    else:
        yield from _read(upload)


def _read(source: BinaryIO) -> Iterator[bytes]:
    while block := source.read(BLOCK_BYTES):
        yield block


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
