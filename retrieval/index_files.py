"""A keyword index on disk: array files that never change, and one manifest that names them.

A new generation writes only what is new and then replaces the manifest in one step, so that many
processes may read while one writes, and a writer that dies at any point leaves the generation
before. Opening maps the files into memory and reads none of them. Nothing waits for the disk: an
index can be made anew, and what a power cut leaves half written is found by its checksum.
"""

import json
import mmap
import os
import secrets
import threading
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from retrieval.bm25 import Index
from retrieval.segments import Segment
from retrieval.vocabulary import Ints, TermLayer, Vocabulary

FORMAT = 2
MANIFEST = "current.json"
ALIGNMENT = 64
TRIES = 5
KEPT_OPEN = 32

SEGMENT_ARRAYS = tuple(each.name for each in fields(Segment) if each.name != "dead")
LAYER_ARRAYS = tuple(each.name for each in fields(TermLayer))

Entry = dict[str, Any]


class IndexUnreadableError(Exception):
    """There is no index in the folder, or its files are damaged or of another format."""


@dataclass(frozen=True, slots=True)
class StoredIndex:
    """An index as it stands on disk. `changes` is what it knows of: last change id and count."""

    index: Index
    generation: str
    changes: tuple[int, int]
    entries: Mapping[int, Entry]
    """Manifest entries of segments and term layers, by the identity of their first array."""


_opened: dict[Path, tuple[tuple[int, int, int], StoredIndex]] = {}
"""The last used ones last. Each mapped file takes one of the process's file descriptors."""
_opening = threading.Lock()


def open_index(folder: Path) -> StoredIndex:
    """The present generation in `folder`, kept open by this process until a newer one stands.

    Raises IndexUnreadableError.
    """
    missing = ""
    for _ in range(TRIES):
        try:
            stamp = _stamp(folder / MANIFEST)
            kept = _opened.get(folder)
            if kept and kept[0] == stamp and _stands(folder, kept[1]):
                stored = kept[1]
            else:
                stored = _loaded(folder, _manifest(folder))
        except FileNotFoundError as error:
            missing = str(error)  # a writer may have moved on between manifest and files
            continue
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise IndexUnreadableError(str(error)) from error
        _keep_open(folder, stamp, stored)
        return stored
    raise IndexUnreadableError(missing)


def _keep_open(folder: Path, stamp: tuple[int, int, int], stored: StoredIndex) -> None:
    with _opening:
        _opened.pop(folder, None)
        _opened[folder] = (stamp, stored)
        while len(_opened) > KEPT_OPEN:
            _opened.pop(next(iter(_opened)))


def _stands(folder: Path, stored: StoredIndex) -> bool:
    """Whether all files are there in full. To touch what a mapped file has lost ends a process."""
    return all(
        (folder / entry["file"]).stat().st_size == entry["size"]
        for entry in stored.entries.values()
    )


def damaged_files(folder: Path) -> list[str]:
    """Names of the files of the present generation that do not hold what was written.

    Reads all of them. Raises IndexUnreadableError.
    """
    try:
        manifest = _manifest(folder)
        damaged = [entry["file"] for entry in _entries(manifest) if not _is_whole(folder, entry)]
        moved_on = bool(damaged) and _manifest(folder) != manifest  # a writer, and files with it
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise IndexUnreadableError(str(error)) from error
    return damaged_files(folder) if moved_on else damaged


def _is_whole(folder: Path, entry: Entry) -> bool:
    try:
        return bool(zlib.crc32((folder / entry["file"]).read_bytes()) == entry["crc"])
    except OSError:
        return False


def _manifest(folder: Path) -> dict[str, Any]:
    written: dict[str, Any] = json.loads((folder / MANIFEST).read_bytes())
    manifest: dict[str, Any] = written["manifest"]
    if manifest["format"] != FORMAT:
        raise ValueError(f"format {manifest['format']} instead of {FORMAT}")
    if zlib.crc32(json.dumps(manifest).encode()) != written["crc"]:
        raise ValueError("the manifest is not what was written")
    return manifest


def _entries(manifest: dict[str, Any]) -> list[Entry]:
    return [*manifest["segments"], *manifest["vocabulary"]]


def _stamp(path: Path) -> tuple[int, int, int]:
    state = path.stat()
    return state.st_mtime_ns, state.st_ino, state.st_size


def _loaded(folder: Path, manifest: dict[str, Any]) -> StoredIndex:
    segments, layers, entries = [], [], {}
    for entry in manifest["segments"]:
        segment = Segment(**_mapped(folder, entry), dead=frozenset(entry["dead"]))
        segments.append(segment)
        entries[id(segment.terms)] = entry
    for entry in manifest["vocabulary"]:
        layer = TermLayer(**_mapped(folder, entry))
        layers.append(layer)
        entries[id(layer.hashes)] = entry
    index = Index(tuple(segments), Vocabulary(tuple(layers)))
    last, count = manifest["changes"]
    return StoredIndex(index, manifest["generation"], (last, count), entries)


def _mapped(folder: Path, entry: Entry) -> dict[str, Any]:
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
    """Make `index` the present generation. What it shares with `base` stays as it is.

    One writer at a time, which is the caller's care. Raises OSError where nothing can be written;
    then the generation before stands.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    entries = base.entries if base else {}
    with _removed_if_failed(folder) as new:
        segments = [
            {
                **(
                    entries.get(id(segment.terms))
                    or _written(folder, "segment", SEGMENT_ARRAYS, segment, new)
                ),
                "dead": sorted(segment.dead),
            }
            for segment in index.segments
        ]
        vocabulary = [
            entries.get(id(layer.hashes)) or _written(folder, "terms", LAYER_ARRAYS, layer, new)
            for layer in index.vocabulary.layers
        ]
        manifest = {
            "format": FORMAT,
            "generation": secrets.token_hex(8),
            "changes": list(changes),
            "segments": segments,
            "vocabulary": vocabulary,
        }
        before = _named_files(folder)
        _publish(folder, manifest, new)
    _forget_files(folder, keep=before | _named_files(folder))
    return open_index(folder)


@contextmanager
def _removed_if_failed(folder: Path) -> Iterator[list[str]]:
    """The names of new files, which go again if the block fails: a full disk must not stay so."""
    new: list[str] = []
    try:
        yield new
    except BaseException:
        for name in new:
            (folder / name).unlink(missing_ok=True)
        raise


def _publish(folder: Path, manifest: dict[str, Any], new: list[str]) -> None:
    crc = zlib.crc32(json.dumps(manifest).encode())
    draft = folder / f"draft-{manifest['generation']}.json"
    new.append(draft.name)
    draft.write_text(json.dumps({"manifest": manifest, "crc": crc}))
    draft.replace(folder / MANIFEST)
    new.clear()  # from here on they belong to the present generation


def _written(
    folder: Path, kind: str, names: tuple[str, ...], arrays: object, new: list[str]
) -> Entry:
    places: dict[str, list[Any]] = {}
    path = folder / f"{kind}-{secrets.token_hex(8)}.bin"
    new.append(path.name)
    crc = size = 0
    with path.open("xb") as file:
        for name in names:
            values: Ints = getattr(arrays, name)
            padding = b"\0" * (-size % ALIGNMENT)
            places[name] = [values.dtype.str, size + len(padding), len(values)]
            for part in (padding, np.ascontiguousarray(values).data.cast("B")):
                crc = zlib.crc32(part, crc)
                size += file.write(part)
        crc = zlib.crc32(b"\0", crc)
        size += file.write(b"\0")  # an empty file could not be mapped
    return {"file": path.name, "size": size, "crc": crc, "arrays": places}


def _named_files(folder: Path) -> set[str]:
    try:
        return {entry["file"] for entry in _entries(_manifest(folder))}
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _forget_files(folder: Path, *, keep: set[str]) -> None:
    """Remove what no manifest names; the generation before stays for readers on their way."""
    for path in folder.iterdir():
        if path.name != MANIFEST and path.name not in keep:
            path.unlink(missing_ok=True)
