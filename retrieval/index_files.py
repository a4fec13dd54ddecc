"""A keyword index on disk: array files that never change, and one manifest that names them.

A new generation writes only what is new and then replaces the manifest in one step, so that many
processes may read while one writes. Opening maps the files into memory and reads none of them.
"""

import json
import mmap
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from retrieval.bm25 import Index
from retrieval.segments import Ints, Segment, Vocabulary

FORMAT = 1
MANIFEST = "current.json"
ALIGNMENT = 64
TRIES = 5

SEGMENT_ARRAYS = tuple(each.name for each in fields(Segment) if each.name != "dead")
VOCABULARY_ARRAYS = tuple(each.name for each in fields(Vocabulary))


class IndexUnreadableError(Exception):
    """There is no index in the folder, or its files are damaged or of another format."""


@dataclass(frozen=True, slots=True)
class StoredIndex:
    """An index as it stands on disk. `changes` is what it knows of: last change id and count."""

    index: Index
    generation: str
    changes: tuple[int, int]
    entries: Mapping[int, dict[str, Any]]
    """Manifest entries of the segments, by the identity of their `rows` array."""


_opened: dict[Path, tuple[tuple[int, int, int], StoredIndex]] = {}


def open_index(folder: Path) -> StoredIndex:
    """The present generation in `folder`, kept open by this process until a newer one stands.

    Raises IndexUnreadableError.
    """
    missing = ""
    for _ in range(TRIES):
        try:
            stamp = _stamp(folder / MANIFEST)
            kept = _opened.get(folder)
            if kept and kept[0] == stamp:
                return kept[1]
            stored = _loaded(folder, json.loads((folder / MANIFEST).read_bytes()))
        except FileNotFoundError as error:
            missing = str(error)  # a writer may have moved on between manifest and files
            continue
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise IndexUnreadableError(str(error)) from error
        _opened[folder] = (stamp, stored)
        return stored
    raise IndexUnreadableError(missing)


def _stamp(path: Path) -> tuple[int, int, int]:
    state = path.stat()
    return state.st_mtime_ns, state.st_ino, state.st_size


def _loaded(folder: Path, manifest: dict[str, Any]) -> StoredIndex:
    if manifest["format"] != FORMAT:
        raise ValueError(f"format {manifest['format']} instead of {FORMAT}")
    segments, entries = [], {}
    for entry in manifest["segments"]:
        arrays = _mapped(folder, entry)
        segment = Segment(**arrays, dead=frozenset(entry["dead"]))
        segments.append(segment)
        entries[id(segment.rows)] = entry
    vocabulary = Vocabulary(**_mapped(folder, manifest["vocabulary"]))
    index = Index(
        tuple(segments),
        vocabulary,
        manifest["chunks"],
        manifest["length"],
        manifest["average_idf"],
    )
    last, count = manifest["changes"]
    return StoredIndex(index, manifest["generation"], (last, count), entries)


def _mapped(folder: Path, entry: dict[str, Any]) -> dict[str, Any]:
    with (folder / entry["file"]).open("rb") as file:
        if os.fstat(file.fileno()).st_size != entry["size"]:
            raise ValueError(f"{entry['file']} has not the size that was written")
        memory = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return {
        name: np.frombuffer(memory, dtype=kind, count=count, offset=offset)
        for name, (kind, offset, count) in entry["arrays"].items()
    }


def save_index(
    index: Index, folder: Path, *, changes: tuple[int, int], base: StoredIndex | None = None
) -> StoredIndex:
    """Make `index` the present generation. Segments that it shares with `base` stay as they are.

    One writer at a time, which is the caller's care.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    entries = dict(base.entries) if base else {}
    segments = []
    for segment in index.segments:
        entry = entries.get(id(segment.rows)) or _written(
            folder, "segment", {name: getattr(segment, name) for name in SEGMENT_ARRAYS}
        )
        segments.append({**entry, "dead": sorted(segment.dead)})
    vocabulary = {name: getattr(index.vocabulary, name) for name in VOCABULARY_ARRAYS}
    manifest = {
        "format": FORMAT,
        "generation": secrets.token_hex(8),
        "changes": list(changes),
        "chunks": index.chunks,
        "length": index.length,
        "average_idf": index.average_idf,
        "segments": segments,
        "vocabulary": _written(folder, "vocabulary", vocabulary),
    }
    before = _named_files(folder)
    draft = folder / f"draft-{manifest['generation']}.json"
    draft.write_text(json.dumps(manifest))
    draft.replace(folder / MANIFEST)
    _forget_files(folder, keep=before | _named_files(folder))
    return open_index(folder)


def _written(folder: Path, kind: str, arrays: Mapping[str, Ints]) -> dict[str, Any]:
    places: dict[str, list[Any]] = {}
    path = folder / f"{kind}-{secrets.token_hex(8)}.bin"
    with path.open("xb") as file:
        for name, values in arrays.items():
            file.write(b"\0" * (-file.tell() % ALIGNMENT))
            places[name] = [values.dtype.str, file.tell(), len(values)]
            file.write(np.ascontiguousarray(values).data)
        file.write(b"\0")  # an empty file could not be mapped
        size = file.tell()
    return {"file": path.name, "size": size, "arrays": places}


def _named_files(folder: Path) -> set[str]:
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        entries = [*manifest["segments"], manifest["vocabulary"]]
        return {entry["file"] for entry in entries}
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _forget_files(folder: Path, *, keep: set[str]) -> None:
    """Remove what no manifest names; the generation before stays for readers on their way."""
    for path in folder.iterdir():
        if path.name != MANIFEST and path.name not in keep:
            path.unlink(missing_ok=True)
