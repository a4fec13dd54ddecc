"""The keyword index against rank-bm25 and bm25s, on the same synthetic chunks."""

import tempfile
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import numpy as np
from rank_bm25 import BM25Okapi

from retrieval.bm25 import Index
from retrieval.index_files import StoredIndex, open_index, save_index

CHUNKS_OF_A_PAPER = 60
TOKENS = (120, 40)
"""Mean and deviation of a chunk's length, as measured on papers without function words."""
VOCABULARY = 300_000
ZIPF = 1.15
QUERY_TERMS = 8
QUERIES = 12
SLOW_QUERIES = 4
LIMIT = 100
SMALL = 10_000

Chunks = list[list[str]]


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
    texts = _texts(chunks, chance)
    queries = _queries(texts, chance)
    papers = [
        (paper, list(enumerate(texts[start : start + CHUNKS_OF_A_PAPER], start=start)))
        for paper, start in enumerate(range(0, chunks, CHUNKS_OF_A_PAPER))
    ]
    index = Index().with_added(papers)
    oracle = BM25Okapi(texts)
    parity = max(
        float(np.abs(index.scores(query) - oracle.get_scores(query)).max(initial=0))
        for query in queries[:SLOW_QUERIES]
    )
    with tempfile.TemporaryDirectory() as folder:
        stored = save_index(index, Path(folder) / "index", changes=(1, 1))
        opened_ms, opened = _opening(Path(folder) / "index")
        ours = _ms(lambda query: opened.search(query, limit=LIMIT), queries)
        theirs = _ms(oracle.get_scores, queries[:SLOW_QUERIES])
        peer = _bm25s_ms(texts, queries)
        size = sum(path.stat().st_size for path in (Path(folder) / "index").iterdir())
        added, deleted = _updates_ms(stored, Path(folder) / "index", _texts(600, chance))
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


def _texts(chunks: int, chance: np.random.Generator) -> Chunks:
    """Chunks whose terms are as unequal as words are."""
    lengths = np.maximum(1, chance.normal(*TOKENS, chunks).astype(int))
    terms = np.minimum(chance.zipf(ZIPF, int(lengths.sum())), VOCABULARY)
    ends = np.cumsum(lengths)
    words = [f"w{term}" for term in terms]
    return [words[end - length : end] for end, length in zip(ends, lengths, strict=True)]


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


def _opening(folder: Path) -> tuple[float, Index]:
    """Milliseconds to open files that this process has not open yet, and the index."""
    fresh = folder.with_name("fresh")
    folder.rename(fresh)
    start = perf_counter()
    opened = open_index(fresh)
    elapsed = (perf_counter() - start) * 1000
    fresh.rename(folder)
    return elapsed, opened.index


def _updates_ms(stored: StoredIndex, folder: Path, texts: Chunks) -> tuple[float, float]:
    """Medians for one paper more and one less, until the new generation stands on disk."""
    added, deleted = [], []
    numbers = count(max(stored.index.documents) + 1)
    for start in range(0, len(texts), CHUNKS_OF_A_PAPER):
        chunks = list(enumerate(texts[start : start + CHUNKS_OF_A_PAPER], start=1 << 40))
        started = perf_counter()
        index = stored.index.with_added([(next(numbers), chunks)])
        stored = save_index(index, folder, changes=(1, 1), base=stored)
        added.append(perf_counter() - started)
        gone = next(iter(stored.index.documents))
        started = perf_counter()
        stored = save_index(stored.index.with_removed([gone]), folder, changes=(1, 1), base=stored)
        deleted.append(perf_counter() - started)
    return median(added) * 1000, median(deleted) * 1000
