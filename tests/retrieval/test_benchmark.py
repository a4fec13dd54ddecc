"""The benchmark of keyword search, on few chunks: what it prints, and that it compares equals."""

import json

import numpy as np
import pytest
from django.core.management import call_command

from retrieval.synthetic_chunks import synthetic_chunks


def test_the_benchmark_prints_its_figures(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("benchmark", "bm25", "--chunks", "400", "--json")

    result = json.loads(capsys.readouterr().out)
    assert result["chunks"] == 400
    assert result["parity_max_abs_diff"] == 0
    for name in ("ratio_vs_rank_bm25", "ratio_vs_bm25s", "add_document_ms", "delete_document_ms"):
        assert result[name] > 0
    assert 0 < result["open_ms"] < 5000
    assert 300 < result["bytes_per_chunk"] < 5000


def test_synthetic_chunks_are_distributed_as_abstracts_are() -> None:
    chunks = synthetic_chunks(2000, np.random.default_rng(5))

    lengths = [len(chunk) for chunk in chunks]
    distinct = [len(set(chunk)) for chunk in chunks]
    holders = np.sort(np.unique([w for c in chunks for w in set(c)], return_counts=True)[1])[::-1]
    assert 150 < np.mean(lengths) < 168
    assert 0.5 < np.mean(distinct) / np.mean(lengths) < 0.68
    assert 0.4 < holders[0] / 2000 < 0.8
    assert 0.08 < holders[100] / 2000 < 0.16
    assert len(holders) > 15_000
