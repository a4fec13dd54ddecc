"""What somebody dropped for an import, kept on disk until a worker has brought it in.

Each import has a folder of its own; the names that people gave their files are only written down.
"""

import json
import re
import shutil
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.files.base import File

STALE_SECONDS = 7 * 24 * 3600
"""Nobody has come for a folder so old: its import or its project is gone."""
NAMES = "names.json"
_ID = re.compile(r"[\w-]+", re.ASCII)


def stage(public_id: str, files: Sequence[File[Any]]) -> None:
    """Keep copies of `files` under the id of their import."""
    folder = _folder(public_id)
    folder.mkdir(parents=True)
    for number, file in enumerate(files):
        with (folder / str(number)).open("wb") as target:
            for block in file.chunks():
                target.write(block)
    names = [file.name or "" for file in files]
    (folder / NAMES).write_text(json.dumps(names), encoding="utf-8")


@contextmanager
def staged(public_id: str) -> Iterator[list[File[Any]]]:
    """The files as they were dropped, open. Raises `FileNotFoundError`."""
    folder = _folder(public_id)
    names = json.loads((folder / NAMES).read_text(encoding="utf-8"))
    with ExitStack() as opened:
        yield [
            File(opened.enter_context((folder / str(number)).open("rb")), name=name)
            for number, name in enumerate(names)
        ]


def drop(public_id: str) -> None:
    """Delete what is kept for this import, if anything is."""
    shutil.rmtree(_folder(public_id), ignore_errors=True)


def sweep(*, wanted: set[str]) -> int:
    """Delete old folders of imports that are not `wanted`; return how many went."""
    oldest = time.time() - STALE_SECONDS
    old = [
        folder
        for folder in _root().glob("*")
        if folder.name not in wanted and folder.stat().st_mtime < oldest
    ]
    for folder in old:
        shutil.rmtree(folder, ignore_errors=True)
    return len(old)


def _root() -> Path:
    return Path(settings.LITO_FILES) / "imports"


def _folder(public_id: str) -> Path:
    if not _ID.fullmatch(public_id):
        raise ValueError("not an id")
    return _root() / public_id
