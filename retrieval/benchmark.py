"""The keyword index against rank-bm25 and bm25s, on the same synthetic chunks."""

import os
import tempfile
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from rank_bm25 import BM25Okapi

from retrieval.bm25 import Index
from retrieval.growing import with_added, with_removed
from retrieval.index_files import StoredIndex, open_index, save_index
from retrieval.segments import IndexedDocument
from retrieval.synthetic_chunks import Chunks, synthetic_chunks

CHUNKS_OF_A_PAPER = 60
QUERY_TERMS = 8
QUERIES = 12
SLOW_QUERIES = 4
LIMIT = 100
SMALL = 10_000


def add_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("--chunks", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)


def run(options: dict[str, Any]) -> dict[str, Any]:
    chunks: int = options["chunks"]
    result = _measured(chunks, np.random.default_rng(options["seed"]))
    if chunks > SMALL:
        result["at_10000"] = _measured(SMALL, np.random.default_rng(options["seed"]))
    return result


def _measured(chunks: int, chance: np.random.Generator) -> dict[str, Any]:
    texts = synthetic_chunks(chunks, chance)
    queries = _queries(texts, chance)
    papers = [
        IndexedDocument(paper, list(enumerate(texts[start : start + CHUNKS_OF_A_PAPER], start)))
        for paper, start in enumerate(range(0, chunks, CHUNKS_OF_A_PAPER))
    ]
    index = with_added(Index(), papers)
    oracle = BM25Okapi(texts)
    parity = max(
        float(np.abs(index.scores(query) - oracle.get_scores(query)).max(initial=0))
        for query in queries[:SLOW_QUERIES]
    )
    with tempfile.TemporaryDirectory() as folder:
        stored = save_index(index, Path(folder) / "index", changes=(1, 1))
        opened_ms = _opening_ms(Path(folder) / "index", queries[0])
        opened = stored.index
        ours = _ms(lambda query: opened.search(query, limit=LIMIT), queries)
        theirs = _ms(oracle.get_scores, queries[:SLOW_QUERIES])
        peer = _bm25s_ms(texts, queries)
        size = sum(path.stat().st_size for path in (Path(folder) / "index").iterdir())
        added, deleted = _updates_ms(stored, Path(folder) / "index", synthetic_chunks(600, chance))
    return {
        "chunks": chunks,
        "parity_max_abs_diff": parity,
        "ratio_vs_rank_bm25": theirs / ours,
        "ratio_vs_bm25s": ours / peer if peer else None,
        "query_ms": ours,
        "add_document_ms": added,
        "delete_document_ms": deleted,
        "open_ms": opened_ms,
        "bytes_per_chunk": size / chunks,
    }


def _queries(texts: Chunks, chance: np.random.Generator) -> Chunks:
    """Terms drawn from the chunks, so that common ones are among them."""
    return [
        [str(chance.choice(texts[int(chance.integers(len(texts)))])) for _ in range(QUERY_TERMS)]
        for _ in range(QUERIES)
    ]


def _ms(search: Callable[[list[str]], object], queries: Sequence[list[str]]) -> float:
    """Median over the queries of the better of two times."""
    times = []
    for query in queries:
        tries = []
        for _ in range(2):
            start = perf_counter()
            search(query)
            tries.append(perf_counter() - start)
        times.append(min(tries))
    return median(times) * 1000


def _bm25s_ms(texts: Chunks, queries: Chunks) -> float | None:
    """The same search by bm25s with its numpy backend; None where it is not installed."""
    if find_spec("bm25s") is None:
        return None
    import bm25s

    peer = bm25s.BM25(method="atire", k1=1.5, b=0.75, backend="numpy")
    peer.index(texts, show_progress=False)
    return _ms(
        lambda query: peer.retrieve(
            [query], k=LIMIT, show_progress=False, backend_selection="numpy"
        ),
        queries,
    )


def _opening_ms(folder: Path, query: list[str]) -> float:
    """Milliseconds to the end of a first search in a new process, with nothing of it in memory."""
    for path in folder.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        return processes.submit(_first_search_ms, folder, query).result()


def _first_search_ms(folder: Path, query: list[str]) -> float:
    start = perf_counter()
    open_index(folder).index.search(query, limit=LIMIT)
    return (perf_counter() - start) * 1000


def _updates_ms(stored: StoredIndex, folder: Path, texts: Chunks) -> tuple[float, float]:
    """Medians for one paper more and one less, until the new generation stands on disk."""
    added, deleted = [], []
    numbers = count(max(stored.index.documents) + 1)
    for start in range(0, len(texts), CHUNKS_OF_A_PAPER):
        chunks = list(enumerate(texts[start : start + CHUNKS_OF_A_PAPER], start=1 << 40))
        started = perf_counter()
        index = with_added(stored.index, [IndexedDocument(next(numbers), chunks)])
        stored = save_index(index, folder, changes=(1, 1), base=stored)
        added.append(perf_counter() - started)
        gone = next(iter(stored.index.documents))
        started = perf_counter()
        stored = save_index(with_removed(stored.index, [gone]), folder, changes=(1, 1), base=stored)
        deleted.append(perf_counter() - started)
    return median(added) * 1000, median(deleted) * 1000
